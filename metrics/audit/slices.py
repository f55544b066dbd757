"""Cuts the work of an audit into Spark jobs: every partition reads one block per job. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metrics.audit.coverage import Span
from metrics.audit.ranges import OffsetRange

MAX_SLICE_OFFSETS = 2_000_000  # source offsets of a job; between jobs an audit can be cancelled and slowed down
_RATE_SLICE_S = 5
_SAMPLE_BLOCK = 16  # neighbouring ranges that a sample takes together: single ones cost more to reach than to read


@dataclass(frozen=True, slots=True)
class Slice:
    """Ranges of one job; those of a partition follow each other without a hole."""

    ranges: tuple[OffsetRange, ...]

    @property
    def source(self) -> dict[int, Span]:
        """The offsets to read of the source, by partition."""
        spans: dict[int, Span] = {}
        for each in self.ranges:
            first, _ = spans.get(each.partition, (each.source_from, 0))
            spans[each.partition] = (first, each.source_to)
        return spans

    @property
    def target(self) -> dict[int, Span]:
        """The offsets to read of the target, by partition."""
        spans: dict[int, Span] = {}
        for each in self.ranges:
            first, _ = spans.get(each.partition, (each.target_from, 0))
            spans[each.partition] = (first, each.target_to)
        return spans

    @property
    def offsets(self) -> int:
        """Of both sides."""
        return sum(each.offsets for each in self.ranges)


def slice_offsets(records_per_second: int | None) -> int:
    """Source offsets per job; small ones when the audit is held to a rate, so that its load is even."""
    if records_per_second is None:
        return MAX_SLICE_OFFSETS
    return max(1, min(MAX_SLICE_OFFSETS, records_per_second * _RATE_SLICE_S // 2))


def slices(ranges: Sequence[OffsetRange], max_offsets: int) -> Iterator[Slice]:
    """The k-th block of every partition together, until all are through."""
    by_partition: defaultdict[int, list[OffsetRange]] = defaultdict(list)
    for each in ranges:
        by_partition[each.partition].append(each)
    share = max(1, max_offsets // max(1, len(by_partition)))
    blocks = [list(_blocks(own, share)) for own in by_partition.values()]
    for step in range(max(map(len, blocks), default=0)):
        yield Slice(tuple(each for own in blocks if step < len(own) for each in own[step]))


def _blocks(ranges: Sequence[OffsetRange], share: int) -> Iterator[list[OffsetRange]]:
    block: list[OffsetRange] = []
    for each in ranges:
        breaks = bool(block) and (each.number != block[-1].number + 1 or each.source_to - block[0].source_from > share)
        if breaks:
            yield block
            block = []
        block.append(each)
    if block:
        yield block


def sampled(ranges: Sequence[OffsetRange], one_in: int, turn: int) -> list[OffsetRange]:
    """One block of ranges in `one_in`, another one at each turn."""
    return [each for each in ranges if (each.number // _SAMPLE_BLOCK + turn) % one_in == 0]
