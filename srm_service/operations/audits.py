"""Asking for audits: what a flow's rules mean for the comparison, and which topics it has."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from replication.domain.error_handling import ErrorHandling, read_error_handling
from replication.domain.identifiers import FlowId
from replication.domain.naming import ReplicationPolicy, policy_for
from replication.domain.record_rules import PROVENANCE_HEADER, SOURCE_OFFSET_HEADER
from replication.domain.record_settings import RecordSettings, read_record_settings
from srm_service.core.clock import now_ms
from srm_service.flows.contracts import CopyRules
from srm_service.flows.selectors import flow_copy_rules
from srm_service.monitoring.audit_state import copied_topics
from srm_service.monitoring.audits import audit_open, audit_request
from srm_service.monitoring.live_state import live_snapshot
from srm_service.monitoring.topics import topic_names

_log = structlog.get_logger("audit")


class AuditRefusedError(Exception):
    """The audit does not make sense as it was asked for; the text says why."""


class UnknownTopicError(AuditRefusedError):
    """The flow does not copy a topic that was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditWish:
    """What somebody asked for."""

    topics: Sequence[str] = ()  # empty: all topics of the flow
    mode: str = "full"
    sample: int = 1
    max_offsets: int | None = None
    records_per_second: int | None = None
    strict: bool = False


def audit_start(flow: FlowId, wish: AuditWish, *, by: str, scheduled: bool = False) -> int | None:
    """Ask for an audit; its number, or None when there is no such flow. Raises AuditRefusedError, UnknownTopicError."""
    rules = flow_copy_rules(flow.source, flow.target)
    if rules is None:
        return None
    waiting = audit_open(flow)
    if waiting is not None:
        raise AuditRefusedError(f"audit {waiting} of {flow.source}->{flow.target} has not ended; cancel it first")
    spec = _spec(flow, wish, rules) | {"requested_ms": now_ms(), "requested_by": by, "scheduled": scheduled}
    number = audit_request(flow, spec)
    _log.info("audit requested", flow=f"{flow.source}->{flow.target}", audit=number, by=by, mode=wish.mode)
    return number


def _spec(flow: FlowId, wish: AuditWish, rules: CopyRules) -> dict[str, Any]:
    policy = policy_for(
        rules.policy_kind,
        separator=rules.policy_separator,
        template=rules.policy_template or None,
        source=flow.source,
        target=flow.target,
    )
    records, errors = _record_settings(rules), _error_handling(flow, rules)
    return {
        "v": 1,
        "source": flow.source,
        "target": flow.target,
        "topics": [
            [topic, policy.format_remote_topic(flow.source, topic)] for topic in _topics(flow, wish.topics, policy)
        ],
        "mode": wish.mode,
        "sample": wish.sample,
        "max_offsets": wish.max_offsets,
        "records_per_second": wish.records_per_second,
        "strict": wish.strict,
        "isolation": "read_committed" if rules.reads_committed else "read_uncommitted",
        "shared": rules.policy_kind == "identity",
        "counts_only": bool(records.transforms),
        "skips": errors.policy == "skip",
        "dead_letters": errors.dead_letter_topic,
        "ignored_headers": _own_headers(records),
    }


def _record_settings(rules: CopyRules) -> RecordSettings:
    try:
        return read_record_settings(rules.source_settings, identity=rules.policy_kind == "identity")
    except ValueError as error:
        raise AuditRefusedError(f"the flow's settings are not valid: {error}") from error


def _error_handling(flow: FlowId, rules: CopyRules) -> ErrorHandling:
    try:
        return read_error_handling(rules.source_settings, flow.source)
    except ValueError as error:
        raise AuditRefusedError(f"the flow's settings are not valid: {error}") from error


def _own_headers(records: RecordSettings) -> list[str]:
    """Headers that the flow itself puts into the copy."""
    headers = [SOURCE_OFFSET_HEADER] if records.source_offset_header else []
    return [*headers, PROVENANCE_HEADER] if records.loop_protection == "headers" else headers


def _topics(flow: FlowId, asked: Sequence[str], policy: ReplicationPolicy) -> list[str]:
    live = live_snapshot()
    if asked:
        known, _ = topic_names(flow, live)
        strange = sorted(set(asked) - set(known)) if known else []
        if strange:
            raise UnknownTopicError(
                f"{flow.source}->{flow.target} does not copy a topic {strange[0]}; GET .../topics lists all"
            )
        return sorted(set(asked))
    topics = copied_topics(flow, live)
    if not topics:
        raise AuditRefusedError(f"no topic of {flow.source}->{flow.target} is known yet: is a driver running?")
    return topics
