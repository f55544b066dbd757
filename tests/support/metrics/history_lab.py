"""A store with some counted hours, an export of them, and the history as DuckDB reads it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import duckdb
from pyspark.sql import DataFrame, SparkSession

from metrics.export.export_job import run_export
from metrics.jobs.context import JobContext
from metrics.store.address import connect
from metrics.store.rollup import roll_up
from metrics.store.target_store import TargetStore
from metrics.stream import aggregate
from metrics.stream.aggregate import AggregateBatch, StoreSettings
from metrics.stream.targets import MetricsTarget
from replication.domain.reporting.tile_retention import TileRetention
from tests.support.metrics.local_stages import run_in_this_process
from tests.support.metrics.raw_metrics import RawTask, Record, encode

TARGET = "b"
HOUR_MS = 3_600_000
MINUTE_MS = 60_000
FIRST_MS = 1_790_000_000_000 // HOUR_MS * HOUR_MS  # 2026-09-21T14:00Z
RAW_TOPIC = "srm-metrics.a.internal"


class _RawTopics:
    """Raw topics that are never re-created."""

    def ids(self, topics: Collection[str]) -> dict[str, str]:
        return dict.fromkeys(topics, "00")

    def log_starts(self, partitions: Collection[Any]) -> dict[Any, int]:
        return {}


class _Frame:
    def __init__(self, rows: list[tuple[str, int, int, bytes]]) -> None:
        self._rows = rows

    def collect(self) -> list[tuple[str, int, int, bytes]]:
        return self._rows


@dataclass(slots=True)
class CountedHours:
    """Counts reports as the stream does, without Spark, and rolls them up."""

    url: str
    now_ms: int = FIRST_MS
    _offset: int = 0
    _batch: AggregateBatch | None = None
    tasks: list[RawTask] = field(default_factory=list)

    def __post_init__(self) -> None:
        store = TargetStore(connect(self.url), TARGET, "host:1")
        store.claim(FIRST_MS - HOUR_MS)
        topics: Any = _RawTopics()
        settings = StoreSettings(url=self.url)
        self._batch = AggregateBatch(store, settings, topics, TARGET, {RAW_TOPIC: "00"}, lambda: self.now_ms)
        self.tasks = [RawTask(partitions=(0, 1)), RawTask(slot=1, topic="clicks", topic_id="11" * 16)]

    def take(self, records: Sequence[Record]) -> None:
        """Count these in one batch."""
        rows = [(RAW_TOPIC, 0, self._offset + place, encode(record)) for place, record in enumerate(records)]
        self._offset += len(rows)
        assert self._batch is not None
        self._batch(cast("DataFrame", _Frame(rows)), 0)

    def minutes(self, since_ms: int, count: int, *, hole_at: int = -1, overlap_at: int = -1) -> list[Record]:
        """A report of each task a minute, of those that follow this time; and a consumer group's checkpoint."""
        found: list[Record] = []
        for minute in range(count):
            for task in self.tasks:
                task.now_ms = since_ms + minute * MINUTE_MS + 1
                at = minute if task is self.tasks[0] else -2
                found.append(task.report(10, skip=7 * (at == hole_at), again=4 * (at == overlap_at)))
            if minute % 10 == 0:
                task = self.tasks[0]
                task.seq += 1
                groups = [["billing", "orders", 0, 50, 40, 100, [1, 5, 5, 5, 0, {"9": 1}]]]
                found.append(task.envelope(kind="group", groups=groups))
        return found

    def roll_up(self, now_ms: int) -> None:
        self.now_ms = now_ms
        store = connect(self.url)
        roll_up(store, TARGET, now_ms, lambda: False)
        store.close()


def counted_hours(url: str, hours: int = 2, minutes_more: int = 20) -> CountedHours:
    """Some complete hours, and a part of the next one. Needs the fixture `stages_in_this_process`."""
    counted = CountedHours(url)
    for hour in range(hours):
        counted.take(counted.minutes(FIRST_MS + hour * HOUR_MS, 60, hole_at=20, overlap_at=40))
    counted.take(counted.minutes(FIRST_MS + hours * HOUR_MS, minutes_more))
    counted.roll_up(FIRST_MS + hours * HOUR_MS + minutes_more * MINUTE_MS + 2 * MINUTE_MS)
    return counted


def count_in_this_process(monkeypatch: Any) -> None:
    monkeypatch.setattr(aggregate, "run_stages", run_in_this_process)


@dataclass(slots=True)
class Exports:
    """Runs export jobs as the job runner does."""

    spark: SparkSession
    url: str
    folder: Path
    now_ms: Callable[[], int]
    job_id: int = 0
    said: list[tuple[float, str]] = field(default_factory=list)
    cancelled: Callable[[], bool] = lambda: False

    @property
    def uri(self) -> str:
        return f"file://{self.folder}"

    def run(self, from_ms: int | None = None, to_ms: int | None = None, **changes: Any) -> str:
        """Export a range, or without one the hours that are due; what was said last."""
        self.job_id += 1
        times = {} if from_ms is None else {"from_ms": from_ms, "to_ms": to_ms}
        target = MetricsTarget(alias=TARGET, bootstrap=("one:1",))
        context = JobContext(
            spark=self.spark,
            store_url=self.url,
            target=target,
            targets={TARGET: target},
            job_id=self.job_id,
            spec={"uri": self.uri, "widths": ["1m", "1h"], **times, **changes},
            progress=lambda done, text: self.said.append((done, text)),
            cancelled=self.cancelled,
            now_ms=self.now_ms,
        )
        run_export(context, store_url=self.url, retention=TileRetention())
        return self.said[-1][1]


def duckdb_over(folder: Path, tables: Collection[str] = ("tiles_1m", "tiles_1h", "covered")) -> Any:
    """A DuckDB connection with the tables of a history as views, as the documentation makes them."""
    connection = duckdb.connect()
    for table in tables:
        connection.execute(
            f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{folder}/{table}/*/*/*/*.parquet', "
            "hive_partitioning = true)"
        )
    return connection


def rows_of(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a query by DuckDB."""
    connection = duckdb_over(folder)
    try:
        return [tuple(row) for row in connection.execute(sql).fetchall()]
    finally:
        connection.close()


def files_of(folder: Path) -> Mapping[str, bytes]:
    """The files of a history by path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
