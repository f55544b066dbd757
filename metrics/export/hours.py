"""The hours that an export may write, and those that it has to. Pure.

An hour is closed when the roll-up has passed it: each width then holds it completely. A tile that comes later changes
a closed hour; so does a backfill. Such an hour is due again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from metrics.backfill.backfill_steps import HourRange
from metrics.errors import JobError
from metrics.export.hour_record import HourRecord
from metrics.store.backfill.backfill_range import HOUR_MS
from metrics.time_format import iso_time
from replication.domain.reporting.metric_defs import TileWidth
from replication.domain.reporting.tile_retention import TileRetention

# Raw metrics are kept for 24 hours, so nothing changes an older hour.
CHANGES_WITHIN_MS = 26 * HOUR_MS
_MOST_HOURS = 24
_SERIES_HOURS = 200_000  # of partitions, at once: 12 million rows of 1 m tiles


@dataclass(frozen=True, slots=True)
class HourFigures:
    """The number of hourly tiles of an hour, and a fingerprint of their values."""

    tiles: int
    fingerprint: str


def closed_range(from_ms: int, to_ms: int, closed_to_ms: int) -> HourRange:
    """The whole hours that touch the range asked for. JobError says what to ask for instead."""
    if from_ms >= to_ms:
        raise JobError(f"the range begins at {iso_time(from_ms)}, which is not before its end at {iso_time(to_ms)}")
    found = HourRange(from_ms - from_ms % HOUR_MS, to_ms + (-to_ms) % HOUR_MS)
    if found.to_ms > closed_to_ms:
        raise JobError(
            f"the range reaches to {iso_time(found.to_ms)}, but hours are exported when they are closed: the last "
            f"closed hour ends at {iso_time(closed_to_ms)}, so end the range there or earlier"
        )
    return found


def check_kept(first_ms: int, widths: Iterable[TileWidth], retention: TileRetention, now_ms: int) -> None:
    """JobError when tiles of the hour may have been deleted: an export would replace more by less."""
    for width in widths:
        kept_ms = kept_from(width, retention, now_ms)
        if first_ms < kept_ms:
            raise JobError(
                f"tiles of {width} are kept for {retention.of_width(width) // HOUR_MS} hours: begin the range at "
                f"{iso_time(kept_ms)} or later" + (", or export only 1h" if width == "1m" else "")
            )


def kept_from(width: TileWidth, retention: TileRetention, now_ms: int) -> int:
    """The start of the first hour of which no tile has expired."""
    oldest_ms = max(0, now_ms - retention.of_width(width))
    return oldest_ms + (-oldest_ms) % HOUR_MS


def hours_of(wanted: HourRange) -> tuple[int, ...]:
    """The starts of the hours, the oldest first."""
    return tuple(range(wanted.from_ms, wanted.to_ms, HOUR_MS))


def due_hours(
    figures: Mapping[int, HourFigures], records: Mapping[int, HourRecord], tables: Sequence[str], now_ms: int
) -> tuple[int, ...]:
    """The hours that have tiles, and of which a table is missing or was written from other tiles."""
    return tuple(
        hour_ms
        for hour_ms, found in sorted(figures.items())
        if not records[hour_ms].holds(tables, found.fingerprint if now_ms - hour_ms < CHANGES_WITHIN_MS else None)
    )


def batches(hours: Sequence[int], series: int) -> Iterator[tuple[int, ...]]:
    """Hours that are read together, the oldest first: few of many series."""
    size = max(1, min(_MOST_HOURS, _SERIES_HOURS // max(1, series)))
    for start in range(0, len(hours), size):
        yield tuple(hours[start : start + size])
