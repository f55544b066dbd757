"""A backfill counts the same values as the stream, lags included, in both databases."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark.sql import DataFrame, SparkSession

from metrics.backfill.backfill_job import run_backfill
from metrics.jobs.context import JobContext
from metrics.store.address import connect
from metrics.store.connection import SharedConnection
from metrics.store.rollup import roll_up
from metrics.store.target_store import TargetStore
from metrics.stream.aggregate import AggregateBatch, StoreSettings
from metrics.stream.raw_topics import RawTopics
from metrics.stream.targets import MetricsTarget
from replication.domain.identifiers import TopicPartition
from replication.domain.reporting.metric_defs import WIDTHS_MS
from tests.support.metrics.local_stages import run_in_this_process
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store
from tests.support.metrics.raw_metrics import PERIOD_MS, RawTask, Record, encode
from tests.support.servers.postgres import postgres_url

__all__ = ["postgres_url"]

MINUTE_MS = 60_000
HOUR_MS = 1_790_000_000_000 // WIDTHS_MS["1h"] * WIDTHS_MS["1h"]
TOPIC = "srm-metrics.a.internal"
_LEVELS = ("partition", "topic", "flow")

Stamped = tuple[int, bytes]  # when it was written, and the record


class RawTopic:
    """A raw metrics topic as its readers see it: by Spark's reader, by offsets at a time, and by its id."""

    def __init__(self) -> None:
        self.logs: defaultdict[int, list[Stamped]] = defaultdict(list)
        self.reads: list[int] = []  # how many records each took
        self._options: dict[str, Any] = {}  # Any: a reader's options

    def write(self, partition: int, record: Record, *, written_ms: int | None = None) -> None:
        self.logs[partition].append((record["to_ms"] if written_ms is None else written_ms, encode(record)))

    def ids(self, topics: Collection[str]) -> dict[str, str]:
        return dict.fromkeys(topics, "00")

    def log_starts(self, partitions: Collection[object]) -> dict[object, int]:
        return dict.fromkeys(partitions, 0)

    def list_offsets(self, partitions: Collection[TopicPartition], query: str) -> Mapping[TopicPartition, int]:
        return dict.fromkeys(partitions, 0)

    def offsets_at(self, partitions: Collection[TopicPartition], time_ms: int) -> Mapping[TopicPartition, int]:
        found = {}
        for each in partitions:
            times = [written_ms for written_ms, _ in self.logs[each.partition]]
            later = [offset for offset, written_ms in enumerate(times) if written_ms >= time_ms]
            if later:
                found[each] = later[0]
        return found

    def close(self) -> None:
        """Nothing is open."""

    @property
    def read(self) -> "RawTopic":
        return self

    def format(self, _: str) -> "RawTopic":
        return self

    load = select = lambda self, *_: self

    @property
    def sparkSession(self) -> "RawTopic":
        return self

    @property
    def sparkContext(self) -> SimpleNamespace:
        return SimpleNamespace(defaultParallelism=3)

    def options(self, **options: str) -> "RawTopic":
        self._options = options
        return self

    def collect(self) -> list[tuple[str, int, int, bytes]]:
        starts, ends = (json.loads(self._options[name])[TOPIC] for name in ("startingOffsets", "endingOffsets"))
        rows = [row for number in starts for row in self.rows(int(number), starts[number], ends[number])]
        self.reads.append(len(rows))
        return rows

    def rows(self, partition: int, start: int, end: int) -> list[tuple[str, int, int, bytes]]:
        own = self.logs[partition]
        return [(TOPIC, partition, offset, own[offset][1]) for offset in range(start, end)]

    def until(self, time_ms: int) -> dict[int, int]:
        return {number: sum(written_ms < time_ms for written_ms, _ in log) for number, log in self.logs.items()}


class Frame:
    def __init__(self, rows: list[tuple[str, int, int, bytes]]) -> None:
        self._rows = rows

    def collect(self) -> list[tuple[str, int, int, bytes]]:
        return self._rows


