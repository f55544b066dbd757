"""Batches of several sizes in one task and in two stages: where the limit of small batches lies on this machine."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from pyspark.sql import SparkSession

from metrics.store.address import connect
from metrics.store.target_store import TargetStore
from metrics.stream import aggregate
from metrics.stream.aggregate import AggregateBatch, StoreSettings
from tests.benchmarks.metrics.cost import metered
from tests.benchmarks.metrics.raw_frames import SteadyTopics, frame_of, raw_rows
from tests.benchmarks.report import Result
from tests.support.metrics.metrics_store import create_postgres_store
from tests.support.servers.postgres import running_postgres

_SIZES = (1_000, 2_000, 4_000, 8_000, 16_000)
_LIMITS = {"one task": 1 << 30, "two stages": 0}
_PERIOD_MS = 10_000  # each batch brings every series one report in another tile
_WARM, _RUNS = 3, 7


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batches:
    """Batches of one size in one way."""

    ms: float  # the median
    cpu_ms: float


def switch(spark: SparkSession, folder: Path) -> list[Result]:
    """Time and CPU of a batch with all processes, on PostgreSQL."""
    results = []
    for size in _SIZES:
        for way, limit in _LIMITS.items():
            with _small_batches_below(limit):
                found = _measured(spark, folder / f"switch-{size}-{limit}", size)
            results += [
                Result.alone(f"batch of {size:,} reports in {way}, time", "ms", found.ms),
                Result.alone(f"batch of {size:,} reports in {way}, CPU", "ms", found.cpu_ms),
            ]
    return results


@contextmanager
def _small_batches_below(reports: int) -> Iterator[None]:
    usual = aggregate.SMALL_BATCH_REPORTS
    aggregate.SMALL_BATCH_REPORTS = reports
    try:
        yield
    finally:
        aggregate.SMALL_BATCH_REPORTS = usual


def _measured(spark: SparkSession, folder: Path, size: int) -> _Batches:
    begin_ms = time.time_ns() // 60_000_000_000 * 60_000
    frames = [
        frame_of(
            spark, str(folder / str(period)), raw_rows(size, period, begin_ms + (period + 1) * _PERIOD_MS, _PERIOD_MS)
        )
        for period in range(_WARM + _RUNS)
    ]
    with running_postgres() as server:
        create_postgres_store(server.url)
        target = TargetStore(connect(server.url), "b", "bench")
        target.claim(begin_ms)
        settings = StoreSettings(url=server.url)
        known = SteadyTopics().ids(["srm-metrics.a.internal"])
        batch = AggregateBatch(target, settings, SteadyTopics(), "b", known, lambda: begin_ms + 3_600_000)
        for number in range(_WARM):
            batch(frames[number], number)
        batch.settle()
        times_s = []
        with metered(os.getpid(), server.pid) as meter:
            before = meter.cost()
            for number in range(_WARM, _WARM + _RUNS):
                started_s = time.monotonic()
                batch(frames[number], number)
                batch.settle()
                times_s.append(time.monotonic() - started_s)
            cpu_s = meter.cost().since(before).total
        target.close()
    return _Batches(ms=median(times_s) * 1_000, cpu_ms=cpu_s * 1_000 / _RUNS)
