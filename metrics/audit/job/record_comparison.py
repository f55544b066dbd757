"""Reads bad ranges record by record and says what is wrong with each record."""

import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame

from metrics.audit.coverage import Span, is_covered, within, written_spans
from metrics.audit.findings import Finding
from metrics.audit.fingerprints import Difference
from metrics.audit.islands import Island, batches, blocks, within_limits
from metrics.audit.job.frames import RangePart, contents_of, island_records, island_rows, originals, pieces_of
from metrics.audit.job.rows import TopicRows
from metrics.audit.ranges import FrozenPartition, NotCompared
from metrics.audit.records import HashedRecord, compare, duplicate
from metrics.jobs.context import JobContext
from replication.domain.reporting.audit_words import FindingKind

_MAX_ORIGINALS = 100_000  # looked up in one pass over the source


@dataclass(frozen=True, slots=True)
class Drilled:
    """The result of comparing the bad ranges."""

    findings: list[Finding]
    not_compared: list[NotCompared]
    local: int  # records of others, beyond those that were counted while ranges were compared


@dataclass(frozen=True, slots=True)
class _Stray:
    """An unexpected record, whose content may be at another place in the source."""

    finding: Finding
    content: Hashable


def drill_down(
    context: JobContext, rows: TopicRows, found: Sequence[Island], counted: Mapping[int, Sequence[Span]]
) -> Drilled:
    """Read the islands on both sides and compare them; the too large ones are told by their counts.

    `counted` are the target offsets, by partition, in which all records that no run names were counted as local.
    """
    small, large = within_limits(found)
    too_large = [each for island in large for each in island.differences]
    untold = [each for each in too_large if _is_untold(rows, each)]
    findings = [by_count(each, rows.partition(each.range.partition)) for each in too_large if each not in untold]
    strays: list[_Stray] = []
    local = 0
    for group in batches(blocks(small)):
        context.check_cancelled()
        records = island_records(_islands_frame(rows, group))
        for island in itertools.chain(*group):
            ours = records.get(("source", island.number), [])
            everything = records.get(("target", island.number), [])
            theirs = _copies(rows, island, ours, everything)
            differing = compare(island.partition, ours, theirs)
            own = [each for each in differing if not _is_local(rows, each)]
            local += len(everything) - len(theirs) + len(differing) - len(own)
            local -= _counted(rows, island, everything, counted.get(island.partition, ()))
            findings += [each for each in own if each.kind != "unexpected"]
            strays += _strays(own, theirs)
    return Drilled([*findings, *_told_apart(context, rows, strays)], [_untold(each) for each in untold], local)


def _is_untold(rows: TopicRows, each: Difference) -> bool:
    """True if records that no run names may be copies whose runs were lost, or those of another writer."""
    at = each.range
    if not rows.spec.shared:
        return False
    is_short = each.surplus < 0 and bool(rows.not_read(at.partition, at.source_from, at.source_to))
    return is_short or not rows.counts_local(at)


def _untold(each: Difference) -> NotCompared:
    at = each.range
    reason = "too much to be read record by record, and no offset run says what was copied"
    return NotCompared(
        partition=at.partition, side="source", first=at.source_from, next=at.source_to, reason=reason, open=True
    )


def by_count(each: Difference, partition: FrozenPartition) -> Finding:
    """All that can be said of a range without looking at its records."""
    at = each.range
    written = within(written_spans(partition.runs), at.target_from, at.target_to)
    copied_again = sum(following - first for first, following in written) - (at.source_to - at.source_from)
    kind: FindingKind = "changed"
    if each.surplus < 0:
        kind = "missing"
    elif each.surplus > 0:
        kind = "duplicate" if each.surplus <= copied_again else "unexpected"
    return Finding(
        partition=at.partition,
        kind=kind,
        source_offset=at.source_from,
        target_offset=at.target_from,
        records=abs(each.surplus) or each.source.count,
        detail=f"somewhere in source offsets {at.source_from} to {at.source_to - 1}, told by the count",
    )


