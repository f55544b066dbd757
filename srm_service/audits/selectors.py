"""Queries of audits in the metrics store, where the metrics process runs them."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from django.db.models import Count, Min, QuerySet

from replication.domain.identifiers import FlowId
from replication.domain.reporting.audit_words import FINDING_KINDS, HARMLESS, FindingKind
from srm_service.monitoring.models import AuditFinding, AuditProven, AuditRun, JobRequest

AuditState = Literal["requested", "running", "done", "failed", "cancelled"]
AuditOutcome = Literal["equal", "counts_agree", "warnings", "different", "unknown"]

_KIND = "audit"
_OPEN = ("requested", "claimed", "running")
_NAMED_TOPICS = 3
_STATES: Mapping[str, AuditState] = {
    "requested": "requested",
    "claimed": "running",
    "running": "running",
    "done": "done",
    "cancelled": "cancelled",
}


class AuditNotOpenError(Exception):
    """The audit has ended, so it cannot be cancelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTopic:
    """One topic of an audit."""

    topic: str
    remote_topic: str
    state: str
    compared: str
    started_ms: int
    ended_ms: int | None
    records_source: int
    records_target: int
    ranges: int
    ranges_bad: int
    findings: Mapping[FindingKind, int]
    filtered_records: int
    local_records: int
    not_compared: tuple[Mapping[str, Any], ...]
    proven_until_ms: int | None
    error: str | None

    @property
    def is_undecided(self) -> bool:
        """True when the topic was not compared to its end, or not in a range without a known reason."""
        nothing_compared = self.ranges == 0 and self.proven_until_ms is None
        return self.state != "done" or nothing_compared or any(each.get("open") for each in self.not_compared)


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """An audit of a flow in any state."""

    id: int
    source: str
    target: str
    state: AuditState
    mode: str
    requested_ms: int | None
    requested_by: str
    scheduled: bool
    done: float | None  # 0 to 1
    text: str
    error: str | None
    topics_asked: int
    first_topics: tuple[str, ...] = ()  # a few of the requested topics
    heard_ms: int | None = None  # while it is open: the last heartbeat of the metrics process, or the request
    topics: tuple[AuditTopic, ...] = field(default=())

    @property
    def findings(self) -> dict[FindingKind, int]:
        """Records by kind over all topics."""
        return {kind: sum(topic.findings[kind] for topic in self.topics) for kind in FINDING_KINDS}

    @property
    def verdict(self) -> AuditOutcome:
        """The result of the audit; `unknown` until every topic has been compared without an unexplained range.

        `counts_agree`: no differences, and of some topics only numbers could be compared.
        """
        findings = self.findings
        if any(count for kind, count in findings.items() if kind not in HARMLESS):
            return "different"
        if self.state != "done" or len(self.topics) < self.topics_asked or any(t.is_undecided for t in self.topics):
            return "unknown"
        if any(findings.values()):
            return "warnings"
        return "counts_agree" if any(topic.compared == "counts" for topic in self.topics) else "equal"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFinding:
    """Consecutive records with one kind of finding, from these offsets."""

    id: int
    topic: str
    partition: int
    kind: str
    source_offset: int | None
    target_offset: int | None
    records: int
    detail: str


def audit_list(flow: FlowId, limit: int, *, beyond: int | None = None, oldest_first: bool = False) -> tuple[Audit, ...]:
    """The newest audits of a flow, newest first, or its oldest ones; only those beyond an id if it is given.

    Two queries.
    """
    jobs = JobRequest.objects.filter(kind=_KIND, target=flow.target).order_by("id" if oldest_first else "-id")
    if beyond is not None:
        jobs = jobs.filter(id__gt=beyond) if oldest_first else jobs.filter(id__lt=beyond)
    own: list[tuple[JobRequest, dict[str, Any]]] = []
    for job in jobs.iterator(chunk_size=limit):
        spec = _object(job.spec)
        if spec.get("source") == flow.source:
            own.append((job, spec))
        if len(own) == limit:
            break
    topics = _topics(job.id for job, _ in own)
    return tuple(_audit(job, spec, topics.get(job.id, ())) for job, spec in own)


def audit_find(flow: FlowId, audit_id: int) -> Audit | None:
    job = JobRequest.objects.filter(kind=_KIND, target=flow.target, id=audit_id).first()
    spec = _object(job.spec) if job is not None else {}
    if job is None or spec.get("source") != flow.source:
        return None
    return _audit(job, spec, _topics([job.id]).get(job.id, ()))


def audit_open(flow: FlowId) -> int | None:
    """The id of this flow's waiting or running audit, or None."""
    for job in JobRequest.objects.filter(kind=_KIND, target=flow.target, state__in=_OPEN):
        if _object(job.spec).get("source") == flow.source:
            return int(job.id)
    return None


def audit_last_requested_ms(flow: FlowId) -> int | None:
    """The time of the flow's newest scheduled audit request, or None."""
    for job in JobRequest.objects.filter(kind=_KIND, target=flow.target).order_by("-id").iterator(chunk_size=100):
        spec = _object(job.spec)
        if spec.get("source") == flow.source and spec.get("scheduled") is True:
            return _number(spec.get("requested_ms"))
    return None


