"""Combines the results of all audits of a flow by topic. Pure.

A difference remains until a later audit has compared the same records and found none. Audits of other topics,
samples, limited audits, and audits cancelled before they reached the topic do not clear it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from replication.domain.reporting.audit_words import HARMLESS, FindingKind
from srm_service.audits.selectors import AuditOutcome

ResultKind = Literal["full", "incremental", "found", "found_unproven"]
"""`full`, `incremental`: compared to the end, no difference. `found`: a difference that holds back the proof, so that
an incremental audit compares its records again. `found_unproven`: a difference that does not (of a sample or a full
count), so that only a full audit does."""

WORST_FIRST: tuple[AuditOutcome, ...] = ("different", "unknown", "warnings", "counts_agree", "equal")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicResult:
    """One topic in one audit that compared it."""

    kind: ResultKind
    audit_id: int
    at_ms: int
    compared: str
    findings: Mapping[FindingKind, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedResult:
    """The combined result of a topic; None and `unknown` when no audit has compared it to its end."""

    topic: str
    verdict: AuditOutcome
    audit_id: int | None = None
    at_ms: int | None = None
    findings: Mapping[FindingKind, int] | None = None


def combined_result(topic: str, results: Iterable[TopicResult]) -> CombinedResult:
    """Combine the newest result of each kind; older results are ignored."""
    newest = {result.kind: result for result in sorted(results, key=_audit_id)}
    full, incremental = newest.get("full"), newest.get("incremental")
    whole = max((each for each in (full, incremental) if each is not None), key=_audit_id, default=None)
    standing = [
        *_standing(newest.get("found"), cleared_by=whole),
        *_standing(newest.get("found_unproven"), cleared_by=full),
    ]
    last = max(standing, key=_audit_id, default=whole)
    if last is None:
        return CombinedResult(topic=topic, verdict="unknown")
    return CombinedResult(
        topic=topic, verdict=_outcome_of(last), audit_id=last.audit_id, at_ms=last.at_ms, findings=last.findings
    )


def worst_result(topics: Sequence[CombinedResult]) -> AuditOutcome:
    """The verdict of a flow with these topics; `unknown` without topics."""
    found = {topic.verdict for topic in topics}
    return next((verdict for verdict in WORST_FIRST if verdict in found), "unknown")


def _standing(found: TopicResult | None, *, cleared_by: TopicResult | None) -> list[TopicResult]:
    if found is None or (cleared_by is not None and cleared_by.audit_id > found.audit_id):
        return []
    return [found]


def _outcome_of(result: TopicResult) -> AuditOutcome:
    found = {kind for kind, records in result.findings.items() if records}
    if found - HARMLESS:
        return "different"
    if found:
        return "warnings"
    return "counts_agree" if result.compared == "counts" else "equal"


def _audit_id(result: TopicResult) -> int:
    return result.audit_id
