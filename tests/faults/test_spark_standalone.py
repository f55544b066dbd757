"""The same program on a Spark cluster: a standalone master and two workers on this host, started by spark-submit."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pyspark
import pytest

from metrics.session import JARS
from metrics.stream.aggregate import SMALL_BATCH_REPORTS
from srm_cli.machine.ports import free_port
from tests.integration.metrics.raw_log import RawLog
from tests.support.eventually import eventually
from tests.support.kafka.clusters import StartCluster
from tests.support.metrics.metrics_process import PATIENCE, REPOSITORY, START_LIMIT_S, MetricsProcess, spark_jars
from tests.support.metrics.raw_metrics import RawTask
from tests.support.metrics.tile_check import assert_exact, is_counted
from tests.support.servers.postgres import running_postgres

__all__ = ["spark_jars"]
pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

SPARK_HOME = Path(pyspark.__file__).parent
WORKERS = 2


@dataclass(slots=True)
class Standalone:
    """A master and its workers."""

    url: str
    page_port: int

    def workers_alive(self) -> int:
        connection = HTTPConnection("127.0.0.1", self.page_port, timeout=5)
        try:
            connection.request("GET", "/json/")
            state = json.loads(connection.getresponse().read())
        except OSError:
            return 0
        finally:
            connection.close()
        return sum(worker["state"] == "ALIVE" for worker in state["workers"])


@contextmanager
def standalone(folder: Path) -> Iterator[Standalone]:
    """Ends with the block, its executors too: a worker takes them along."""
    port, page = free_port(), free_port()
    cluster = Standalone(f"spark://127.0.0.1:{port}", page)
    processes: list[subprocess.Popen[bytes]] = []
    environment = {
        **os.environ,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_SCALA_VERSION": "2.13",
    }
    try:
        with (folder / "standalone.log").open("ab") as log:
            master = ("master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(page))
            processes.append(_start(master, folder, environment, log.fileno()))
            for number in range(WORKERS):
                work = folder / f"worker-{number}"
                words = ("--host", "127.0.0.1", "--cores", "1", "--memory", "700m", "--work-dir", str(work))
                worker = ("worker.Worker", *words, "--webui-port", str(free_port()), cluster.url)
                processes.append(_start(worker, folder, environment, log.fileno()))
        eventually(lambda: cluster.workers_alive() == WORKERS, START_LIMIT_S, "the workers have joined the master")
        yield cluster
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _start(words: tuple[str, ...], folder: Path, environment: dict[str, str], log: int) -> "subprocess.Popen[bytes]":
    name, *options = words
    command = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{SPARK_HOME}/jars/*"]
    command += [f"org.apache.spark.deploy.{name}", *options]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)


def _submit(cluster: Standalone, process: MetricsProcess, folder: Path) -> "subprocess.Popen[bytes]":
    archive, events = folder / "srm-executors.tar.gz", folder / "events"
    events.mkdir()
    subprocess.run([sys.executable, "-m", "metrics.packaging", "--out", str(archive)], cwd=REPOSITORY, check=True)
    jars = ",".join(str(process.jars / name) for name in JARS)
    command = [str(SPARK_HOME / "bin" / "spark-submit"), "--master", cluster.url, "--driver-memory", "512m"]
    command += ["--executor-memory", "512m", "--conf", "spark.driver.host=127.0.0.1", "--jars", jars]
    command += ["--conf", "spark.sql.shuffle.partitions=2", "--conf", "spark.ui.enabled=false"]
    command += ["--archives", f"{archive}#srm", "--conf", "spark.executorEnv.PYTHONPATH=srm"]
    command += [
        "--conf",
        "spark.eventLog.enabled=true",
        "--conf",
        "spark.eventLog.compress=false",
        "--conf",
        f"spark.eventLog.dir={events.as_uri()}",
    ]
    command += [str(REPOSITORY / "metrics" / "__main__.py"), "run", "--target", "b"]
    command += ["--targets-file", str(process.home / "metrics" / "targets.json"), "--jars", str(process.jars)]
    assert process.postgres is not None
    environment = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SRM_HOME": str(process.home),
        "SRM_METRICS_DATABASE_URL": process.postgres,
    }
    with process.log.open("ab") as log:
        return subprocess.Popen(command, cwd=process.home, env=environment, stdout=log, stderr=log)


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkTask:
    """A task that has ended, as the event log of its application has it."""

    stage: int
    executor: str
    input_rows: int
    shuffled_in: int
    shuffled_out: int


def _tasks_of_two_stages(events: Path) -> tuple[list[SparkTask], list[SparkTask]]:
    """The tasks that read Kafka and cut records by shard, and those that fold a shard."""
    lines = [line for file in events.rglob("*") if file.is_file() for line in file.read_text().splitlines()]
    tasks = [_task_of(event) for event in map(json.loads, lines) if event["Event"] == "SparkListenerTaskEnd"]
    cutting = {task.stage for task in tasks if task.shuffled_out}
    return [task for task in tasks if task.stage in cutting], [task for task in tasks if task.shuffled_in]


def _task_of(event: dict[str, Any]) -> SparkTask:
    metrics = event["Task Metrics"]
    return SparkTask(
        stage=event["Stage ID"],
        executor=event["Task Info"]["Executor ID"],
        input_rows=metrics["Input Metrics"]["Records Read"],
        shuffled_in=metrics["Shuffle Read Metrics"]["Total Records Read"],
        shuffled_out=metrics["Shuffle Write Metrics"]["Shuffle Records Written"],
    )


@pytest.mark.timeout(420 * PATIENCE)
def test_spark_submit_counts_the_same_on_a_master_and_two_workers(
    start_cluster: StartCluster, spark_jars: Path, tmp_path: Path
) -> None:
    raw = RawLog(start_cluster().bootstrap, "a")
    raw.create()
    with running_postgres() as server, standalone(tmp_path) as cluster:
        process = MetricsProcess(tmp_path, spark_jars, postgres=server.url)
        process.create_store()
        process.write_targets(b=raw.bootstrap)
        now_ms = time.time_ns() // 1_000_000 - 600_000
        partitions = tuple(range(SMALL_BATCH_REPORTS // 40))
        tasks = [RawTask(slot=n, topic=f"topic-{n}", now_ms=now_ms, partitions=partitions) for n in range(8)]
        raw.write([task.report() for _ in range(10) for task in tasks])
        process.process = _submit(cluster, process, tmp_path)
        try:
            eventually(lambda: is_counted(process, raw.counting), START_LIMIT_S, "counted on the cluster")
            raw.write([task.report(skip=1) for _ in range(10) for task in tasks])
            eventually(lambda: is_counted(process, raw.counting), 60 * PATIENCE, "counted on")
            assert_exact(process, raw.counting)
            executors = [*tmp_path.glob("worker-*/app-*/*/stderr")]
            assert len(executors) == WORKERS, "every worker has run an executor"
        finally:
            process.process.terminate()
            process.process.wait(60)
        reads, folds = _tasks_of_two_stages(tmp_path / "events")
        assert sum(read.input_rows for read in reads) > 0
        assert all(read.input_rows for read in reads if read.shuffled_out)
        assert sum(each.shuffled_in for each in folds) == sum(each.shuffled_out for each in reads) > 0
        assert {each.executor for each in (*reads, *folds)} == {"0", "1"}, "both executors have read and folded"