_RECENT, _OLDER = ("10s", "1m", "1h"), ("1m", "1h")
_ONE_TASK, _TWO_STAGES = 1 << 30, 0  # most reports that one task counts


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return create_sqlite_store(tmp_path / "metrics.sqlite3")
    url: str = request.getfixturevalue("postgres_url")
    create_postgres_store(url)
    return url


@pytest.fixture
def connection(store_url: str) -> Iterator[SharedConnection]:
    opened = connect(store_url)
    yield opened
    opened.close()


@pytest.fixture
def raw(monkeypatch: pytest.MonkeyPatch) -> RawTopic:
    """With batches of some forty records."""
    topic = RawTopic()
    monkeypatch.setattr("metrics.stream.aggregate.run_stages", run_in_this_process)
    monkeypatch.setattr("metrics.backfill.backfill_folding.run_stages", run_in_this_process)
    monkeypatch.setattr("metrics.backfill.backfill_job.KafkaClusterAdmin", lambda _: topic)
    monkeypatch.setattr("metrics.stream.aggregate._PARTS_PER_BATCH", 54)
    monkeypatch.setattr("metrics.stream.aggregate._OFFSETS_AT_FIRST", 40)
    monkeypatch.setattr("metrics.stream.aggregate._LEAST_OFFSETS", 1)
    return topic


def report(task: RawTask, to_ms: int, lag: int) -> Record:
    """The next report of a task, of a period that ended then, its partitions that far behind."""
    task.now_ms = to_ms - PERIOD_MS
    record = task.report(records=3)
    for part in record["parts"]:
        part[7] = part[5] + lag
    return record


def write_hours(raw: RawTopic) -> None:
    """An idle task in one raw partition, in another one that becomes twenty times as busy; of the same topic and not.

    From an hour before the range until after it.
    """
    idle = RawTask(slot=0, partitions=(0,))
    busy = RawTask(slot=1, partitions=(1, 2))
    other = RawTask(slot=2, topic="clicks", topic_id="11" * 16)
    for minute in range(-60, 66):
        start_ms = HOUR_MS + minute * MINUTE_MS
        raw.write(0, report(idle, start_ms + 30_000, 1_000 * (minute + 60)))
        raw.write(2, report(other, start_ms + 45_000, 100_000 * (minute + 60)))
        for number in range(20 if minute >= 20 else 1):
            raw.write(1, report(busy, start_ms + 3_000 * (number + 1), number))


def count_live(
    raw: RawTopic, store_url: str, connection: SharedConnection, now_ms: int, minutes: range = range(-60, 68)
) -> Callable[[], None]:
    """By the stream's own batch, one per minute. Returns what counts the records that have been written since."""
    store = TargetStore(connection, "b", "stream")
    store.claim(HOUR_MS - 2 * WIDTHS_MS["1h"])
    settings = StoreSettings(url=store_url)
    batch = AggregateBatch(store, settings, cast("RawTopics", raw), "b", {TOPIC: "00"}, lambda: now_ms)
    at: defaultdict[int, int] = defaultdict(int)

    def count(to: Mapping[int, int]) -> None:
        rows = [row for partition in raw.logs for row in raw.rows(partition, at[partition], to[partition])]
        batch(cast("DataFrame", Frame(rows)), len(rows))
        at.update(to)

    for minute in minutes:
        count(raw.until(HOUR_MS + (minute + 1) * MINUTE_MS))
        roll_up(connection, "b", HOUR_MS + (minute + 2) * MINUTE_MS, lambda: False)
    roll_up(connection, "b", now_ms, lambda: False)
    return lambda: count({number: len(log) for number, log in raw.logs.items()})


