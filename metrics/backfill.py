"""Which tiles a backfill replaces, and whether the raw topics still hold all they were made of. Pure.

Whole hours only, and only hours that the roll-up has passed: then each width holds the range completely, so replacing
it in all widths at once counts nothing twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from metrics.book import SeriesBook
from metrics.errors import JobError
from metrics.schemas import LEVELS, WIDTHS_MS, TileLevel, TileWidth
from metrics.store.tile_writer import IdTiles
from metrics.tile_sums import TileSums
from metrics.transforms.group_rows import SeriesKey

HOUR_MS = WIDTHS_MS["1h"]
LONGEST_MS = 48 * HOUR_MS
MOST_TILES = 400_000  # held in memory until they replace the old ones

Tiles = dict[TileLevel, dict[tuple[SeriesKey, int], TileSums]]
REPLACED: tuple[TileLevel, ...] = tuple(level for level in LEVELS if level != "group")


@dataclass(frozen=True, slots=True)
class Range:
    """Whole hours [from_ms, to_ms)."""

    from_ms: int
    to_ms: int

    def holds(self, time_ms: int) -> bool:
        return self.from_ms <= time_ms < self.to_ms


def wanted_range(spec: Mapping[str, Any], rolled_to_ms: int) -> Range:
    """The whole hours that touch the range asked for. JobError says what to ask for instead."""
    from_ms, to_ms = spec.get("from_ms"), spec.get("to_ms")
    if not isinstance(from_ms, int) or not isinstance(to_ms, int) or from_ms >= to_ms or from_ms < 0:
        raise JobError("a backfill needs from_ms and to_ms in epoch milliseconds, from_ms before to_ms")
    found = Range(from_ms - from_ms % HOUR_MS, to_ms + (-to_ms) % HOUR_MS)
    if found.to_ms > rolled_to_ms:
        raise JobError(f"the range reaches into the hour that is still being rolled up: end it before {rolled_to_ms}")
    if found.to_ms - found.from_ms > LONGEST_MS:
        raise JobError("the range is longer than 48 hours: ask for several")
    return found


def check_complete(topic: str, partition: int, *, log_start: int, first_in_range: int | None) -> None:
    """JobError when records of the range may have been deleted: the log begins inside of it."""
    if log_start > 0 and (first_in_range is None or first_in_range <= log_start):
        raise JobError(
            f"{topic} partition {partition} begins after the start of the range: its raw metrics have expired, "
            "so the tiles that are there are better than what can be counted again"
        )


class Recount:
    """Adds up batches of the range in the finest width that is written."""

    def __init__(self, wanted: Range, width: TileWidth) -> None:
        self.book = SeriesBook()
        self.tiles: Tiles = {level: {} for level in REPLACED}
        self._range = wanted
        self._width_ms = WIDTHS_MS[width]

    def add(self, tiles: Mapping[TileLevel, Mapping[tuple[SeriesKey, int], TileSums]]) -> None:
        for level in REPLACED:
            own = self.tiles[level]
            for (key, time_ms), sums in sorted(tiles[level].items(), key=lambda item: item[0][1]):
                if self._range.holds(time_ms):
                    own.setdefault((key, time_ms - time_ms % self._width_ms), TileSums()).merge(sums)
        if sum(len(own) for own in self.tiles.values()) > MOST_TILES:
            raise JobError("the range holds too many tiles to be counted again at once: ask for fewer hours")

    def of_level(self, level: TileLevel, ids: Mapping[SeriesKey, int]) -> IdTiles:
        return {(ids[key], time_ms): sums for (key, time_ms), sums in self.tiles[level].items()}
