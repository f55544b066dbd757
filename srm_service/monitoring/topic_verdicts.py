"""What all audits of a flow together say of each of its topics. Pure.

A difference stands until a later audit has looked at the same records and found none; an audit of other topics, one
that was cancelled before it came to the topic, a sample or a limited one takes nothing back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from srm_service.monitoring.audits import HARMLESS, FindingKind, Verdict

ResultKind = Literal["full", "incremental", "found", "found_aside"]
"""`full`, `incremental`: compared to the end, no difference. `found`: a difference that holds the proof, so that an
incremental audit looks there again. `found_aside`: one that does not (a sample's, a full count's), so that only a full
audit does."""

WORST_FIRST: tuple[Verdict, ...] = ("different", "unknown", "warnings", "counts_agree", "equal")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicResult:
    """One topic in one audit that compared it."""

    kind: ResultKind
    audit_id: int
    at_ms: int
    compared: str
    findings: Mapping[FindingKind, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicVerdict:
    """Where a topic stands; None and `unknown` where no audit has compared it to its end."""

    topic: str
    verdict: Verdict
    audit_id: int | None = None
    at_ms: int | None = None
    findings: Mapping[FindingKind, int] | None = None


def topic_verdict(topic: str, results: Iterable[TopicResult]) -> TopicVerdict:
    """From the newest result of each kind; further ones do no harm."""
    newest = {result.kind: result for result in sorted(results, key=_audit_id)}
    full, incremental = newest.get("full"), newest.get("incremental")
    whole = max((each for each in (full, incremental) if each is not None), key=_audit_id, default=None)
    standing = [
        *_standing(newest.get("found"), cleared_by=whole),
        *_standing(newest.get("found_aside"), cleared_by=full),
    ]
    last = max(standing, key=_audit_id, default=whole)
    if last is None:
        return TopicVerdict(topic=topic, verdict="unknown")
    return TopicVerdict(
        topic=topic, verdict=_verdict(last), audit_id=last.audit_id, at_ms=last.at_ms, findings=last.findings
    )


def worst_verdict(topics: Sequence[TopicVerdict]) -> Verdict:
    """The verdict of a flow with these topics; of one without topics nothing is known."""
    found = {topic.verdict for topic in topics}
    return next((verdict for verdict in WORST_FIRST if verdict in found), "unknown")


def _standing(found: TopicResult | None, *, cleared_by: TopicResult | None) -> list[TopicResult]:
    if found is None or (cleared_by is not None and cleared_by.audit_id > found.audit_id):
        return []
    return [found]


def _verdict(result: TopicResult) -> Verdict:
    found = {kind for kind, records in result.findings.items() if records}
    if found - HARMLESS:
        return "different"
    if found:
        return "warnings"
    return "counts_agree" if result.compared == "counts" else "equal"


def _audit_id(result: TopicResult) -> int:
    return result.audit_id
