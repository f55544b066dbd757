"""The work of Spark's tasks in an export: they read slices of hours from the metrics store, as Arrow.

A slice is a range of series in one hour. Imported on executors: no pyspark here.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from metrics.export.columns import HistoryTable
from metrics.export.covered_hour import CoveredNow, covered_in_hour
from metrics.export.layout import day_and_hour
from metrics.schemas import FLOW_TOPIC, WHOLE_TOPIC, tile_table
from metrics.store.address import connect
from metrics.store.connection import Connection, Row, SharedConnection
from metrics.store.tile_writer import TABLE_OF
from replication.domain.reporting.metric_defs import WIDTHS_MS, TileLevel, TileWidth

HOUR_MS = WIDTHS_MS["1h"]
_ADVANCED = "covered_offsets - overlap_offsets + hole_offsets"

Series = tuple[str | None, str | None, str | None, int | None, str | None]

_connections: dict[str, SharedConnection] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceTask:
    """Everything a task must know; sent with the function. Slices are numbered, those of an hour one after another."""

    store_url: str
    target: str
    table: HistoryTable
    hours: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]  # of series ids, the end excluded

    def __len__(self) -> int:
        return len(self.hours) * len(self.ranges)

    def slice(self, number: int) -> tuple[int, tuple[int, int]]:
        """The hour and the series of a slice."""
        hour, part = divmod(number, len(self.ranges))
        return self.hours[hour], self.ranges[part]


def read_slices(task: SliceTask, batches: Iterable[Any]) -> Iterator[Any]:
    """Arrow batches with numbers of slices in, with their rows out."""
    try:
        with _store(task.store_url).reading() as connection:
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    yield from _read(connection, task, *task.slice(number))
    except BaseException:
        with suppress(Exception):
            _connections.pop(task.store_url).close()
        raise


def _read(connection: Connection, task: SliceTask, hour_ms: int, ids: tuple[int, int]) -> Iterator[Any]:
    labels = day_and_hour(hour_ms)
    if task.table.width is None:
        found = _ranges(connection, task.target, hour_ms, ids)
        if found:
            yield task.table.batch(found, *labels)
    else:
        for rows in _tiles(connection, task.target, task.table.width, hour_ms, ids):
            yield task.table.batch(rows, *labels)


def _tiles(
    connection: Connection, target: str, width: TileWidth, hour_ms: int, ids: tuple[int, int]
) -> Iterator[list[Row]]:
    """The rows of `tile_history`, by level."""
    levels: defaultdict[TileLevel, dict[int, Series]] = defaultdict(dict)
    for number, *names in connection.rows(
        "SELECT id, source, topic, remote_topic, partition, consumer_group FROM series "
        "WHERE target = ? AND id >= ? AND id < ?",
        (target, *ids),
    ):
        level, series = _named(names)
        levels[level][int(number)] = series
    for level, named in levels.items():
        table = TABLE_OF[tile_table(level, width)]
        tiles = connection.rows_between(table, named, hour_ms, hour_ms + HOUR_MS)
        if tiles:
            yield [(level, *named[tile[0]], *tile[1:]) for tile in tiles]


def _named(names: Sequence[Any]) -> tuple[TileLevel, Series]:
    """The level of a series, and its names: null for those that the level does not have."""
    source, topic, remote_topic, partition, group = names
    if group:
        return "group", (source, None, None, None, group)
    if topic == FLOW_TOPIC:
        return "flow", (source, None, None, None, None)
    if partition == WHOLE_TOPIC:
        return "topic", (source, topic, remote_topic, None, None)
    return "partition", (source, topic, remote_topic, partition, None)


def _ranges(connection: Connection, target: str, hour_ms: int, ids: tuple[int, int]) -> list[Row]:
    """The rows of `COVERED_RANGES`, of partitions that have a tile in the hour.

    One statement reads the present range and all tiles after the hour, each offset once: the coarse width up to the
    border of its roll-up, the finer ones from there on.
    """

    def later(width: TileWidth, since: str) -> str:
        table = tile_table("partition", width)
        return f"(SELECT COALESCE(SUM({_ADVANCED}), 0) FROM {table} WHERE id = s.id AND time_ms >= {since})"  # noqa: S608 - our own names

    border = "(SELECT rolled_to_ms FROM rollup r WHERE r.target = s.target AND r.width = {})"
    found = connection.rows(
        "SELECT s.source, s.topic, s.remote_topic, s.partition, c.topic_id, c.first_offset, c.next_offset, "  # noqa: S608 - our own names
        "h.covered_offsets, h.hole_offsets, h.overlap_offsets, "
        f"{later('1h', '?')} + {later('1m', border.format('?'))} + {later('10s', border.format('?'))} "
        "FROM series s JOIN covered c ON c.series_id = s.id "
        f"JOIN {tile_table('partition', '1h')} h ON h.id = s.id AND h.time_ms = ? "
        "WHERE s.target = ? AND s.id >= ? AND s.id < ?",
        (hour_ms + HOUR_MS, "1h", "1m", hour_ms, target, *ids),
    )
    rows: list[Row] = []
    for *series, topic_id, first, following, covered, hole, overlap, after in found:
        now = CoveredNow(topic_id=topic_id, first_offset=first, next_offset=following)
        reached = covered_in_hour(now, covered - overlap + hole, int(after))
        rows.append((*series, hour_ms, *reached, covered, hole, overlap))
    return rows


def _store(url: str) -> SharedConnection:
    """Of this worker process, which outlives its tasks. It cannot write."""
    found = _connections.get(url)
    if found is None:
        found = _connections[url] = connect(url, read_only=True)
    return found
