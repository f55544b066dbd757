"""The Parquet tables of a history and their columns, derived from the tables of the metrics store.

Imported on executors: no pyspark here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import pyarrow as pa

from metrics.schemas import COVERED, TILE_COLUMNS, Column
from replication.domain.reporting.metric_defs import TileWidth

# Arrow types by the type that Spark gives the column.
_ARROW: dict[str, Any] = {
    "STRING": pa.string(),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "TIMESTAMP": pa.timestamp("us", tz="UTC"),
    "MAP<INT, BIGINT>": pa.map_(pa.int32(), pa.int64()),
}


@dataclass(frozen=True, slots=True)
class HistoryColumn:
    """A column of a Parquet table, with its type in SQL."""

    name: str
    sql_type: str

    def array(self, values: Sequence[Any]) -> Any:
        """The values as an Arrow array: times come in epoch ms, histograms as JSON text."""
        if self.sql_type == "TIMESTAMP":
            return pa.array([value * 1_000 for value in values], _ARROW[self.sql_type])
        if self.sql_type.startswith("MAP"):
            return _histograms(values)
        return pa.array(values, _ARROW[self.sql_type])


@dataclass(frozen=True, slots=True)
class HistoryTable:
    """A table of the history: a folder of Parquet files, one file for each target and hour."""

    name: str
    columns: tuple[HistoryColumn, ...]
    width: TileWidth | None = None  # of tiles; None: covered ranges

    @property
    def ddl(self) -> str:
        """The columns as Spark reads a schema; day and hour become folders."""
        own = ", ".join(f"`{column.name}` {column.sql_type}" for column in self.columns)
        return f"{own}, day STRING, hour STRING"

    def batch(self, rows: Sequence[Sequence[Any]], day: str, hour: str) -> Any:
        """Rows of one hour as an Arrow record batch."""
        arrays = [column.array(values) for column, values in zip(self.columns, zip(*rows, strict=True), strict=True)]
        names = [column.name for column in self.columns]
        labels = [pa.array([label] * len(rows), pa.string()) for label in (day, hour)]
        return pa.RecordBatch.from_arrays([*arrays, *labels], [*names, "day", "hour"])


def _histograms(texts: Sequence[str]) -> Any:
    """JSON `{bucket: count}` as maps, without a Python object per entry of Arrow's."""
    offsets, buckets, counts = [0], list[int](), list[int]()
    for text in texts:
        if text != "{}":
            found = orjson.loads(text)
            buckets += map(int, found)
            counts += found.values()
        offsets.append(len(buckets))
    return pa.MapArray.from_arrays(
        pa.array(offsets, pa.int32()), pa.array(buckets, pa.int32()), pa.array(counts, pa.int64())
    )


def _exported(column: Column) -> HistoryColumn:
    return HistoryColumn(column.name, "MAP<INT, BIGINT>" if column.kind == "text" else "BIGINT")


def _texts(*names: str) -> tuple[HistoryColumn, ...]:
    return tuple(HistoryColumn(name, "STRING") for name in names)


_TOPIC = (*_texts("source", "topic", "remote_topic"), HistoryColumn("partition", "INT"))
_TIME = HistoryColumn("time", "TIMESTAMP")
# `level` and the names of the series in place of its number; null where a level has no such name.
_TILE = (*_texts("level"), *_TOPIC, *_texts("consumer_group"), _TIME, *map(_exported, TILE_COLUMNS[2:]))
_RANGE = (
    *_TOPIC,
    _TIME,
    *(HistoryColumn(column.name, "STRING" if column.kind == "text" else "BIGINT") for column in COVERED.columns[1:]),
    *(HistoryColumn(name, "BIGINT") for name in ("covered_offsets", "hole_offsets", "overlap_offsets")),
)

COVERED_RANGES = HistoryTable("covered", _RANGE)


def tile_history(width: TileWidth) -> HistoryTable:
    """The table of tiles of a width, such as `tiles_1m`."""
    return HistoryTable(f"tiles_{width}", _TILE, width)


def history_tables(widths: Sequence[TileWidth]) -> tuple[HistoryTable, ...]:
    """The tables that an export of these widths writes."""
    return (*map(tile_history, widths), COVERED_RANGES)
