"""Bad ranges with their neighbours: what is read again record by record. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metrics.audit.fingerprints import Difference
from metrics.audit.ranges import OffsetRange

MAX_ISLAND_OFFSETS = 300_000  # both sides together; a larger difference is reported by its counts
MAX_DRILL_OFFSETS = 3_000_000  # of a topic in one audit

_STRETCHES_PER_JOB = 32  # each is one more read
_NEAR_OFFSETS = 250_000  # reading so many for nothing costs as much as one more read


@dataclass(frozen=True, slots=True, kw_only=True)
class Island:
    """Neighbouring ranges of a partition, read as one."""

    number: int
    partition: int
    source_from: int
    source_to: int
    target_from: int
    target_to: int
    differences: tuple[Difference, ...]

    @property
    def offsets(self) -> int:
        return (self.source_to - self.source_from) + (self.target_to - self.target_from)


def islands(ranges: Sequence[OffsetRange], found: Sequence[Difference]) -> list[Island]:
    """Each bad range with one good range on either side, so that a record moved over a border is seen on both."""
    by_number = {difference.range.number: difference for difference in found}
    wanted = {number + step for number in by_number for step in (-1, 0, 1)}
    groups: list[list[OffsetRange]] = []
    for each in ranges:
        if each.number not in wanted:
            continue
        last = groups[-1][-1] if groups else None
        if last is not None and last.partition == each.partition and last.number == each.number - 1:
            groups[-1].append(each)
        else:
            groups.append([each])
    result = [_island(number, group, by_number) for number, group in enumerate(groups)]
    return [island for island in result if island.differences]


def _island(number: int, group: Sequence[OffsetRange], found: dict[int, Difference]) -> Island:
    return Island(
        number=number,
        partition=group[0].partition,
        source_from=group[0].source_from,
        source_to=group[-1].source_to,
        target_from=group[0].target_from,
        target_to=group[-1].target_to,
        differences=tuple(found[each.number] for each in group if each.number in found),
    )


def within_limits(found: Sequence[Island]) -> tuple[list[Island], list[Island]]:
    """Those to be read record by record, and those that are too much."""
    small: list[Island] = []
    large: list[Island] = []
    taken = 0
    for island in found:
        if island.offsets <= MAX_ISLAND_OFFSETS and taken + island.offsets <= MAX_DRILL_OFFSETS:
            small.append(island)
            taken += island.offsets
        else:
            large.append(island)
    return small, large


def blocks(found: Sequence[Island]) -> list[list[Island]]:
    """Islands of a partition that lie near each other are read together."""
    result: list[list[Island]] = []
    for island in found:
        last = result[-1][-1] if result else None
        if last is not None and last.partition == island.partition and _is_near(last, island):
            result[-1].append(island)
        else:
            result.append([island])
    return result


def _is_near(island: Island, following: Island) -> bool:
    return following.source_from - island.source_to <= _NEAR_OFFSETS


def batches(found: Sequence[list[Island]]) -> Iterator[list[list[Island]]]:
    """Stretches of one Spark job: their records are in memory together."""
    batch: list[list[Island]] = []
    offsets = 0
    for block in found:
        size = sum(island.offsets for island in block)
        if batch and (offsets + size > MAX_ISLAND_OFFSETS or len(batch) == _STRETCHES_PER_JOB):
            yield batch
            batch, offsets = [], 0
        batch.append(block)
        offsets += size
    if batch:
        yield batch
