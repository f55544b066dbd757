"""The report of an audit as Markdown."""

from collections.abc import Iterable, Iterator, Sequence

from replication.domain.reporting.audit_words import FINDING_KINDS
from srm_service.audits.selectors import Audit, AuditTopic, StoredFinding
from srm_service.core.clock import moment_of

_SENTENCES = {
    "equal": "Source and copy hold the same records.",
    "counts_agree": "The numbers of records agree; the flow changes records, so only those can be compared.",
    "warnings": "No differences; some records were copied more than once, or skipped and recorded.",
    "different": "Source and copy differ.",
    "unknown": "The audit has not compared everything.",
}
_COLUMNS = (
    "topic",
    "records",
    *(kind.replace("_", " ") for kind in FINDING_KINDS),
    "filtered",
    "local",
    "proven until",
)


def audit_report(audit: Audit, findings: Sequence[StoredFinding], *, more: bool) -> str:
    """Format the report; `findings` are listed, `more` tells that there are others."""
    return "\n".join(_lines(audit, findings, more=more)) + "\n"


def _lines(audit: Audit, findings: Sequence[StoredFinding], *, more: bool) -> Iterator[str]:
    yield f"# Audit {audit.id} of {audit.source}->{audit.target}"
    yield ""
    yield f"**{_SENTENCES[audit.verdict]}** State: {audit.state}; mode: {audit.mode}."
    yield f"Requested {_moment(audit.requested_ms)} by {audit.requested_by or 'an unknown user'}."
    if audit.error:
        yield f"Error: {audit.error}"
    yield ""
    yield from _table(_COLUMNS, (_topic_row(topic) for topic in audit.topics))
    yield from _not_compared(audit.topics)
    if findings:
        yield ""
        yield "## Findings"
        yield ""
        names = ("topic", "partition", "kind", "source offset", "target offset", "records", "detail")
        yield from _table(names, (_finding_row(finding) for finding in findings))
    if more:
        yield ""
        yield f"These are the first {len(findings)} findings; the REST resource of the audit lists all of them."


def _topic_row(topic: AuditTopic) -> list[str]:
    proven = _moment(topic.proven_until_ms) if topic.proven_until_ms is not None else "not proven"
    name = topic.topic if topic.error is None else f"{topic.topic} ({topic.error})"
    numbers = (*(topic.findings[kind] for kind in FINDING_KINDS), topic.filtered_records, topic.local_records)
    return [name, f"{topic.records_source:,}", *(f"{number:,}" for number in numbers), proven]


def _finding_row(finding: StoredFinding) -> list[str]:
    offsets = ["-" if offset is None else str(offset) for offset in (finding.source_offset, finding.target_offset)]
    return [finding.topic, str(finding.partition), finding.kind, *offsets, f"{finding.records:,}", finding.detail]


def _not_compared(topics: Iterable[AuditTopic]) -> Iterator[str]:
    rows = [
        [topic.topic, *(str(each.get(name)) for name in ("partition", "side", "first", "next", "reason"))]
        for topic in topics
        for each in topic.not_compared
    ]
    if rows:
        yield ""
        yield "## Not compared"
        yield ""
        yield from _table(("topic", "partition", "side", "from", "to", "why"), rows)


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(names)} |"
    yield f"|{'---|' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', '/') for cell in row)} |"


def _moment(time_ms: int | None) -> str:
    if time_ms is None:
        return "at an unknown time"
    return moment_of(time_ms).strftime("%Y-%m-%d %H:%M:%S UTC")
