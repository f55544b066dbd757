"""Adds up offsets, bad records, sequence numbers and side records of raw partitions. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from metrics.counting.batch import BadRecords, bad_of, read_of, seqs_of
from metrics.counting.group_rows import ReadSummary, SeqKey
from metrics.counting.side_records import SideSums, side_sums

RawPartition = tuple[str, int]
Boot = tuple[str, str]  # a task and one start of it


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadTotals:
    """The sums over the heads of some raw partitions."""

    read: Mapping[RawPartition, tuple[int, int]] = field(default_factory=dict)  # [first, next)
    bad: Mapping[RawPartition, BadRecords] = field(default_factory=dict)
    seqs: Mapping[SeqKey, tuple[int, int]] = field(default_factory=dict)  # seq and last_ms
    gaps: Sequence[Mapping[str, Any]] = ()
    side: SideSums = field(default_factory=SideSums)
    seqs_read: Mapping[Boot, tuple[int, int]] = field(default_factory=dict)

    @property
    def raw_topics(self) -> set[str]:
        return {topic for topic, _ in self.read}


def head_totals(heads: Sequence[ReadSummary]) -> list[HeadTotals]:
    """The totals of each raw partition, in order; `heads` come in raw order."""
    return [_of_partition(list(own)) for _, own in groupby(heads, key=lambda head: (head.topic, head.partition))]


def _of_partition(heads: Sequence[ReadSummary]) -> HeadTotals:
    side = side_sums((index, record) for index, head in enumerate(heads) for record in head.side)
    return HeadTotals(
        read=read_of(heads),
        bad=bad_of(heads, side),
        seqs=seqs_of(heads),
        gaps=[gap for head in heads for gap in head.gaps],
        side=side,
        seqs_read={
            (head.task, head.boot): head.seqs_read
            for head in heads
            if head.seqs_read is not None and head.task is not None and head.boot is not None
        },
    )


def united_heads(parts: Iterable[HeadTotals]) -> HeadTotals:
    """Combine totals of different raw partitions, as if all had been read in raw order."""
    read: dict[RawPartition, tuple[int, int]] = {}
    bad: dict[RawPartition, BadRecords] = {}
    seqs: dict[SeqKey, tuple[int, int]] = {}
    gaps: list[Mapping[str, Any]] = []
    side = SideSums()
    for part in sorted(parts, key=lambda each: min(each.read)):
        read |= part.read
        bad |= part.bad
        gaps += part.gaps
        side.merge(part.side)
        for key, found in part.seqs.items():
            seqs[key] = max(found, seqs.get(key, found))
    return HeadTotals(read=read, bad=bad, seqs=seqs, gaps=gaps, side=side)


def needs_one_guard(parts: Sequence[HeadTotals]) -> bool:
    """Return True if a record may be repeated across tasks; each task guards only its own records.

    A start of a task numbers its records once. Its numbers in two raw partitions lie apart when partitions were added;
    where they overlap, only a task that sees both partitions can tell repeats. The same holds for a raw partition that
    two tasks have read.
    """
    ranges: dict[Boot, list[tuple[int, int]]] = {}
    raws: set[RawPartition] = set()
    for part in parts:
        if not raws.isdisjoint(part.read):
            return True
        raws.update(part.read)
        for boot, found in part.seqs_read.items():
            own = ranges.setdefault(boot, [])
            if any(found[0] <= highest and lowest <= found[1] for lowest, highest in own):
                return True
            own.append(found)
    return False
