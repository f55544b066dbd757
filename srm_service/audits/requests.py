"""Requests audits: translates a flow's settings into the specification of the comparison."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from replication.domain.batches.record_rules import PROVENANCE_HEADER, SOURCE_OFFSET_HEADER
from replication.domain.identifiers import FlowId
from replication.domain.names.replication_policy import ReplicationPolicy, policy_for
from replication.domain.rejected_records.error_policy import ErrorHandling, read_error_handling
from replication.domain.settings.choices import IsolationLevel
from replication.domain.settings.delivery import required_isolation
from replication.domain.settings.record_settings import RecordSettings, read_record_settings
from replication.domain.settings.registry.clients import ISOLATION_LEVEL
from srm_service.audits.audit_state import copied_topics
from srm_service.audits.selectors import audit_cancel, audit_open, audit_request
from srm_service.core.clock import now_ms
from srm_service.flows.contracts import CopyRules
from srm_service.flows.selectors import flow_copy_rules
from srm_service.monitoring.flows.live_state import live_snapshot
from srm_service.monitoring.flows.topics import topic_names
from srm_service.trail.contracts import Actor, flow_subject
from srm_service.trail.services import record


class AuditRefusedError(Exception):
    """The requested audit is invalid; the text gives the reason."""


class UnknownAuditTopicError(AuditRefusedError):
    """The flow does not copy a requested topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """The options of a requested audit."""

    topics: Sequence[str] = ()  # empty: all topics of the flow
    mode: str = "full"
    sample: int = 1
    max_offsets: int | None = None
    records_per_second: int | None = None
    strict: bool = False


def audit_start(flow: FlowId, request: AuditRequest, *, by: Actor | str, scheduled: bool = False) -> int | None:
    """Request an audit; returns its number, or None for an unknown flow. Raises AuditRefusedError."""
    rules = flow_copy_rules(flow.source, flow.target)
    if rules is None:
        return None
    waiting = audit_open(flow)
    if waiting is not None:
        raise AuditRefusedError(f"audit {waiting} of {flow.source}->{flow.target} has not ended; cancel it first")
    spec = _spec(flow, request, rules) | {"requested_ms": now_ms(), "requested_by": str(by), "scheduled": scheduled}
    number = audit_request(flow, spec)
    after = {"audit": number, "mode": request.mode, "topics": list(request.topics), "scheduled": scheduled}
    record(by=by, action="flow.audit", subject=flow_subject(flow.source, flow.target), after=after)
    return number


def audit_end(flow: FlowId, audit_id: int, *, by: Actor | str) -> None:
    """Cancel an audit. Raises AuditNotOpenError."""
    audit_cancel(flow, audit_id)
    subject = flow_subject(flow.source, flow.target)
    record(by=by, action="flow.cancel_audit", subject=subject, before={"audit": audit_id})


def _spec(flow: FlowId, request: AuditRequest, rules: CopyRules) -> dict[str, Any]:
    policy = policy_for(
        rules.policy_kind,
        separator=rules.policy_separator,
        template=rules.policy_template or None,
        source=flow.source,
        target=flow.target,
    )
    records, errors, isolation = _copy_settings(flow, rules)
    return {
        "v": 1,
        "source": flow.source,
        "target": flow.target,
        "topics": [
            [topic, policy.format_remote_topic(flow.source, topic)] for topic in _topics(flow, request.topics, policy)
        ],
        "mode": request.mode,
        "sample": request.sample,
        "max_offsets": request.max_offsets,
        "records_per_second": request.records_per_second,
        "strict": request.strict,
        "isolation": isolation,
        "shared": rules.policy_kind == "identity",
        "counts_only": bool(records.transforms),
        "skips": errors.policy == "skip",
        "dead_letters": errors.dead_letter_topic,
        "ignored_headers": _own_headers(records),
    }


def _copy_settings(flow: FlowId, rules: CopyRules) -> tuple[RecordSettings, ErrorHandling, IsolationLevel]:
    settings = rules.source_settings
    try:
        return (
            read_record_settings(settings, identity=rules.policy_kind == "identity"),
            read_error_handling(settings, flow.source),
            required_isolation(rules.delivery) or ISOLATION_LEVEL.read(settings),
        )
    except ValueError as error:
        raise AuditRefusedError(f"the flow's settings are not valid: {error}") from error


def _own_headers(records: RecordSettings) -> list[str]:
    """The headers that the flow adds to copied records."""
    headers = [SOURCE_OFFSET_HEADER] if records.source_offset_header else []
    return [*headers, PROVENANCE_HEADER] if records.loop_protection == "headers" else headers


def _topics(flow: FlowId, asked: Sequence[str], policy: ReplicationPolicy) -> list[str]:
    live = live_snapshot()
    if asked:
        known, _ = topic_names(flow, live)
        strange = sorted(set(asked) - set(known)) if known else []
        if strange:
            raise UnknownAuditTopicError(
                f"{flow.source}->{flow.target} does not copy a topic {strange[0]}; GET .../topics lists all"
            )
        return sorted(set(asked))
    topics = copied_topics(flow, live)
    if not topics:
        raise AuditRefusedError(f"no topic of {flow.source}->{flow.target} is known yet: check that a driver runs")
    return topics
