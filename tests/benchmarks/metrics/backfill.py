"""Backfills of very many partitions: driver memory, time, and the time for which the target's writers wait.

Every partition reports once a minute, as idle ones do. The tiles of the hour are missing, so every row is written. No
stream runs beside, but its heartbeat: the time that it takes is the time for which a writer had to wait.
"""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from pyspark.sql import SparkSession

from metrics.backfill.backfill_job import run_backfill
from metrics.errors import StoreUnavailableError
from metrics.jobs.context import JobContext
from metrics.store.address import connect
from metrics.store.target_store import TargetStore
from metrics.stream.aggregate import warm_up
from metrics.stream.ledger import LedgerEntry, Reconciled
from metrics.stream.raw_topics import RawTopics
from metrics.stream.targets import MetricsTarget
from replication.kafka.admin import open_admin
from tests.benchmarks.metrics.load import records
from tests.benchmarks.report import Result
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store
from tests.support.servers.postgres import running_postgres

_HOUR_MS, _MINUTE_MS = 3_600_000, 60_000
_RAW_PARTITIONS = 4
_GROWTH_MB = 150.0
_SAMPLE_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Partitions that report each minute of a part of an hour."""

    name: str
    store: str
    partitions: int
    minutes: int


SHAPES = (
    Shape(name="hour of 10,000 partitions", store="PostgreSQL", partitions=10_000, minutes=60),
    Shape(name="six minutes of 100,000 partitions", store="PostgreSQL", partitions=100_000, minutes=6),
    Shape(name="hour of 2,000 partitions", store="SQLite", partitions=2_000, minutes=60),
)


def backfills(spark: SparkSession, bootstrap: str, folder: Path) -> list[Result]:
    """One range after the other, each in its own store and raw topic."""
    warm_up(spark)
    client = AdminClient({"bootstrap.servers": bootstrap})  # one that is dropped takes its pending answers with it
    results: list[Result] = []
    for number, shape in enumerate(SHAPES):
        target = MetricsTarget(alias="b", bootstrap=(bootstrap,))
        with _store(shape.store, folder) as url:
            hour_ms = (time.time_ns() // 1_000_000) // _HOUR_MS * _HOUR_MS - 3 * _HOUR_MS
            topic = f"srm-metrics.bench{number}.internal"
            client.create_topics([NewTopic(topic, _RAW_PARTITIONS, 1)])[topic].result(30)
            _write(bootstrap, topic, shape, hour_ms)
            results += _measured(spark, target, url, shape, hour_ms)
        client.delete_topics([topic])[topic].result(30)
    return results


def _measured(spark: SparkSession, target: MetricsTarget, url: str, shape: Shape, hour_ms: int) -> list[Result]:
    stream = _stream_at_the_end(target, url)
    context = JobContext(
        spark=spark,
        store_url=url,
        target=target,
        targets={target.alias: target},
        job_id=1,
        spec={"from_ms": hour_ms, "to_ms": hour_ms + _HOUR_MS},
        progress=lambda _done, _text: None,
        cancelled=lambda: False,
        now_ms=lambda: time.time_ns() // 1_000_000,
    )
    with _watched(stream) as watch:
        started_s = time.monotonic()
        run_backfill(context)
        seconds = time.monotonic() - started_s
    with stream._connection.reading() as connection:
        tiles = int(connection.rows("SELECT COUNT(*) FROM tile_partition_1m")[0][0])
    stream.close()
    assert tiles == shape.partitions * shape.minutes, tiles
    return [
        _at_most(f"backfill, {shape.name}, {shape.store}: memory of the driver", "MB", watch.growth_mb, _GROWTH_MB),
        Result.alone(f"backfill, {shape.name}, {shape.store}: time", "s", seconds),
        Result.alone(f"backfill, {shape.name}, {shape.store}: reports", "reports/s", tiles / seconds),
        Result.alone(f"backfill, {shape.name}, {shape.store}: longest wait of a writer", "s", watch.longest_wait_s),
    ]


def _stream_at_the_end(target: MetricsTarget, url: str) -> TargetStore:
    """A writer that says that it has counted all raw metrics."""
    raw_topics = RawTopics(open_admin(target))
    ledger = {raw: LedgerEntry(each.topic_id, each.end) for raw, each in raw_topics.logs().items()}
    raw_topics.close()
    stream = TargetStore(connect(url), target.alias, "bench")
    now_ms = time.time_ns() // 1_000_000
    stream.claim(now_ms)
    stream.adopt(Reconciled(ledger=ledger, gaps=(), starts={}), now_ms)
    return stream


def _write(bootstrap: str, topic: str, shape: Shape, hour_ms: int) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "compression.type": "lz4"})
    for minute in range(shape.minutes):
        to_ms = hour_ms + (minute + 1) * _MINUTE_MS - 1
        for number, (task, value) in enumerate(records(shape.partitions, minute, to_ms, _MINUTE_MS)):
            producer.produce(topic, value, key=task.encode(), partition=number % _RAW_PARTITIONS, timestamp=to_ms)
        assert producer.flush(60) == 0


@dataclass(slots=True)
class _Watch:
    base_mb: float
    highest_mb: float
    longest_wait_s: float = 0.0

    @property
    def growth_mb(self) -> float:
        return self.highest_mb - self.base_mb


@contextmanager
def _watched(stream: TargetStore) -> Iterator[_Watch]:
    """The memory of this process, and how long its writer waits, ten times a second."""
    found = _Watch(_rss_mb(), _rss_mb())
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_SAMPLE_S):
            found.highest_mb = max(found.highest_mb, _rss_mb())
            started_s = time.monotonic()
            with suppress(StoreUnavailableError):  # it waited for as long as it does
                stream.heartbeat(time.time_ns() // 1_000_000)
            found.longest_wait_s = max(found.longest_wait_s, time.monotonic() - started_s)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()


def _rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def _store(name: str, folder: Path) -> Iterator[str]:
    if name == "SQLite":
        yield create_sqlite_store(folder / "backfill.sqlite3")
        return
    with running_postgres() as server:
        create_postgres_store(server.url)
        yield server.url


def _at_most(name: str, unit: str, ours: float, budget: float) -> Result:
    return Result(name=name, unit=unit, ours=ours, budget=f"<= {budget:g}", passed=ours <= budget)
