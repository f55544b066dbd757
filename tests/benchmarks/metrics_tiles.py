"""How long a tile of very many series takes: Spark's part, the counting and the commit, without a broker."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from metrics.batch import folded
from metrics.book import SeriesBook
from metrics.garbage import collect_rarely
from metrics.jobs.aggregate import aggregate
from metrics.ledger import LedgerEntry
from metrics.store.address import connect
from metrics.store.target_store import TargetStore
from tests.benchmarks.metrics_load import records
from tests.benchmarks.report import Result
from tests.support.metrics_store import create_postgres_store, create_sqlite_store
from tests.support.postgres import running_postgres

TILE_S = 10.0
_RECORDS_PER_BATCH = 125  # as the process takes them: about 25,000 reports
_TOPIC = "srm-metrics.a.internal"
_COLUMNS = "topic STRING, partition INT, offset BIGINT, value BINARY"
_SERIES = {"SQLite": 20_000, "PostgreSQL": 100_000}


def tiles(spark: SparkSession, folder: Path) -> list[Result]:
    """Each series reports once in the tile; the second tile counts, the first one makes the series.

    Both lie in one minute, as five of six tiles follow on another one. Spark reads each batch from a file: rows handed
    to it by Python would pass through Python once more, as records from Kafka do not.
    """
    collect_rarely()
    minute_ms = time.time_ns() // 60_000_000_000 * 60_000
    results = []
    for name, series in _SERIES.items():
        with _store(name, folder) as url:
            target = TargetStore(connect(url), "b", "bench")
            target.claim(time.time_ns() // 1_000_000)
            book = SeriesBook()
            _tile(spark, folder, target, book, series, 0, minute_ms)
            seconds = _tile(spark, folder, target, book, series, 1, minute_ms)
            target.close()
        results.append(_at_most(f"{series:,} series per tile, {name}", "s", seconds, TILE_S))
        results.append(Result.alone(f"reports of partitions per second, {name}", "reports/s", series / seconds))
    return results


def _tile(
    spark: SparkSession, folder: Path, target: TargetStore, book: SeriesBook, series: int, period: int, minute_ms: int
) -> float:
    to_ms = minute_ms + (period + 1) * 10_000
    rows = [
        (_TOPIC, number % 4, period * 10_000 + number, bytearray(value))
        for number, (_, value) in enumerate(records(series, period, to_ms, 10_000))
    ]
    seconds = 0.0
    for first in range(0, len(rows), _RECORDS_PER_BATCH):
        chunk = rows[first : first + _RECORDS_PER_BATCH]
        path = str(folder / f"{series}-{period}-{first}")
        spark.createDataFrame(chunk, _COLUMNS).write.parquet(path)
        frame = spark.read.schema(_COLUMNS).parquet(path)
        started_s = time.monotonic()
        heads, groups = aggregate(frame, "b", {}, {})
        change = folded(heads, groups, book)
        ledger = {raw: LedgerEntry("00", following) for raw, (_, following) in change.read.items()}
        ten_seconds = series <= 20_000
        target.commit(change, ledger, (), partition_ten_seconds=ten_seconds, now_ms=to_ms)
        seconds += time.monotonic() - started_s
        book.update(change.states)
    return seconds


@contextmanager
def _store(name: str, folder: Path) -> Iterator[str]:
    if name == "SQLite":
        yield create_sqlite_store(folder / "tiles.sqlite3")
        return
    with running_postgres() as server:
        create_postgres_store(server.url)
        yield server.url


def _at_most(name: str, unit: str, ours: float, budget: float) -> Result:
    return Result(name=name, unit=unit, ours=ours, budget=f"<= {budget:g}", passed=ours <= budget)
