"""The stages on Spark count what one process counts that reads everything in order: the same rows in every table."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from metrics.counting.records import RawRow
from metrics.errors import WriterFencedError
from metrics.schemas import TILES
from metrics.store.address import connect
from metrics.store.target_store import TargetStore
from metrics.stream import aggregate
from metrics.stream.aggregate import AggregateBatch, StoreSettings
from metrics.stream.executor_tasks import BatchTask
from metrics.stream.shard_labels import labels, task_of
from metrics.stream.stages import BatchResult, run_stages
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store
from tests.support.metrics.raw_batches import TOPIC, RawLogs
from tests.support.metrics.raw_metrics import START_MS, RawTask, encode
from tests.support.metrics.reference_fold import ReferenceFold
from tests.support.metrics.store_dump import dumped, first_difference
from tests.support.servers.postgres import postgres_url

__all__ = ["postgres_url"]
pytestmark = pytest.mark.spark

TARGET = "b"
# Of the batches, some tiles come in time for the roll-up, some after their minute or hour.
ROLLED_AFTER_MS = 120_000
PARTITION_10S = next(table for table in TILES if table.name == "tile_partition_10s")


class Topics:
    """Raw topics that are never re-created."""

    def ids(self, topics: Collection[str]) -> dict[str, str]:
        return dict.fromkeys(topics, "00")

    def log_starts(self, partitions: Collection[Any]) -> dict[Any, int]:
        return {}


def frame_of(spark: SparkSession, rows: Sequence[RawRow]) -> DataFrame:
    """As the Kafka source gives them: a raw partition in one task."""
    columns = "topic STRING, partition INT, offset BIGINT, value BINARY"
    return spark.createDataFrame([tuple(row) for row in rows], columns).repartition(4, "topic", "partition")


def batches_into(url: str, *, ten_seconds: bool = True) -> AggregateBatch:
    store = TargetStore(connect(url), TARGET, "host:1")
    store.claim(START_MS + ROLLED_AFTER_MS)
    topics: Any = Topics()
    known = topics.ids([TOPIC.format(source) for source in "ac"])
    batch = AggregateBatch(store, StoreSettings(url=url), topics, TARGET, known, lambda: START_MS + ROLLED_AFTER_MS)
    if not ten_seconds:
        batch._active_counted, batch._ten_seconds = float("inf"), False
    return batch


def reference_into(url: str, *, ten_seconds: bool = True) -> ReferenceFold:
    store = ReferenceFold(url, TARGET, ten_seconds=ten_seconds)
    store.claim(START_MS + ROLLED_AFTER_MS)
    return store


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return create_sqlite_store(tmp_path / "metrics.sqlite3")
    url: str = request.getfixturevalue("postgres_url")
    create_postgres_store(url)
    return url


@pytest.fixture
def shards(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of shards of each fold."""
    noted: list[int] = []

    def run(frame: DataFrame, task: BatchTask) -> BatchResult:
        noted.append(len(task.labels))
        return run_stages(frame, task)

    monkeypatch.setattr(aggregate, "run_stages", run)
    return noted


@pytest.mark.parametrize("small_reports", [1 << 30, 0, 300], ids=["one task", "two stages", "either by size"])
def test_all_tables_hold_the_same_rows_as_when_one_process_counts(
    spark: SparkSession,
    store_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shards: list[int],
    small_reports: int,
) -> None:
    monkeypatch.setattr(aggregate, "SMALL_BATCH_REPORTS", small_reports)
    expected_url = create_sqlite_store(tmp_path / "reference.sqlite3")
    batch, reference = batches_into(store_url), reference_into(expected_url)
    logs = RawLogs(small_reports % 97, tasks=10, topics_per_task=10, partitions=10)

    read: list[RawRow] = []
    for number in range(8):
        if number == 4:
            logs.add_partition()
        rows = logs.batch(1 + number % 3)
        batch(frame_of(spark, rows), number)
        reference.count(rows, START_MS + ROLLED_AFTER_MS)
        read += rows
    batch.settle()

    found, expected = dumped(store_url), dumped(expected_url)
    assert len(expected["covered"]) >= 1_000
    assert_hard(read, expected)
    for name in expected:
        assert first_difference(found[name], expected[name]) is None, name
    assert (2 in shards) is (small_reports < 1 << 30)


def assert_hard(rows: Sequence[RawRow], tables: Mapping[str, Sequence[tuple[Any, ...]]]) -> None:
    """The rows held repeats, bad and late records, restarts of tasks and an added raw partition."""
    assert len({row.value for row in rows}) < len(rows)
    assert tables["bad_record"]
    assert tables["tile_partition_1h"], "tiles that came after the roll-up of their hour"
    starts = {(task, boot) for _, task, boot, *_ in tables["task_seq"]}
    assert len(starts) > len({task for task, _ in starts})
    assert {row.partition for row in rows} == {0, 1, 2}
    columns = PARTITION_10S.column_names
    for name in ("hole_offsets", "overlap_offsets"):
        assert any(row[columns.index(name)] for row in tables[PARTITION_10S.name]), name


@pytest.mark.large
@pytest.mark.timeout(900)
def test_a_hundred_thousand_series_come_to_the_same_rows(
    spark: SparkSession, postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shards: list[int]
) -> None:
    monkeypatch.setattr(aggregate, "SMALL_BATCH_REPORTS", 0)
    create_postgres_store(postgres_url)
    expected_url = create_sqlite_store(tmp_path / "reference.sqlite3")
    batch = batches_into(postgres_url, ten_seconds=False)
    reference = reference_into(expected_url, ten_seconds=False)
    logs = RawLogs(11, tasks=500, topics_per_task=20, partitions=10, moving=False)

    for number in range(3):
        rows = logs.batch(1)
        batch(frame_of(spark, rows), number)
        reference.count(rows, START_MS + ROLLED_AFTER_MS)
    batch.settle()

    found, expected = dumped(postgres_url), dumped(expected_url)
    assert shards == [2, 2, 2], "each batch is folded once, by two tasks"
    assert len(expected["covered"]) > 95_000
    for name in expected:
        assert first_difference(found[name], expected[name]) is None, name


def test_a_batch_that_comes_again_adds_nothing(spark: SparkSession, store_url: str) -> None:
    batch = batches_into(store_url)
    rows = RawLogs(3, tasks=3, topics_per_task=2, partitions=2).batch(2)
    batch(frame_of(spark, rows), 0)
    once = dumped(store_url)

    batch(frame_of(spark, rows), 1)
    batches_into(store_url)(frame_of(spark, rows), 0)

    again = dumped(store_url)
    assert {**again, "ingest_offset": []} == {**once, "ingest_offset": []}


def test_a_task_of_a_fenced_query_says_so_and_writes_nothing(
    spark: SparkSession, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aggregate, "SMALL_BATCH_REPORTS", 0)
    batch = batches_into(store_url)
    batches_into(store_url)
    row = RawRow("srm-metrics.a.internal", 0, 0, encode(RawTask(now_ms=START_MS).report()))

    with pytest.raises(WriterFencedError, match="written by host:1"):
        batch(frame_of(spark, [row]), 0)

    assert not any(rows for name, rows in dumped(store_url).items() if name != "rollup")


def test_each_shard_has_a_task_of_its_own(spark: SparkSession) -> None:
    for shards in (2, 3, 8):
        found = [(label,) for label in labels(shards)]
        dealt = spark.createDataFrame(found, "label INT").repartition(shards, "label")
        sizes = dealt.rdd.glom().map(len).collect()
        assert sizes == [1] * shards
        assert [task_of(label, shards) for (label,) in found] == list(range(shards))
