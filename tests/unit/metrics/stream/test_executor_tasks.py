"""The work of Spark's tasks, run in this process."""

import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from metrics.errors import MetricsError, StoreUnavailableError, WriterFencedError
from metrics.schemas import INGEST_OFFSET
from metrics.store import shard_store
from metrics.store.address import connect
from metrics.store.target_store import TargetStore
from metrics.stream import executor_tasks
from metrics.stream.executor_tasks import BatchTask, ShardResult, validate_and_fold
from metrics.stream.shard_labels import labels, task_of
from tests.support.metrics.local_stages import raw_batch
from tests.support.metrics.metrics_store import create_sqlite_store
from tests.support.metrics.raw_metrics import START_MS, RawTask, encode

TOPIC = "srm-metrics.a.internal"


@pytest.fixture
def task(tmp_path: Path) -> Iterator[BatchTask]:
    url = create_sqlite_store(tmp_path / "metrics.sqlite3")
    store = TargetStore(connect(url), "b", "host:1")
    store.claim(START_MS)
    yield BatchTask(
        target="b",
        store_url=url,
        epoch=store.epoch,
        batch=1,
        now_ms=START_MS,
        partition_ten_seconds=True,
        staged=False,
        labels=labels(1),
        committed={},
        next_offsets={},
        last_seqs={},
    )
    store.close()
    executor_tasks._kept.clear()
    while executor_tasks._connections:
        executor_tasks._connections.popitem()[1].close()


def run(task: BatchTask, raw: RawTask) -> ShardResult | MetricsError:
    (found,) = validate_and_fold(task, [raw_batch([(TOPIC, 0, raw.seq, encode(raw.report()))])])
    result = pickle.loads(found.column(0).to_pylist()[-1])  # noqa: S301 - our own
    assert isinstance(result, ShardResult | MetricsError)
    return result


def holes(result: ShardResult | MetricsError) -> int:
    assert isinstance(result, ShardResult)
    return sum(sums.hole_offsets for sums in result.flows.tiles.values())


def test_a_worker_continues_the_ranges_that_it_has_left_itself_when_the_driver_took_them_over(task: BatchTask) -> None:
    raw = RawTask()
    first = run(task, raw)
    assert isinstance(first, ShardResult)

    continued = run(replace(task, committed={0: first.attempt}), raw_at(raw, skip=5))

    assert holes(continued) == 5  # the store knows nothing of the first range


@pytest.mark.parametrize("committed", [{}, {0: 77}], ids=["not taken over", "another attempt was"])
def test_a_worker_forgets_what_the_driver_did_not_take_over(task: BatchTask, committed: dict[int, int]) -> None:
    raw = RawTask()
    run(task, raw)

    assert holes(run(replace(task, committed=committed), raw_at(raw, skip=5))) == 0


def test_a_worker_forgets_series_whose_numbers_are_void(task: BatchTask) -> None:
    raw = RawTask()
    first = run(task, raw)
    assert isinstance(first, ShardResult)
    connection = connect(task.store_url)
    with connection.writing("b") as writing:
        writing.run("UPDATE writer SET revision = revision + 1")
    connection.close()

    assert holes(run(replace(task, committed={0: first.attempt}), raw_at(raw, skip=5))) == 0


def test_a_failure_that_the_driver_knows_is_a_result(task: BatchTask) -> None:
    found = run(replace(task, epoch=task.epoch - 1), RawTask())

    assert isinstance(found, WriterFencedError)
    assert str(found) == "the metrics of target b are written by host:1 now"


def test_labels_are_dealt_to_different_tasks() -> None:
    for shards in range(1, 20):
        assert [task_of(label, shards) for label in labels(shards)] == list(range(shards))


def raw_at(raw: RawTask, *, skip: int) -> RawTask:
    """The task, having left out offsets."""
    for partition in raw.partitions:
        raw.positions[partition] += skip
    return raw


def test_every_report_of_a_partition_counts_also_when_one_tile_takes_several(task: BatchTask) -> None:
    raw = RawTask(partitions=(0, 1))
    rows = [(TOPIC, 0, number, encode(raw.report())) for number in range(2)]
    (found,) = validate_and_fold(task, [raw_batch(rows)])
    result = pickle.loads(found.column(0).to_pylist()[-1])  # noqa: S301 - our own

    assert len(result.times) == 1
    assert result.reports == 4


def test_a_connection_that_the_store_has_closed_between_batches_costs_no_batch(task: BatchTask) -> None:
    raw = RawTask()
    assert isinstance(run(task, raw), ShardResult)
    executor_tasks._connections[task.store_url].close()  # as by a restart of the database

    assert isinstance(run(replace(task, batch=2), raw), ShardResult)


def test_a_worker_keeps_a_bounded_number_of_states_and_forgets_the_oldest(
    task: BatchTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor_tasks, "MOST_KEPT_PARTITIONS", 2)
    epochs = []
    for number in range(4):
        store = TargetStore(connect(task.store_url), "b", f"host:{number}")
        store.claim(START_MS)
        epochs.append(store.epoch)
        assert isinstance(run(replace(task, epoch=store.epoch, batch=number + 1), RawTask()), ShardResult)
        store.close()

    assert [key[2] for key in executor_tasks._kept] == epochs[-2:]


def test_a_task_reads_the_store_only_after_the_commit_of_the_former_batch(task: BatchTask) -> None:
    raw = RawTask()
    run(task, raw)  # knows the state that the former batch leaves, which no one has committed
    awaiting = replace(task, batch=2, awaited={(TOPIC, 0): 5, (TOPIC, 1): 3})
    found: list[ShardResult | MetricsError] = []
    thread = Thread(target=lambda: found.append(run(awaiting, raw)), daemon=True)
    thread.start()
    written(task, {(TOPIC, 0): 5, (TOPIC, 1): 2})
    thread.join(0.2)
    early = list(found)
    written(task, {(TOPIC, 1): 3})
    thread.join(30)

    assert early == []
    assert isinstance(found[0], ShardResult)


def test_a_task_that_waits_for_a_commit_stops_when_its_query_is_fenced(task: BatchTask) -> None:
    store = TargetStore(connect(task.store_url), "b", "host:2")
    store.claim(START_MS)
    store.close()

    assert isinstance(run(replace(task, awaited={(TOPIC, 0): 5}), RawTask()), WriterFencedError)


def test_a_task_does_not_wait_for_ever_for_a_commit(task: BatchTask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard_store, "_COMMIT_LIMIT_S", 0.0)

    found = run(replace(task, awaited={(TOPIC, 0): 5}), RawTask())

    assert isinstance(found, StoreUnavailableError)
    assert "still not committed" in str(found)


def written(task: BatchTask, offsets: dict[tuple[str, int], int]) -> None:
    """Write offsets into the ledger, as a commit does."""
    connection = connect(task.store_url)
    with connection.writing("b") as writing:
        rows = [("b", *raw, "00", offset, task.epoch) for raw, offset in offsets.items()]
        writing.upsert(INGEST_OFFSET, rows)
    connection.close()
