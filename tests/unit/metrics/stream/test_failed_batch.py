"""A failed batch is freed at once: Python looks for cycles so rarely that it would outlive many restarts."""

import gc
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event
from typing import Any, cast
from weakref import ref

import pytest
from pyspark.sql import DataFrame, SparkSession

from metrics.counting.head_totals import head_totals
from metrics.counting.records import RawRow
from metrics.counting.tiles import counted
from metrics.errors import StoreUnavailableError, drop_frames
from metrics.jobs.runner import _Attempt
from metrics.store.target_store import TargetStore
from metrics.stream.aggregate import AggregateBatch, StoreSettings
from metrics.stream.executor_tasks import BatchTask
from metrics.stream.raw_topics import RawTopics
from metrics.stream.stages import BatchResult
from metrics.stream.supervisor import TargetSupervisor
from metrics.stream.target_query import QuerySettings, TargetQuery
from metrics.stream.targets import MetricsTarget
from tests.support.eventually import eventually
from tests.support.metrics.raw_metrics import RawTask, encode

TOPIC = "srm-metrics.a.internal"
TARGET = MetricsTarget(alias="b", bootstrap=("one:1",))


@pytest.fixture(autouse=True)
def _counting_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("metrics.stream.aggregate.run_stages", run_stages)
    gc.disable()
    yield
    gc.enable()


class Held:
    """The contents of a frame; only weakly referenced."""


class Frame:
    """Rows that Spark has not read."""


def run_stages(_frame: object, task: BatchTask) -> BatchResult:
    """Return the result of Spark's tasks for a row."""
    row = RawRow(TOPIC, 0, 0, encode(RawTask().report()))
    heads, _ = counted([row], task.target, task.next_offsets, task.last_seqs)
    return BatchResult(heads=head_totals(heads), shards=[], of_shards=1)


class Store:
    """Fails as a database that went away, with the error of its library behind."""

    epoch = 1

    def __init__(self, *_: object) -> None:
        """Takes what a store takes."""

    def ledger(self) -> dict[Any, Any]:
        return {}

    def last_seqs(self) -> dict[Any, Any]:
        return {}

    def topic_totals(self) -> dict[Any, Any]:
        return {}

    def active_partitions(self, heard_since_ms: int) -> int:
        return 0

    def partitions(self) -> int:
        return 0

    def claim(self, now_ms: int) -> None:
        """There is no other owner."""

    adopt = close = heartbeat = warn = lambda *_: None

    def commit(self, *_: object, **__: object) -> None:
        rows = [object()]
        try:
            rows.pop(len(rows))
        except LookupError as error:
            raise StoreUnavailableError("the metrics store failed") from error


class NoTasks:
    """Spark says nothing about its tasks."""

    def executor_warning(self, now_ms: int) -> str:
        return ""

    def task_time(self, run_id: str, after_job: int) -> tuple[None, int]:
        return None, after_job


class Topics:
    def __init__(self, *_: object) -> None:
        """Takes what raw topics take."""

    def logs(self) -> dict[Any, Any]:
        return {(TOPIC, 0): type("Log", (), {"topic_id": "00", "start": 0, "end": 1})()}

    def ids(self, topics: object) -> dict[str, str]:
        return {TOPIC: "00"}

    def close(self) -> None:
        """Nothing is open."""


def _batch() -> AggregateBatch:
    store, topics = cast("TargetStore", Store()), cast("RawTopics", Topics())
    return AggregateBatch(store, StoreSettings(url="sqlite:///none"), topics, "b", {TOPIC: "00"}, lambda: 0)


class SparksFunction:
    """Keeps its function and the error for as long as the JVM likes, as pyspark's own does."""

    def __init__(self, function: Callable[[DataFrame, int], None]) -> None:
        self.function = function
        self.error: Exception | None = None

    def call(self) -> None:
        try:
            self.function(cast("DataFrame", Frame()), 0)
        except Exception as error:
            self.error = error
            raise


class Stream:
    """A query whose first batch runs when it starts, and ends it."""

    isActive = False

    def __init__(self) -> None:
        self.writeStream = self
        self.kept: list[SparksFunction] = []

    def foreachBatch(self, function: Callable[[DataFrame, int], None]) -> "Stream":
        self.kept.append(SparksFunction(function))
        return self

    def queryName(self, *_: object, **__: object) -> "Stream":
        return self

    option = trigger = queryName

    def start(self) -> "Stream":
        with pytest.raises(StoreUnavailableError):
            self.kept[0].call()
        return self

    def stop(self) -> None:
        """Has ended already."""


def test_a_batch_that_failed_is_freed_with_its_error() -> None:
    batch = _batch()
    function = SparksFunction(batch)
    with pytest.raises(StoreUnavailableError):
        function.call()
    function.function = print

    failure = batch.pop_failure()
    found = ref(batch)
    del batch

    assert isinstance(failure, StoreUnavailableError)
    assert isinstance(failure.__cause__, LookupError)
    assert found() is None


