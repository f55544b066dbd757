"""The groups and heads of a batch added up: reaches of partitions, tiles by level, what was read. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metrics.counting.coverage import extended
from metrics.counting.group_rows import ReadSummary, SeqKey, SeriesKey, TileGroup, flow_of
from metrics.counting.rollup_totals import newer
from metrics.counting.series_state import PartitionProgress, SeriesState
from metrics.counting.side_records import SideSums
from metrics.counting.sums.tile_sums import TileSums
from replication.domain.reporting.metric_defs import TileLevel

TileKey = tuple[SeriesKey, int]  # and the start of the 10 s tile
Tiles = dict[TileLevel, dict[TileKey, TileSums]]

TILE_MS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRecords:
    """Records of one raw partition that could not be counted."""

    count: int
    sample: str


def extend_reaches(groups: Iterable[TileGroup], series_state: SeriesState) -> dict[SeriesKey, PartitionProgress]:
    """Extend each series by its ranges, in order. The tile of a range gets the holes and overlaps that it shows."""
    by_series: defaultdict[SeriesKey, list[TileGroup]] = defaultdict(list)
    for group in groups:
        by_series[group.key].append(group)
    states: dict[SeriesKey, PartitionProgress] = {}
    for key, own in by_series.items():
        before = series_state.state(key)
        reach = before.reach if before else None
        for group, start, end in _in_order(own):
            reach, (covered, hole, overlap) = extended(reach, group.topic_id, start, end)
            group.sums.covered_offsets += covered
            group.sums.hole_offsets += hole
            group.sums.overlap_offsets += overlap
        if reach is not None:
            last = own[0] if len(own) == 1 else max(own, key=_raw_order)
            states[key] = PartitionProgress(reach, newer(before.now if before else None, last.now))
    return states


def _in_order(groups: Sequence[TileGroup]) -> list[tuple[TileGroup, int, int]]:
    """Return ranges in the order of their reports: by raw partition, the earliest first, then by raw offset.

    A series has two raw partitions in a batch only when it moved to another task in that moment.
    """
    if len(groups) == 1:
        return [(groups[0], span.start, span.end) for span in groups[0].spans]
    began: dict[tuple[str, int], int] = {}
    for group in groups:
        began[group.raw] = min(group.first_ms, began.get(group.raw, group.first_ms))
    ranked = sorted(
        (began[group.raw], group.raw, span.raw_offset, span.position, index, span)
        for index, group in enumerate(groups)
        for span in group.spans
    )
    return [(groups[index], span.start, span.end) for *_, index, span in ranked]


def _raw_order(group: TileGroup) -> tuple[int, tuple[str, int], tuple[int, int]]:
    """Return the place of a group's last report. A record may hold two ranges of a re-created source topic."""
    return (group.now.last_ms, group.raw, group.spans[-1][:2])


def add_up(groups: Iterable[TileGroup]) -> Tiles:
    """Add partitions up to their topics, and topics to their flows."""
    partitions: dict[TileKey, TileSums] = {}
    topics: dict[TileKey, TileSums] = {}
    flows: dict[TileKey, TileSums] = {}
    for group in groups:
        _sums_at(topics, (group.topic, group.time_ms)).merge_counts(group.sums)
        mine = partitions.setdefault((group.key, group.time_ms), group.sums)
        if mine is not group.sums:
            mine.merge(group.sums)
    for (key, time_ms), sums in topics.items():
        _sums_at(flows, (flow_of(key), time_ms)).merge_counts(sums)
    return {"partition": partitions, "topic": topics, "flow": flows, "group": {}}


def _sums_at(tiles: dict[TileKey, TileSums], at: TileKey) -> TileSums:
    found = tiles.get(at)
    if found is None:
        found = tiles[at] = TileSums()
    return found


def as_reported(groups: list[TileGroup]) -> list[TileGroup]:
    """Return a topic's groups of one tile in the order of their reports; a partition may have several."""
    if len({group.key.partition for group in groups}) == len(groups):
        return groups
    return sorted(groups, key=_raw_order)


def read_of(heads: Iterable[ReadSummary]) -> dict[tuple[str, int], tuple[int, int]]:
    read: dict[tuple[str, int], tuple[int, int]] = {}
    for head in heads:
        raw = (head.topic, head.partition)
        first, following = read.get(raw, (head.first_offset, 0))
        read[raw] = (min(first, head.first_offset), max(following, head.last_offset + 1))
    return read


def seqs_of(heads: Iterable[ReadSummary]) -> dict[SeqKey, tuple[int, int]]:
    """Return the highest sequence number of each task and boot in each raw partition."""
    seqs: dict[SeqKey, tuple[int, int]] = {}
    for head in heads:
        if head.task is not None and head.boot is not None and head.seq is not None:
            key, found = SeqKey(head.task, head.boot, head.partition), (head.seq, head.last_ms or 0)
            seqs[key] = max(found, seqs.get(key, found))
    return seqs


def bad_of(heads: Sequence[ReadSummary], side: SideSums) -> dict[tuple[str, int], BadRecords]:
    bad: dict[tuple[str, int], BadRecords] = {}
    unreadable = [(heads[index], 1, sample) for index, sample in side.bad]
    for head, count, sample in [*((head, head.bad, head.sample) for head in heads if head.bad), *unreadable]:
        raw = (head.topic, head.partition)
        earlier = bad.get(raw)
        bad[raw] = BadRecords(count=count + (earlier.count if earlier else 0), sample=sample or "")
    return bad
