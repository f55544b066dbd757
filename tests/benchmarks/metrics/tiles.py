"""The time that a tile of very many series takes: the stages and the commit, without a broker."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from metrics.gc_tuning import collect_rarely
from metrics.store.address import connect
from metrics.store.target_store import TargetStore
from metrics.stream.aggregate import AggregateBatch, StoreSettings
from tests.benchmarks.metrics.raw_frames import SteadyTopics, frame_of, raw_rows
from tests.benchmarks.report import Result
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store
from tests.support.servers.postgres import running_postgres

TILE_S = 10.0
_RECORDS_PER_BATCH = 125  # as the process takes them: about 25,000 reports
_SERIES = {"SQLite": 20_000, "PostgreSQL": 100_000}


def tiles(spark: SparkSession, folder: Path) -> list[Result]:
    """Each series reports once in the tile; the second tile counts, the first one makes the series.

    Both lie in one minute, as five of six tiles follow on another one.
    """
    collect_rarely()
    minute_ms = time.time_ns() // 60_000_000_000 * 60_000
    results = []
    for name, series in _SERIES.items():
        with _store(name, folder) as url:
            target = TargetStore(connect(url), "b", "bench")
            target.claim(time.time_ns() // 1_000_000)
            batch = AggregateBatch(target, StoreSettings(url=url), SteadyTopics(), "b", {}, lambda: minute_ms + 60_000)
            _tile(spark, folder, batch, series, 0, minute_ms)
            seconds = _tile(spark, folder, batch, series, 1, minute_ms)
            target.close()
        results.append(Result.limited(f"{series:,} series per tile, {name}", "s", seconds, TILE_S))
        results.append(Result.alone(f"reports of partitions per second, {name}", "reports/s", series / seconds))
    return results


def _tile(spark: SparkSession, folder: Path, batch: AggregateBatch, series: int, period: int, minute_ms: int) -> float:
    to_ms = minute_ms + (period + 1) * 10_000
    rows = raw_rows(series, period, to_ms, 10_000)
    seconds = 0.0
    for first in range(0, len(rows), _RECORDS_PER_BATCH):
        path = str(folder / f"{series}-{period}-{first}")
        frame = frame_of(spark, path, rows[first : first + _RECORDS_PER_BATCH])
        started_s = time.monotonic()
        batch(frame, first)
        batch.settle()
        seconds += time.monotonic() - started_s
    return seconds


@contextmanager
def _store(name: str, folder: Path) -> Iterator[str]:
    if name == "SQLite":
        yield create_sqlite_store(folder / "tiles.sqlite3")
        return
    with running_postgres() as server:
        create_postgres_store(server.url)
        yield server.url
