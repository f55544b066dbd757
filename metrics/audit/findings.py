"""The findings of an audit, in words an operator can act on. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from replication.domain.reporting.audit_words import FindingKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One record, or `records` neighbours from these offsets on; None where that side has no such record."""

    partition: int
    kind: FindingKind
    source_offset: int | None
    target_offset: int | None
    records: int = 1
    detail: str = ""


def joined(findings: Iterable[Finding]) -> list[Finding]:
    """Join neighbours of one kind to one finding, in the order of the offsets."""
    result: list[Finding] = []
    for finding in sorted(findings, key=_place):
        last = result[-1] if result else None
        if last is not None and _continues(last, finding):
            result[-1] = replace(last, records=last.records + finding.records)
        else:
            result.append(finding)
    return result


def _place(finding: Finding) -> tuple[int, str, int, int]:
    return (finding.partition, finding.kind, finding.source_offset or 0, finding.target_offset or 0)


def _continues(last: Finding, finding: Finding) -> bool:
    same = (last.partition, last.kind, last.detail) == (finding.partition, finding.kind, finding.detail)
    return (
        same
        and _next_is(last.source_offset, last.records, finding.source_offset)
        and _next_is(last.target_offset, last.records, finding.target_offset)
    )


def _next_is(offset: int | None, records: int, following: int | None) -> bool:
    return following is None if offset is None else following == offset + records
