"""A standalone Spark cluster on this host, and the metrics process that spark-submit runs on it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path

import pyspark

from metrics.session import JARS
from srm_cli.machine.ports import free_port
from tests.support.eventually import eventually
from tests.support.metrics.metrics_process import REPOSITORY, START_LIMIT_S, MetricsProcess

SPARK_HOME = Path(pyspark.__file__).parent
_TO_END_S = 20


@dataclass(slots=True)
class Standalone:
    """A master and its workers."""

    url: str
    page_port: int
    workers: list["subprocess.Popen[bytes]"] = field(default_factory=list)

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
def standalone(folder: Path, workers: int) -> Iterator[Standalone]:
    """Ends with the block, its executors too: a worker takes them along."""
    port, page = free_port(), free_port()
    cluster = Standalone(f"spark://127.0.0.1:{port}", page)
    environment = {
        **os.environ,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_SCALA_VERSION": "2.13",
    }
    processes: list[subprocess.Popen[bytes]] = []
    try:
        with (folder / "standalone.log").open("ab") as log:
            master = ("master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(page))
            processes.append(_start(master, folder, environment, log.fileno()))
            for number in range(workers):
                work = folder / f"worker-{number}"
                words = ("--host", "127.0.0.1", "--cores", "1", "--memory", "700m", "--work-dir", str(work))
                worker = ("worker.Worker", *words, "--webui-port", str(free_port()), cluster.url)
                cluster.workers.append(_start(worker, folder, environment, log.fileno()))
        processes += cluster.workers
        eventually(lambda: cluster.workers_alive() == workers, START_LIMIT_S, "the workers have joined the master")
        yield cluster
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            end(process)


def end(process: "subprocess.Popen[bytes]") -> None:
    """Ask a process to end, and end it by force when it takes too long."""
    process.terminate()
    try:
        process.wait(_TO_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _start(words: tuple[str, ...], folder: Path, environment: dict[str, str], log: int) -> "subprocess.Popen[bytes]":
    name, *options = words
    command = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{SPARK_HOME}/jars/*"]
    command += [f"org.apache.spark.deploy.{name}", *options]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)


def package(folder: Path) -> Path:
    """The archive for executors, made by the command that makes it for users."""
    archive = folder / "srm-executors.tar.gz"
    subprocess.run([sys.executable, "-m", "metrics.packaging", "--out", str(archive)], cwd=REPOSITORY, check=True)
    return archive


def submit(cluster: Standalone, process: MetricsProcess, archive: Path, events: Path) -> "subprocess.Popen[bytes]":
    """Start the metrics process of the target `b` by spark-submit; its event log goes into `events`, uncompressed."""
    assert process.postgres is not None
    events.mkdir()
    confs = {
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.executorEnv.PYTHONPATH": "srm",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": events.as_uri(),
    }
    command = [str(SPARK_HOME / "bin" / "spark-submit"), "--master", cluster.url, "--driver-memory", "512m"]
    command += ["--executor-memory", "512m", "--jars", ",".join(str(process.jars / name) for name in JARS)]
    command += [word for name, value in confs.items() for word in ("--conf", f"{name}={value}")]
    command += ["--archives", f"{archive}#srm", str(REPOSITORY / "metrics" / "__main__.py"), "run", "--target", "b"]
    command += ["--targets-file", str(process.home / "metrics" / "targets.json"), "--jars", str(process.jars)]
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
