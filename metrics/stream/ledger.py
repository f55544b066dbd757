"""Compares the offset ledger with the cluster. Pure: decides the offsets to start at, and the ranges that are lost.

Only the topic id tells that a topic was re-created: Spark and the broker continue at the old offset silently.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

RawPartition = tuple[str, int]
IngestGapCause = Literal["topic_recreated", "retention", "truncated"]


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """The tiles contain a raw partition of this topic id up to `next_offset`."""

    topic_id: str
    next_offset: int


@dataclass(frozen=True, slots=True)
class RawLog:
    """A raw partition as the cluster has it."""

    topic_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RawGap:
    """Raw metrics that will never be counted; `to_offset` None where their number is unknown."""

    topic: str
    partition: int
    topic_id: str
    from_offset: int
    to_offset: int | None
    cause: IngestGapCause


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciled:
    """The entries to write into the ledger before reading, and where reading starts for every partition that exists."""

    ledger: Mapping[RawPartition, LedgerEntry]
    gaps: tuple[RawGap, ...]
    starts: Mapping[RawPartition, int]


def reconciled(ledger: Mapping[RawPartition, LedgerEntry], logs: Mapping[RawPartition, RawLog]) -> Reconciled:
    """Compare ledger and cluster. Topics that are gone keep their entries, or their re-creation would go unseen."""
    entries = dict(ledger)
    gaps: list[RawGap] = []
    topic_ids = {topic: log.topic_id for (topic, _), log in logs.items()}
    for raw in sorted(ledger.keys() - logs.keys()):
        topic_id = topic_ids.get(raw[0], ledger[raw].topic_id)
        if topic_id != ledger[raw].topic_id:  # made again with fewer partitions
            gaps.append(_recreated(raw, ledger[raw]))
            entries[raw] = LedgerEntry(topic_id, 0)
    for raw, log in logs.items():
        entry = ledger.get(raw)
        if entry is None:
            entries[raw] = LedgerEntry(log.topic_id, log.start)
            continue
        gap = _gap(raw, entry, log)
        if gap is not None:
            gaps.append(gap)
            entries[raw] = LedgerEntry(log.topic_id, log.end if gap.cause == "truncated" else log.start)
    starts = {raw: entries[raw].next_offset for raw in logs}
    return Reconciled(ledger=entries, gaps=tuple(gaps), starts=starts)


def _gap(raw: RawPartition, entry: LedgerEntry, log: RawLog) -> RawGap | None:
    if entry.topic_id != log.topic_id:
        return _recreated(raw, entry)
    if entry.next_offset < log.start:
        return _lost_range(raw, entry, entry.next_offset, log.start, "retention")
    if entry.next_offset > log.end:
        return _lost_range(raw, entry, log.end, None, "truncated")
    return None


def _recreated(raw: RawPartition, entry: LedgerEntry) -> RawGap:
    return _lost_range(raw, entry, entry.next_offset, None, "topic_recreated")


def _lost_range(
    raw: RawPartition, entry: LedgerEntry, from_offset: int, to_offset: int | None, cause: IngestGapCause
) -> RawGap:
    topic, partition = raw
    return RawGap(
        topic=topic,
        partition=partition,
        topic_id=entry.topic_id,
        from_offset=from_offset,
        to_offset=to_offset,
        cause=cause,
    )


def skipped(
    read: Mapping[RawPartition, tuple[int, int]], ledger: Mapping[RawPartition, LedgerEntry]
) -> dict[RawPartition, tuple[int, int]]:
    """Return the ranges that a batch passed over: control records, aborted data, or lost records."""
    return {
        raw: (ledger[raw].next_offset, first)
        for raw, (first, _) in read.items()
        if raw in ledger and first > ledger[raw].next_offset
    }


def lost(
    passed_over: Mapping[RawPartition, tuple[int, int]],
    ledger: Mapping[RawPartition, LedgerEntry],
    log_starts: Mapping[RawPartition, int],
) -> tuple[RawGap, ...]:
    """Return the parts of these ranges that retention deleted before they were read."""
    return tuple(
        RawGap(
            topic=raw[0],
            partition=raw[1],
            topic_id=ledger[raw].topic_id,
            from_offset=start,
            to_offset=min(end, log_starts[raw]),
            cause="retention",
        )
        for raw, (start, end) in passed_over.items()
        if log_starts.get(raw, 0) > start
    )


def raw_lag(ledger: Mapping[RawPartition, LedgerEntry], logs: Mapping[RawPartition, RawLog]) -> int:
    """Return the number of raw offsets that exist and are not counted yet."""
    return sum(max(0, log.end - _counted_to(ledger.get(raw), log)) for raw, log in logs.items())


def _counted_to(entry: LedgerEntry | None, log: RawLog) -> int:
    """A partition that is new, or whose topic was re-created, is read from its start."""
    return log.start if entry is None or entry.topic_id != log.topic_id else max(entry.next_offset, log.start)
