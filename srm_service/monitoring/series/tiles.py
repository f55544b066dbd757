"""Reads tiles of any time range, coarse where they are complete and fine for the rest.

A width holds everything before its roll-up mark; later times are taken from the next finer width. So the newest
minutes are there although the hourly tiles lag, and nothing is counted twice.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Max, Min, QuerySet

from replication.domain.reporting.metric_defs import METRICS, TILE_VALUES, WIDTHS_MS, TileLevel, TileWidth
from srm_service.monitoring.models import LEVEL_WIDTHS, Rollup, Writer
from srm_service.monitoring.series.covered_time import Span, covered_spans, joined

TILE_MS = WIDTHS_MS["10s"]
MINUTE_MS = WIDTHS_MS["1m"]
HOUR_MS = WIDTHS_MS["1h"]
_MOST_EDGES = 4  # wide tiles at either end of a range that are looked into
SETTLE_MS = 6_000  # a driver reports every 5 s; a tile younger than this may still grow

COUNT_COLUMNS: tuple[str, ...] = tuple(dict.fromkeys(name for metric in METRICS.values() for name in metric.columns))
_PLACES = {name: place for place, name in enumerate(COUNT_COLUMNS)}
_HISTOGRAM_COLUMNS = {
    value.name: tuple(column.name for column in value.columns) for value in TILE_VALUES if value.kind == "histogram"
}


class TileHistogram(NamedTuple):
    """The histogram columns of a tile; `buckets` is still JSON text, parsed when it is needed."""

    counted: int
    min_ms: int | None
    max_ms: int | None
    sum_ms: int
    negative_count: int
    buckets: str


class TileRow(NamedTuple):
    """One tile of one series. A tuple: thousands are made for a list, and a frozen dataclass takes longer."""

    series_id: int
    time_ms: int
    width_ms: int
    counts: tuple[int | None, ...]  # in the order of COUNT_COLUMNS
    histogram: TileHistogram | None = None

    def of(self, column: str) -> int | None:
        """The value of a count column; None = unknown."""
        return self.counts[_PLACES[column]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreMarks:
    """Up to where the tiles of some targets are complete, and rolled up."""

    complete_to_ms: int
    minutes_to_ms: int
    hours_to_ms: int


def store_marks(targets: Collection[str], now_ms: int) -> StoreMarks:
    """Two queries. A target whose writer stopped long ago does not hold the others back: its tiles are as they are.

    Nor does one that was never counted. The tile of the running hour is being filled: it is read from finer ones.
    """
    written = Writer.objects.filter(target__in=targets).values_list("last_batch_ms", flat=True)
    running = [last for last in written if last is not None and now_ms - last < MINUTE_MS]
    newest = min([now_ms, *running]) - SETTLE_MS
    rolled: dict[str, dict[str, int]] = {"1m": {}, "1h": {}}
    for row in Rollup.objects.filter(target__in=targets):
        rolled.setdefault(row.width, {})[row.target] = row.rolled_to_ms
    hours_to_ms = min(rolled["1h"].values(), default=0)
    return StoreMarks(
        complete_to_ms=newest - newest % TILE_MS,
        minutes_to_ms=min(rolled["1m"].values(), default=0),
        hours_to_ms=hours_to_ms - hours_to_ms % HOUR_MS,
    )


def finest_step_ms(from_ms: int, now_ms: int) -> int:
    """The finest step for which tiles are still kept at the start of a range."""
    age_ms, kept = now_ms - from_ms, settings.SRM_METRICS_RETENTION
    if age_ms <= kept.ten_seconds_ms:
        return TILE_MS
    return MINUTE_MS if age_ms <= kept.minutes_ms else HOUR_MS


def read_tiles(
    level: TileLevel,
    series_ids: "Collection[int] | QuerySet[Any]",
    *,
    from_ms: int,
    to_ms: int,
    step_ms: int,
    marks: StoreMarks,
    histogram: str | None = None,
) -> Iterator[TileRow]:
    """Tiles that begin in [from_ms, to_ms), none wider than `step_ms`. At most three queries.

    Series by their numbers, or by a query for these.
    """
    for width, width_ms, begin_ms, end_ms in segments(from_ms, min(to_ms, marks.complete_to_ms), step_ms, marks):
        yield from _read_width(level, width, width_ms, series_ids, begin_ms, end_ms, histogram)


def segments(from_ms: int, to_ms: int, step_ms: int, marks: StoreMarks) -> Iterable[tuple[TileWidth, int, int, int]]:
    """The widths that hold [from_ms, to_ms), none wider than `step_ms`: each with its ms and its part of the range."""
    at_ms = from_ms
    coarse: tuple[tuple[TileWidth, int], ...] = (("1h", marks.hours_to_ms), ("1m", marks.minutes_to_ms))
    for width, rolled_to_ms in coarse:
        width_ms = WIDTHS_MS[width]
        end_ms = min(to_ms, rolled_to_ms)
        if step_ms >= width_ms and end_ms > at_ms:
            yield width, width_ms, at_ms, end_ms
            at_ms = end_ms
    if to_ms > at_ms:
        yield "10s", TILE_MS, at_ms, to_ms


def _read_width(
    level: TileLevel,
    width: TileWidth,
    width_ms: int,
    series_ids: "Collection[int] | QuerySet[Any]",
    from_ms: int,
    to_ms: int,
    histogram: str | None,
) -> Iterator[TileRow]:
    columns = ["id", "time_ms", *COUNT_COLUMNS, *(_HISTOGRAM_COLUMNS[histogram] if histogram else ())]
    end = 2 + len(COUNT_COLUMNS)
    model = LEVEL_WIDTHS[(level, width)]
    asked = series_ids if isinstance(series_ids, QuerySet) else list(series_ids)
    rows = model._default_manager.filter(id__in=asked, time_ms__gte=from_ms, time_ms__lt=to_ms)
    ordered = rows.order_by("id", "time_ms").values_list(*columns)
    for row in ordered:
        found = TileHistogram(*row[end:]) if histogram else None
        yield TileRow(row[0], row[1], width_ms, row[2:end], found)


def measured_spans(level: TileLevel, rows: Sequence[TileRow]) -> list[Span]:
    """When the series of these rows were measured. At most eight queries.

    A wide tile beside silence may be filled in part: it counts from its first to its last finer tile, while those are
    kept.
    """
    tiles = {(row.time_ms, row.time_ms + row.width_ms) for row in rows}
    begins, ends = (set(edge) for edge in zip(*joined(tiles), strict=True)) if tiles else (set(), set())
    wide = [(begin, end) for begin, end in sorted(tiles) if end - begin > TILE_MS and (begin in begins or end in ends)]
    ids = {row.series_id for row in rows}
    for begin_ms, end_ms in wide[:_MOST_EDGES] + wide[_MOST_EDGES:][-_MOST_EDGES:]:
        finer = LEVEL_WIDTHS[(level, "1m" if end_ms - begin_ms == HOUR_MS else "10s")]._default_manager
        own = finer.filter(id__in=ids, time_ms__gte=begin_ms, time_ms__lt=end_ms)
        edges = own.aggregate(first=Min("time_ms"), last=Max("time_ms"))
        if edges["first"] is not None:
            tiles.remove((begin_ms, end_ms))
            width_ms = MINUTE_MS if end_ms - begin_ms == HOUR_MS else TILE_MS
            tiles.add((edges["first"], edges["last"] + width_ms))
    return covered_spans(tiles)


def by_series(rows: Iterable[TileRow]) -> Mapping[int, list[TileRow]]:
    """The rows of each series, in time."""
    grouped: dict[int, list[TileRow]] = {}
    for row in rows:
        grouped.setdefault(row.series_id, []).append(row)
    return grouped
