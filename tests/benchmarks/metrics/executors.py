"""A standalone cluster with one worker and with two, each executor held to a quarter of a core.

So neither this machine's cores nor the driver are the limit, and the drain of a backlog grows with the executors.
"""

import os
from pathlib import Path

from tests.benchmarks.metrics.backlog import Drained, drained, write_backlog
from tests.benchmarks.metrics.side import THIS
from tests.benchmarks.metrics.throttle import throttled
from tests.benchmarks.report import Result
from tests.support.eventually import eventually
from tests.support.metrics.metrics_process import START_LIMIT_S
from tests.support.servers.postgres import running_postgres
from tests.support.spark.processes import executors as executors_below
from tests.support.spark.standalone import Standalone, end, package, standalone, submit

CORES_PER_EXECUTOR = 0.25
_WORKERS = (1, 2)


def executors(bootstrap: str, jars: Path, folder: Path) -> list[Result]:
    """The same topic is drained by both clusters, each with an empty store."""
    written = write_backlog(bootstrap, int(os.environ.get("REPORTS", "320000")))
    archive = package(folder)
    one, two = (_drained_by(workers, bootstrap, jars, folder, archive, written) for workers in _WORKERS)
    each = f"{CORES_PER_EXECUTOR:g} of a core each"
    return [
        Result.alone(f"backlog drained by one executor, {each}", "reports/s", one.reports_per_s),
        Result.alone(f"backlog drained by two executors, {each}", "reports/s", two.reports_per_s),
        Result(
            name="two executors against one",
            unit="times",
            ours=two.reports_per_s / one.reports_per_s,
            budget=">= 1.6",
            passed=two.reports_per_s >= 1.6 * one.reports_per_s,
        ),
    ]


def _drained_by(workers: int, bootstrap: str, jars: Path, folder: Path, archive: Path, written: int) -> Drained:
    home = folder / f"executors-{workers}"
    home.mkdir()
    with running_postgres() as server, standalone(home, workers) as cluster:
        process = THIS.process(home, jars, bootstrap=bootstrap, postgres=server.url)
        process.process = submit(cluster, process, archive, home / "events")
        try:
            eventually(lambda: len(_executors(cluster)) == workers, START_LIMIT_S, "the executors have started")
            with throttled(_executors(cluster), CORES_PER_EXECUTOR) as throttle:
                roots = (process.process.pid, server.pid, *(worker.pid for worker in cluster.workers))
                found = drained(process, written, *roots, when_warm=throttle.begin)
        finally:
            end(process.process)
    print(f"{workers} executors: {found}", flush=True)
    return found


def _executors(cluster: Standalone) -> list[int]:
    return [executor.pid for worker in cluster.workers for executor in executors_below(worker.pid)]