def backfill(
    raw: RawTopic,
    store_url: str,
    now_ms: int,
    *,
    from_ms: int = HOUR_MS,
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    target = MetricsTarget(alias="b", bootstrap=("one:1",))
    run_backfill(
        JobContext(
            spark=cast("SparkSession", raw),
            store_url=store_url,
            target=target,
            targets={"b": target},
            job_id=1,
            spec={"from_ms": from_ms, "to_ms": HOUR_MS + 1},
            progress=lambda *_: None,
            cancelled=cancelled,
            now_ms=lambda: now_ms,
        )
    )


def tiles(connection: SharedConnection, width: str, hour_ms: int = HOUR_MS) -> list[tuple[Any, ...]]:
    """Of an hour, without histograms of age, as those are of arrival."""
    with connection.reading() as reading:
        return [
            (level, *row)
            for level in _LEVELS
            for row in reading.rows(
                "SELECT s.topic, s.partition, t.time_ms, t.lag_last, t.lag_max, t.records, t.covered_offsets, "
                "t.hole_offsets, t.overlap_offsets, t.latency_count, t.latency_hist "
                f"FROM tile_{level}_{width} t JOIN series s ON s.id = t.id "
                "WHERE t.time_ms >= ? AND t.time_ms < ? ORDER BY s.topic, s.partition, t.time_ms",
                (hour_ms, hour_ms + WIDTHS_MS["1h"]),
            )
        ]


def damage(connection: SharedConnection, widths: Collection[str]) -> None:
    with connection.writing("b") as writing:
        for level in _LEVELS:
            for width in widths:
                writing.run(f"UPDATE tile_{level}_{width} SET records = 7 * records, lag_last = 1, lag_max = 1")


@pytest.mark.parametrize(
    ("widths", "small_reports"),
    [
        pytest.param(_RECENT, _ONE_TASK, id="recent-one task"),
        pytest.param(_OLDER, _TWO_STAGES, id="older-two stages"),
        pytest.param(_RECENT, _TWO_STAGES, id="recent-two stages", marks=pytest.mark.large),
        pytest.param(_OLDER, _ONE_TASK, id="older-one task", marks=pytest.mark.large),
    ],
)
def test_lags_and_sums_of_raw_partitions_of_different_density_are_counted_again(
    connection: SharedConnection,
    store_url: str,
    raw: RawTopic,
    monkeypatch: pytest.MonkeyPatch,
    widths: tuple[str, ...],
    small_reports: int,
) -> None:
    monkeypatch.setattr("metrics.backfill.backfill_folding.SMALL_BATCH_REPORTS", small_reports)
    write_hours(raw)
    now_ms = HOUR_MS + (68 if "10s" in widths else 120) * MINUTE_MS
    count_live(raw, store_url, connection, now_ms)
    true = {width: tiles(connection, width) for width in widths}
    damage(connection, widths)
    assert all(tiles(connection, width) != true[width] for width in widths)

    backfill(raw, store_url, now_ms)

    for width in widths:
        assert tiles(connection, width) == true[width], width
    lags = {row[4] for row in true["1m"] if row[0] == "flow"}
    assert len(lags) == 60
    assert None not in lags


def test_a_late_record_is_counted_again_without_the_last_lag_of_its_minute_and_hour(
    connection: SharedConnection, store_url: str, raw: RawTopic
) -> None:
    write_hours(raw)
    late = RawTask(slot=3, partitions=(1,), boot="late")
    for second in (41, 21):
        record = report(late, HOUR_MS + 20 * MINUTE_MS + second * 1_000, 77_777)
        raw.write(1, record, written_ms=HOUR_MS + 66 * MINUTE_MS)
    now_ms = HOUR_MS + 120 * MINUTE_MS
    count_live(raw, store_url, connection, now_ms)
    true = {width: tiles(connection, width) for width in ("1m", "1h")}
    damage(connection, ("1m", "1h"))

    backfill(raw, store_url, now_ms)

    for width in ("1m", "1h"):
        assert tiles(connection, width) == true[width], width
    assert {row[5] for row in true["1m"]} >= {77_777}
    assert {row[4] for row in true["1m"]}.isdisjoint({77_777})


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_backfill_reads_as_few_records_at_once_as_the_stream(
    connection: SharedConnection, store_url: str, raw: RawTopic
) -> None:
    write_hours(raw)
    count_live(raw, store_url, connection, HOUR_MS + 120 * MINUTE_MS)

    backfill(raw, store_url, HOUR_MS + 120 * MINUTE_MS)

    written = sum(len(log) for log in raw.logs.values())
    assert sum(raw.reads) == written
    assert max(raw.reads) <= 40 + len(raw.logs)
    assert len(raw.reads) < written / 20
