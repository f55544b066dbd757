"""The tiles that a backfill replaces, the check that the raw topics still hold their records, and the steps. Pure.

Whole hours only, and only hours that the roll-up has passed: then each width holds the range completely, so replacing
it in all widths at once counts nothing twice.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from metrics.counting.group_rows import SeriesKey
from metrics.counting.rollup_totals import HEARD_WITHIN_MS
from metrics.counting.series_state import SeriesState
from metrics.counting.tile_sums import TileSums
from metrics.errors import JobError
from metrics.schemas import LEVELS
from metrics.store.tile_writer import IdTiles
from metrics.stream.ledger import RawPartition
from metrics.time_format import iso_time
from replication.domain.reporting.metric_defs import WIDTHS_MS, TileLevel, TileWidth

HOUR_MS = WIDTHS_MS["1h"]
LONGEST_MS = 48 * HOUR_MS
TEN_SECONDS_SAFE_MS = 90 * 60_000  # younger than this the 10 s tiles are kept for sure
# Held in memory until they replace the old ones, on top of the stream's 0.7 GB: 2.7 kB each, 4 kB at worst.
MOST_TILES = 100_000
_CUT_MS = 60_000

Offsets = Mapping[RawPartition, int]
Tiles = dict[TileLevel, dict[tuple[SeriesKey, int], TileSums]]
_FEWER_OR_LATER = "ask for fewer hours, or when they are 90 minutes old: they are then counted by the minute"
REPLACED: tuple[TileLevel, ...] = tuple(level for level in LEVELS if level != "group")


@dataclass(frozen=True, slots=True)
class HourRange:
    """Whole hours [from_ms, to_ms)."""

    from_ms: int
    to_ms: int

    def holds(self, time_ms: int) -> bool:
        return self.from_ms <= time_ms < self.to_ms


def wanted_range(spec: Mapping[str, Any], rolled_to_ms: int) -> HourRange:
    """The whole hours that touch the range asked for. JobError says what to ask for instead."""
    from_ms, to_ms = spec.get("from_ms"), spec.get("to_ms")
    if not isinstance(from_ms, int) or not isinstance(to_ms, int) or from_ms < 0:
        raise JobError("a backfill needs from_ms and to_ms in epoch milliseconds")
    if from_ms >= to_ms:
        raise JobError(f"the range begins at {iso_time(from_ms)}, which is not before its end at {iso_time(to_ms)}")
    found = HourRange(from_ms - from_ms % HOUR_MS, to_ms + (-to_ms) % HOUR_MS)
    if found.to_ms > rolled_to_ms:
        raise JobError(
            f"the range reaches to {iso_time(found.to_ms)}, but only whole hours that have passed and are rolled up "
            f"can be replaced: end it at {iso_time(rolled_to_ms)} or earlier"
        )
    if found.to_ms - found.from_ms > LONGEST_MS:
        raise JobError(
            f"the range from {iso_time(found.from_ms)} to {iso_time(found.to_ms)} is longer than 48 hours: "
            "ask for several"
        )
    return found


def check_complete(topic: str, partition: int, *, log_start: int, first_in_range: int | None) -> None:
    """JobError when records of the range may have been deleted: the log begins inside of it."""
    if log_start > 0 and (first_in_range is None or first_in_range <= log_start):
        raise JobError(
            f"{topic} partition {partition} begins after the start of the range: its raw metrics have expired, "
            "so the tiles that are there are better than what can be counted again"
        )


def cut_times(wanted: HourRange) -> range:
    """When to cut the reading, epoch ms: each minute until what was sent in time has come."""
    return range(wanted.from_ms, wanted.to_ms + HEARD_WITHIN_MS + 1, _CUT_MS)


def steps(starts: Offsets, cuts: Iterable[Offsets], most: Callable[[], int]) -> Iterator[Offsets]:
    """Yield the end of each step of the reading: a cut, unless more than `most()` records lie before it.

    `cuts` have an offset for each partition of `starts`; they are asked for as they are needed, and the last one is
    the end. A cut is one time in all raw partitions. A topic's lag is the sum of what partitions report in several of
    them, so they are read abreast of each other: with as many records from each one, a full one would be hours behind
    an empty one. What is too much between two cuts is divided in the same proportion everywhere.
    """
    at = fitting = starts
    for found in cuts:
        cut = {raw: max(offset, found[raw]) for raw, offset in fitting.items()}
        if fitting != at and _between(at, cut) > most():
            yield fitting
            at = fitting
        while (count := _between(at, cut)) > (bound := most()):
            parts = -(-count // bound)
            at = {raw: offset - (offset - cut[raw]) // parts for raw, offset in at.items()}  # rounded up
            yield at
        fitting = cut
    if fitting != at:
        yield fitting


def _between(start: Offsets, end: Offsets) -> int:
    return sum(end[raw] - offset for raw, offset in start.items())


class Recount:
    """Adds up batches of the range in the finest width that is written."""

    def __init__(self, wanted: HourRange, width: TileWidth) -> None:
        self.series_state = SeriesState()
        self.tiles: Tiles = {level: {} for level in REPLACED}
        self._range = wanted
        self._width: TileWidth = width
        self._width_ms = WIDTHS_MS[width]
        self._lag_ms: dict[tuple[TileLevel, SeriesKey, int], int] = {}  # the 10 s that a wider tile has its lag of

    def add(self, tiles: Mapping[TileLevel, Mapping[tuple[SeriesKey, int], TileSums]]) -> None:
        for level in REPLACED:
            for (key, time_ms), sums in sorted(tiles[level].items(), key=lambda item: item[0][1]):
                if self._range.holds(time_ms):
                    self._merge(level, key, time_ms, sums)
        if sum(len(own) for own in self.tiles.values()) > MOST_TILES:
            raise JobError(
                f"the range holds more than {MOST_TILES:,} tiles, too many to be counted again at once: "
                + ("ask for fewer hours" if self._width == "1m" else _FEWER_OR_LATER)
            )

    def _merge(self, level: TileLevel, key: SeriesKey, time_ms: int, sums: TileSums) -> None:
        """Into the tile of its time; the last lag stays that of the latest 10 s, however late others come."""
        cut_ms = time_ms - time_ms % self._width_ms
        mine = self.tiles[level].setdefault((key, cut_ms), TileSums())
        lag_last = mine.lag_last
        mine.merge(sums)
        if self._width != "10s" and sums.lag_last is not None:
            latest_ms = self._lag_ms.setdefault((level, key, cut_ms), time_ms)
            if time_ms < latest_ms:
                mine.lag_last = lag_last
            else:
                self._lag_ms[level, key, cut_ms] = time_ms

    def of_level(self, level: TileLevel, ids: Mapping[SeriesKey, int]) -> IdTiles:
        return {(ids[key], time_ms): sums for (key, time_ms), sums in self.tiles[level].items()}