def test_a_failure_is_taken_once() -> None:
    batch = _batch()
    with pytest.raises(StoreUnavailableError):
        batch(cast("DataFrame", Frame()), 0)

    assert (type(batch.pop_failure()), batch.pop_failure()) == (StoreUnavailableError, None)


@pytest.mark.parametrize("is_stopped", [False, True], ids=["failed", "stopped meanwhile"])
def test_a_query_that_ended_leaves_nothing_behind_but_sparks_function(
    monkeypatch: pytest.MonkeyPatch, *, is_stopped: bool
) -> None:
    stream, stop, batches = Stream(), Event(), list[Any]()

    def made(*arguments: Any) -> AggregateBatch:  # Any: handed through
        batch = AggregateBatch(*arguments)
        batches.append(ref(batch))
        if is_stopped:
            stop.set()
        return batch

    monkeypatch.setattr("metrics.stream.target_query.AggregateBatch", made)
    monkeypatch.setattr("metrics.stream.target_query.TargetStore", Store)
    monkeypatch.setattr("metrics.stream.target_query.RawTopics", Topics)
    monkeypatch.setattr("metrics.stream.target_query._WATCH_S", 0.0)
    for name in ("connect", "open_admin"):
        monkeypatch.setattr(f"metrics.stream.target_query.{name}", lambda _: None)
    monkeypatch.setattr("metrics.stream.target_query.raw_stream", lambda *_: stream)
    settings = QuerySettings(store_url="", checkpoints="s3a://none", owner="o", trigger_ms=1, max_offsets=1)
    context = type("C", (), {"setLocalProperty": lambda *_: None})()
    spark = cast("SparkSession", type("Spark", (), {"sparkContext": context}))
    query = TargetQuery(spark, TARGET, settings, NoTasks(), stop, lambda: 0)

    said = ""
    try:
        query.run(fenced=False)
    except StoreUnavailableError as error:
        said = str(error)
        drop_frames(error)

    assert said == ("" if is_stopped else "the metrics store failed")
    assert [found() for found in batches] == [None]
    with pytest.raises(RuntimeError, match="has ended"):
        stream.kept[0].call()


def test_what_a_failed_query_held_is_freed_before_the_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    stop, held = Event(), list[Any]()

    class Query:
        def __init__(self, *_: object) -> None:
            """Takes what a query takes."""

        def run(self, *, fenced: bool) -> None:
            of_frame = Held()
            held.append(ref(of_frame))
            raise StoreUnavailableError(f"gone {fenced}")

    class Pauses:
        def after(self, error: Exception, lasted_s: float) -> float:
            held.append(held[0]())
            stop.set()
            return 0.0

    monkeypatch.setattr("metrics.stream.supervisor.TargetQuery", Query)
    monkeypatch.setattr("metrics.stream.supervisor.Pauses", Pauses)
    settings = QuerySettings(store_url="", checkpoints="", owner="o", trigger_ms=1, max_offsets=None)
    supervisor = TargetSupervisor(cast("SparkSession", None), TARGET, settings, NoTasks(), stop, lambda: 0)
    supervisor.start()

    assert supervisor.join(10)
    assert held[1] is None


def test_what_a_failed_job_had_in_memory_is_freed_with_it() -> None:
    held: list[Any] = []

    def run(_: object) -> None:
        of_frame = Held()
        held.append(ref(of_frame))
        raise StoreUnavailableError("gone")

    context = type("C", (), {"setJobGroup": lambda *_, **__: None, "setLocalProperty": lambda *_: None})()
    attempt = _Attempt(run, lambda _: cast("Any", None))  # Any: a context that the job does not look at
    attempt.start(cast("SparkSession", type("Spark", (), {"sparkContext": context})), "job-1")

    assert attempt.ended.wait(10)
    assert isinstance(attempt.error, StoreUnavailableError)
    assert held[0]() is None


class StoreThatFailsLate(Store):
    """Fails when the caller has already gone on to the next batch."""

    def commit(self, *_: object, **settings: Any) -> None:  # Any: as a store takes
        settings["when_checked"]()
        super().commit()


def test_a_commit_that_fails_in_the_background_ends_the_query_and_no_batch_is_committed_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def two_stages(frame: object, task: BatchTask) -> BatchResult:
        return replace(run_stages(frame, task), of_shards=2)

    monkeypatch.setattr("metrics.stream.aggregate.run_stages", two_stages)
    store, topics = cast("TargetStore", StoreThatFailsLate()), cast("RawTopics", Topics())
    batch = AggregateBatch(store, StoreSettings(url="postgres://none"), topics, "b", {TOPIC: "00"}, lambda: 0)

    batch(cast("DataFrame", Frame()), 0)
    eventually(lambda: batch.commit_failed, 10, "the commit has failed")
    failure = batch.pop_failure()

    assert isinstance(failure, StoreUnavailableError)
    assert isinstance(failure.__cause__, LookupError)
    with pytest.raises(StoreUnavailableError, match="was not committed"):
        batch(cast("DataFrame", Frame()), 1)
