"""The same program on a Spark cluster: a standalone master and two workers on this host, started by spark-submit."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from metrics.stream.aggregate import SMALL_BATCH_REPORTS
from tests.integration.metrics.raw_log import PARTITIONS, RawLog
from tests.support.eventually import eventually
from tests.support.kafka.clusters import StartCluster
from tests.support.metrics.metrics_process import PATIENCE, START_LIMIT_S, MetricsProcess, spark_jars
from tests.support.metrics.raw_metrics import RawTask
from tests.support.metrics.tile_check import assert_exact, is_counted
from tests.support.servers.postgres import running_postgres
from tests.support.spark.event_log import ended_tasks, two_stages
from tests.support.spark.held_table import HeldTable, held_table
from tests.support.spark.processes import Process, executors
from tests.support.spark.reference_check import assert_equals_reference, staged_rows
from tests.support.spark.standalone import Standalone, end, package, standalone, submit

__all__ = ["spark_jars"]
pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

WORKERS = 2
TASKS = 8
PERIODS = 10
# Two executors start, unpack 64 MB each and import pyarrow: half a minute on two quiet cores.
LIMIT_S = 2 * START_LIMIT_S


@dataclass(slots=True)
class OnCluster:
    """The metrics process on its cluster, with a first batch counted that is large enough for two stages to follow."""

    raw: RawLog
    cluster: Standalone
    process: MetricsProcess
    tasks: list[RawTask]
    events: Path

    def write(self, **reported: int) -> None:
        """Ten periods of all tasks, spread evenly over the raw partitions."""
        for partition in range(PARTITIONS):
            own = [task for task in self.tasks if task.slot % PARTITIONS == partition]
            self.raw.write([task.report(**reported) for _ in range(PERIODS) for task in own], partition=partition)

    def wait_until_counted(self) -> None:
        eventually(lambda: is_counted(self.process, self.raw.counting), LIMIT_S, "counted on the cluster")


@pytest.fixture
def on_cluster(start_cluster: StartCluster, spark_jars: Path, tmp_path: Path) -> Iterator[OnCluster]:
    raw = RawLog(start_cluster().bootstrap, "a")
    raw.create()
    archive, events = package(tmp_path), tmp_path / "events"
    with running_postgres() as server, standalone(tmp_path, WORKERS) as cluster:
        process = MetricsProcess(tmp_path, spark_jars, postgres=server.url)
        process.create_store()
        process.write_targets(b=raw.bootstrap)
        now_ms = time.time_ns() // 1_000_000 - 600_000
        partitions = tuple(range(SMALL_BATCH_REPORTS // (TASKS * PERIODS) + 1))
        tasks = [RawTask(slot=n, topic=f"topic-{n}", now_ms=now_ms, partitions=partitions) for n in range(TASKS)]
        running = OnCluster(raw, cluster, process, tasks, events)
        running.write()
        process.process = submit(cluster, process, archive, events)
        try:
            running.wait_until_counted()
            yield running
        finally:
            end(process.process)


@pytest.mark.timeout(900 * PATIENCE)
def test_spark_submit_counts_the_same_on_a_master_and_two_workers(on_cluster: OnCluster, tmp_path: Path) -> None:
    on_cluster.write(skip=1)
    on_cluster.wait_until_counted()

    assert_exact(on_cluster.process, on_cluster.raw.counting)
    assert_equals_reference(on_cluster.process, on_cluster.raw.bootstrap, on_cluster.raw.topic, PARTITIONS, tmp_path)
    assert on_cluster.process.process is not None
    end(on_cluster.process.process)
    stages = two_stages(ended_tasks(on_cluster.events))
    assert sum(cut.input_rows for cut in stages.cuts) > 0
    assert all(cut.input_rows for cut in stages.cuts)
    assert sum(each.shuffled_in for each in stages.folds) == sum(each.shuffled_out for each in stages.cuts) > 0
    assert {each.executor for each in stages.cuts} == {"0", "1"}, "both executors have read"
    assert {each.executor for each in stages.folds} == {"0", "1"}, "both executors have folded"


@pytest.mark.timeout(900 * PATIENCE)
def test_an_executor_is_killed_while_it_stages_rows(on_cluster: OnCluster, tmp_path: Path) -> None:
    process = on_cluster.process
    assert process.postgres is not None
    with held_table(process.postgres, "staged_covered") as held:
        on_cluster.write(again=2)
        eventually(lambda: _staging(on_cluster.cluster, held), LIMIT_S, "an executor is staging")
        os.kill(_staging(on_cluster.cluster, held)[0].pid, signal.SIGKILL)
    on_cluster.wait_until_counted()
    on_cluster.write()
    on_cluster.wait_until_counted()

    assert staged_rows(process) == {}
    assert_equals_reference(process, on_cluster.raw.bootstrap, on_cluster.raw.topic, PARTITIONS, tmp_path)
    assert process.process is not None
    end(process.process)
    assert any(task.failed for task in ended_tasks(on_cluster.events))


def _staging(cluster: Standalone, held: HeldTable) -> list[Process]:
    """The executors that have a Python worker in the middle of writing its rows."""
    return [executor for worker in cluster.workers for executor in executors(worker.pid) if held.waiting(executor.pid)]
