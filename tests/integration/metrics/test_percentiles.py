"""Percentiles of latencies that a real engine measured, from raw metrics through Spark and the store to the service."""

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from metrics.store.address import connect
from replication.domain.reporting.histogram import Histogram
from replication.domain.settings.record_settings import RecordSettings
from replication.tasks.partition.counters import PartitionCounters
from replication.tasks.partition.entry import Entry
from srm_service.monitoring.series.statistics import merged
from srm_service.monitoring.series.tiles import COUNT_COLUMNS, TileHistogram, TileRow
from tests.support.audits.audit_lab import spark_with_kafka
from tests.support.engine.slots import SlotLab, level, until
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import produce
from tests.support.metrics.counted import count_raw_metrics
from tests.support.metrics.metrics_store import create_sqlite_store

__all__ = ["spark_with_kafka"]

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_BUCKET_ERROR = 2 ** (1 / 4)
_BACKLOG, _LIVE = 4_000, 400
_HISTOGRAM = ("count", "min_ms", "max_ms", "sum_ms", "negative_count", "hist")


@pytest.fixture
def lab(two_clusters: TwoClusters) -> Iterator[SlotLab]:
    slot_lab = SlotLab(two_clusters)
    yield slot_lab
    slot_lab.close()


@pytest.fixture
def latencies_ms(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every record's latency as the engine measures it, before it goes into a histogram."""
    recorded: list[int] = []
    count = PartitionCounters.count

    def recording(self: PartitionCounters, entry: Entry, now_ms: int, recent_latency: Histogram) -> None:
        recorded.extend([now_ms - entry.max_timestamp] * entry.records)
        count(self, entry, now_ms, recent_latency)

    monkeypatch.setattr(PartitionCounters, "count", recording)
    return recorded


def test_every_percentile_is_within_one_bucket_of_the_true_value(
    lab: SlotLab, latencies_ms: list[int], spark_with_kafka: SparkSession, tmp_path: Path
) -> None:
    topic = lab.topic("timed", partitions=2)
    began_ms = time.time_ns() // 1_000_000
    backlog = (
        {"value": b"%d" % n, "partition": n % 2, "timestamp": began_ms - 60_000 + 15 * n} for n in range(_BACKLOG)
    )
    produce(lab.source_bootstrap, topic, backlog, linger_ms=0, batch_num_messages=20)
    as_they_are = RecordSettings(rebatching="off")  # a merged batch has one latency for all of its records
    with lab.running(lab.spec({topic: 2}, records=as_they_are)) as handle:
        until(handle, level(_BACKLOG))
        for n in range(_LIVE // 20):
            produce(lab.source_bootstrap, topic, ({"value": b"live %d" % n, "partition": n % 2} for _ in range(20)))
        until(handle, level(_BACKLOG + _LIVE))

    true = sorted(latencies_ms)
    assert len(true) == _BACKLOG + _LIVE
    assert true[-1] > 100 * max(1, true[0])  # a wide spread, or the test says little

    histogram = merged(_tiles(lab, spark_with_kafka, tmp_path))
    assert histogram.count == len(true)
    assert (histogram.min_ms, histogram.max_ms) == (true[0], true[-1])
    for q in (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999):
        expected, found = true[math.ceil(q * len(true)) - 1], histogram.quantile(q)
        assert found is not None
        assert expected / _BUCKET_ERROR - 1 <= found <= expected * _BUCKET_ERROR + 1, (q, expected, found)


def _tiles(lab: SlotLab, spark: SparkSession, folder: Path) -> Sequence[TileRow]:
    """Return the tiles that the service reads for the flow."""
    store_url = create_sqlite_store(folder / "metrics.sqlite3")
    count_raw_metrics(lab, spark, store_url)
    connection = connect(store_url)
    with connection.reading() as reader:
        columns = ", ".join(f"latency_{name}" for name in _HISTOGRAM)
        found = [TileHistogram(*row) for row in reader.rows(f"SELECT {columns} FROM tile_flow_10s")]
    connection.close()
    times = itertools.count(0, 10_000)
    counts = (0,) * len(COUNT_COLUMNS)
    return [TileRow(1, time_ms, 10_000, counts, each) for time_ms, each in zip(times, found, strict=False)]
