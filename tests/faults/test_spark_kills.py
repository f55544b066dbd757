"""Tables equal the reference fold's, row by row, after kill -9 of a Python worker of Spark's or of the driver.

The moment of a kill is not left to chance: with PostgreSQL the test holds a table of the store, and whoever has come as
far as writing to it waits there.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from metrics.stream.aggregate import SMALL_BATCH_REPORTS
from tests.integration.metrics.raw_log import PARTITIONS, RawLog
from tests.support.eventually import eventually
from tests.support.kafka.clusters import StartCluster
from tests.support.metrics.metrics_process import PATIENCE, START_LIMIT_S, MetricsProcess, metrics_process, spark_jars
from tests.support.metrics.metrics_store import postgres_rows
from tests.support.metrics.raw_metrics import TILE_MS, RawTask
from tests.support.metrics.tile_check import is_counted
from tests.support.servers.postgres import running_postgres
from tests.support.spark.held_table import HeldTable, held_table
from tests.support.spark.processes import Process, python_workers
from tests.support.spark.reference_check import assert_equals_reference, staged_rows

__all__ = ["metrics_process", "spark_jars"]
pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

TASKS = 8
PERIODS = 10
SHARDS = 2  # of local[2]


@dataclass(slots=True)
class Counting:
    """A metrics process, the raw topic that it counts, and the tasks that write there."""

    raw: RawLog
    process: MetricsProcess
    tasks: list[RawTask]

    def write(self, **reported: int) -> None:
        """Ten periods of all tasks, spread evenly over the raw partitions; one record of each cannot be read."""
        for partition in range(PARTITIONS):
            own = [task for task in self.tasks if task.slot % PARTITIONS == partition]
            self.raw.write([task.report(**reported) for _ in range(PERIODS) for task in own], partition=partition)
            self.raw.write([task.report() for task in own], partition=partition, times=2)
        self.raw.write_bytes(b"no json")

    def wait_until_counted(self) -> None:
        eventually(lambda: is_counted(self.process, self.raw.counting), START_LIMIT_S, "everything is counted")

    @property
    def pid(self) -> int:
        assert self.process.process is not None
        return self.process.process.pid


@pytest.fixture
def counting(start_cluster: StartCluster, metrics_process: MetricsProcess) -> Counting:
    """Nothing is started and there is no store yet."""
    raw = RawLog(start_cluster().bootstrap, "a")
    raw.create()
    metrics_process.write_targets(b=raw.bootstrap)
    now_ms = (time.time_ns() // 1_000_000 - 600_000) // TILE_MS * TILE_MS
    partitions = tuple(range(SMALL_BATCH_REPORTS // (TASKS * PERIODS) + 1))
    tasks = [RawTask(slot=n, topic=f"topic-{n}", now_ms=now_ms, partitions=partitions) for n in range(TASKS)]
    return Counting(raw, metrics_process, tasks)


@contextmanager
def counting_in_two_stages(counting: Counting) -> Iterator[str]:
    """A first batch on PostgreSQL is counted, large enough for the next one to be cut by shard; the store's URL."""
    with running_postgres() as server:
        counting.process.postgres = server.url
        counting.process.create_store()
        counting.write()
        counting.process.start()
        counting.wait_until_counted()
        yield server.url


def assert_exact_after_all(counting: Counting, folder: Path) -> None:
    """One more batch, and every table is what it has to be."""
    for task in counting.tasks:
        task.restart("boot-2")
    counting.write(skip=1)
    counting.wait_until_counted()
    assert staged_rows(counting.process) == {}
    assert_equals_reference(counting.process, counting.raw.bootstrap, counting.raw.topic, PARTITIONS, folder)
    assert counting.process.terminate() == 0


@pytest.mark.timeout(480 * PATIENCE)
def test_a_python_worker_is_killed_in_the_middle_of_stage_two(counting: Counting, tmp_path: Path) -> None:
    with counting_in_two_stages(counting) as store:
        with held_table(store, "staged_covered") as held:
            counting.write(again=2)
            eventually(lambda: _staging(counting, held), START_LIMIT_S, "a worker is staging its rows")
            os.kill(_staging(counting, held)[0].pid, signal.SIGKILL)
        counting.wait_until_counted()

        assert_exact_after_all(counting, tmp_path)


@pytest.mark.timeout(480 * PATIENCE)
def test_the_driver_is_killed_between_staging_and_commit(counting: Counting, tmp_path: Path) -> None:
    with counting_in_two_stages(counting) as store:
        with held_table(store, "tile_topic_10s") as held:
            counting.write(again=2)
            eventually(lambda: _committing(counting, held), START_LIMIT_S, "the driver is committing")
            counting.process.kill()
        assert not is_counted(counting.process, counting.raw.counting)
        assert staged_rows(counting.process)["staged_attempt"] == SHARDS, "no transaction has taken them over"

        counting.process.start()
        counting.wait_until_counted()

        assert_exact_after_all(counting, tmp_path)


@contextmanager
def commit_that_the_next_batch_waits_for(counting: Counting, store: str) -> Iterator[HeldTable]:
    """The driver is committing a batch, and tasks have cut the records of the next one."""
    with held_table(store, "tile_topic_10s") as held:
        counting.write(again=2)
        eventually(lambda: _committing(counting, held), START_LIMIT_S, "the driver is committing")
        counting.write(again=3)
        eventually(lambda: _awaited(store), START_LIMIT_S, "tasks of the next batch wait for the commit")
        yield held


@pytest.mark.timeout(480 * PATIENCE)
def test_the_driver_is_killed_while_the_next_batch_waits_for_its_commit(counting: Counting, tmp_path: Path) -> None:
    with counting_in_two_stages(counting) as store:
        with commit_that_the_next_batch_waits_for(counting, store):
            counting.process.kill()
        assert not is_counted(counting.process, counting.raw.counting)

        counting.process.start()
        counting.wait_until_counted()

        assert_exact_after_all(counting, tmp_path)


@pytest.mark.timeout(480 * PATIENCE)
def test_a_commit_fails_that_the_next_batch_waits_for(counting: Counting, tmp_path: Path) -> None:
    with counting_in_two_stages(counting) as store:
        with commit_that_the_next_batch_waits_for(counting, store) as held:
            held.end_sessions_that_wait()
            eventually(lambda: not _awaited(store), START_LIMIT_S, "the query has ended, and its tasks")
        counting.wait_until_counted()

        assert_exact_after_all(counting, tmp_path)


def _staging(counting: Counting, held: HeldTable) -> list[Process]:
    """The Python workers that wait for the held table."""
    workers = {worker.pid for worker in python_workers(counting.pid)}
    return [process for process in held.waiting(counting.pid) if process.pid in workers]


def _committing(counting: Counting, held: HeldTable) -> bool:
    """True when all shards are staged and the driver waits for the held table."""
    is_staged = staged_rows(counting.process).get("staged_attempt") == SHARDS
    return is_staged and counting.pid in {process.pid for process in held.waiting(counting.pid)}


def _awaited(store: str) -> bool:
    """True when a task looks whether the ledger holds the offsets of the former batch."""
    question = "SELECT topic, partition, next_offset FROM ingest_offset"
    asking = f"SELECT pid FROM pg_stat_activity WHERE query LIKE '{question}%' AND query_start > now() - interval '1 s'"
    return bool(postgres_rows(store, asking))