def findings_of(audit_id: int, *, topic: str = "", kinds: Collection[str] = ()) -> QuerySet[AuditFinding]:
    """Return the findings of an audit."""
    found = AuditFinding.objects.filter(job_id=audit_id)
    if topic:
        found = found.filter(topic=topic)
    return found.filter(kind__in=kinds) if kinds else found


def findings_first(audit_id: int, limit: int) -> tuple[tuple[StoredFinding, ...], bool]:
    """Return the first findings in stored order; True if there are more."""
    rows = list(findings_of(audit_id).order_by("id")[: limit + 1])
    return tuple(map(stored_finding, rows[:limit])), len(rows) > limit


def stored_finding(row: AuditFinding) -> StoredFinding:
    return StoredFinding(
        id=row.id,
        topic=row.topic,
        partition=row.partition,
        kind=row.kind,
        source_offset=row.source_offset,
        target_offset=row.target_offset,
        records=row.records,
        detail=row.detail,
    )


def flows_proven_until(flows: Collection[FlowId]) -> dict[FlowId, int]:
    """The time until which each flow's copy is proven equal: the oldest of its audited topics. One query.

    A flow is missing when it was not audited yet, or when a partition has never been proven to its end.
    """
    groups = (
        AuditProven.objects.filter(target__in={flow.target for flow in flows})
        .values("source", "target")
        .annotate(until=Min("proven_ms"), partitions=Count("partition"), known=Count("proven_ms"))
    )
    wanted = set(flows)
    return {
        FlowId(group["source"], group["target"]): group["until"]
        for group in groups
        if FlowId(group["source"], group["target"]) in wanted and group["known"] == group["partitions"]
    }


def audit_request(flow: FlowId, spec: Mapping[str, Any]) -> int:
    """Store a request for the metrics process of the flow's target; returns the audit's number."""
    job = JobRequest.objects.create(kind=_KIND, target=flow.target, state="requested", spec=json.dumps(spec))
    return int(job.id)


def audit_cancel(flow: FlowId, audit_id: int) -> None:
    """Cancel an audit; a running one stops at its next step. Raises AuditNotOpenError."""
    changed = JobRequest.objects.filter(id=audit_id, kind=_KIND, state__in=_OPEN).update(state="cancelled")
    audit = audit_find(flow, audit_id)
    if audit is None or not changed:
        state = "does not exist" if audit is None else f"has already ended ({audit.state})"
        raise AuditNotOpenError(f"audit {audit_id} {state}: there is nothing to cancel")


def _topics(job_ids: Iterable[int]) -> dict[int, tuple[AuditTopic, ...]]:
    found: defaultdict[int, list[AuditTopic]] = defaultdict(list)
    for row in AuditRun.objects.filter(job_id__in=list(job_ids)).order_by("topic"):
        found[row.job_id].append(_topic(row))
    return {job_id: tuple(topics) for job_id, topics in found.items()}


def _topic(row: AuditRun) -> AuditTopic:
    return AuditTopic(
        topic=row.topic,
        remote_topic=row.remote_topic,
        state=row.state,
        compared=row.compared,
        started_ms=row.started_ms,
        ended_ms=row.ended_ms,
        records_source=row.records_source,
        records_target=row.records_target,
        ranges=row.ranges,
        ranges_bad=row.ranges_bad,
        findings={kind: getattr(row, kind) for kind in FINDING_KINDS},
        filtered_records=row.filtered_records,
        local_records=row.local_records,
        not_compared=_stretches(row.not_compared),
        proven_until_ms=row.proven_until_ms,
        error=row.error,
    )


def _audit(job: JobRequest, spec: Mapping[str, Any], topics: tuple[AuditTopic, ...]) -> Audit:
    progress = _object(job.progress or "")
    done = progress.get("done")
    asked = spec.get("topics")
    pairs = asked if isinstance(asked, list) else []
    requested_ms = _number(spec.get("requested_ms"))
    heard_ms = requested_ms if job.heartbeat_ms is None else job.heartbeat_ms
    return Audit(
        id=job.id,
        source=str(spec.get("source", "")),
        target=job.target,
        state=_STATES.get(job.state, "failed"),
        mode=str(spec.get("mode", "full")),
        requested_ms=requested_ms,
        requested_by=str(spec.get("requested_by", "")),
        scheduled=spec.get("scheduled") is True,
        done=float(done) if isinstance(done, int | float) else None,
        text=str(progress.get("text", "")),
        error=job.error,
        topics_asked=len(pairs),
        first_topics=tuple(str(pair[0]) for pair in pairs[:_NAMED_TOPICS]),
        heard_ms=heard_ms if job.state in _OPEN else None,
        topics=topics,
    )


def _stretches(text: str) -> tuple[Mapping[str, Any], ...]:
    try:
        found = json.loads(text or "[]")
    except ValueError:
        return ()
    return tuple(each for each in found if isinstance(each, dict)) if isinstance(found, list) else ()


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