def _islands_frame(rows: TopicRows, group: Iterable[list[Island]]) -> DataFrame:
    """One read per side holds at most one block of each partition."""
    by_partition: defaultdict[int, list[list[Island]]] = defaultdict(list)
    for block in group:
        by_partition[block[0].partition].append(block)
    parts: list[DataFrame] = []
    for wave in itertools.zip_longest(*by_partition.values()):
        parts += _wave_frames(rows, [block for block in wave if block is not None])
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.unionByName(part)
    return whole


def _wave_frames(rows: TopicRows, wave: Sequence[list[Island]]) -> list[DataFrame]:
    source = {each[0].partition: (each[0].source_from, each[-1].source_to) for each in wave}
    target = {each[0].partition: (each[0].target_from, each[-1].target_to) for each in wave}
    source_pieces = [
        piece
        for block in wave
        for each in block
        for piece in pieces_of(
            each.partition, each.number, rows.expected(each.partition, each.source_from, each.source_to)
        )
    ]
    target_pieces = [
        RangePart(each.partition, each.target_from, each.target_to, each.number) for block in wave for each in block
    ]
    return [
        island_rows(rows.assigned("source", source, source_pieces), "source"),
        island_rows(rows.assigned("target", target, target_pieces), "target"),
    ]


def _copies(
    rows: TopicRows, island: Island, ours: Iterable[HashedRecord], theirs: Sequence[HashedRecord]
) -> Sequence[HashedRecord]:
    """Return the target records that runs name or the source has too; with other writers, the rest is local."""
    if not rows.spec.shared:
        return theirs
    contents = {record.content for record in ours}
    written = rows.written(island.partition)
    return [each for each in theirs if is_covered(written, each.offset) or each.content in contents]


def _is_local(rows: TopicRows, finding: Finding) -> bool:
    """True for a record that the flow did not write, in a topic to which others write as well."""
    offset = finding.target_offset
    if not rows.spec.shared or finding.kind not in ("unexpected", "duplicate") or offset is None:
        return False
    return not is_covered(rows.written(finding.partition), offset)


def _counted(rows: TopicRows, island: Island, theirs: Iterable[HashedRecord], counted: Sequence[Span]) -> int:
    """Return the number of records that are counted as local already."""
    written = rows.written(island.partition)
    return sum(1 for each in theirs if is_covered(counted, each.offset) and not is_covered(written, each.offset))


def _strays(findings: Iterable[Finding], theirs: Iterable[HashedRecord]) -> list[_Stray]:
    contents = {record.offset: record.content for record in theirs}
    return [
        _Stray(each, contents[each.target_offset])
        for each in findings
        if each.kind == "unexpected" and each.target_offset is not None
    ]


def _told_apart(context: JobContext, rows: TopicRows, strays: Sequence[_Stray]) -> list[Finding]:
    """Unexpected records whose content is at another place in the source were copied again, far from the first copy."""
    wanted = sorted({(each.finding.partition, each.content) for each in strays}, key=repr)
    found: dict[tuple[int, Hashable], int] = {}
    for start in range(0, len(wanted), _MAX_ORIGINALS):
        context.check_cancelled()
        some = wanted[start : start + _MAX_ORIGINALS]
        partitions = [rows.partition(number) for number in {number for number, _ in some}]
        source = rows.hashed("source", {each.partition: (each.source_start, each.end.upstream) for each in partitions})
        names = contents_of(source)
        for row in originals(rows.session, source, some).collect():
            found[row.partition, tuple(row[name] for name in names)] = row.offset
    return [_classified(each, found) for each in strays]


def _classified(stray: _Stray, found: dict[tuple[int, Hashable], int]) -> Finding:
    finding = stray.finding
    source_offset = found.get((finding.partition, stray.content))
    if source_offset is None or finding.target_offset is None:
        return finding
    return duplicate(finding.partition, source_offset, finding.target_offset)
