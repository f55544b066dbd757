"""`make bench-metrics`: freshness, throughput, memory, CPU and answers of the metrics process and its read side.

`ONLY=tiles,switch,live,queries,backlog,backfill,executors` chooses parts; the machine should do nothing else.
`OTHER=<checkout>` measures the metrics process of another checkout in the same run, for example of a git worktree of an
earlier commit after `make install-dev`, and adds ratios. `REPORTS` and `RUNS` are those of the backlog.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from metrics.session import close_session, open_session
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.machine.jars import ensure_jars
from tests.benchmarks.metrics.backfill import backfills
from tests.benchmarks.metrics.backlog import backlog
from tests.benchmarks.metrics.executors import executors
from tests.benchmarks.metrics.live import live
from tests.benchmarks.metrics.side import sides
from tests.benchmarks.metrics.switch import switch
from tests.benchmarks.metrics.tiles import tiles
from tests.benchmarks.report import Result, write_report
from tests.support.metrics.metrics_process import REPOSITORY
from tests.support.servers.postgres import running_postgres

PAGE = REPOSITORY / "docs" / "benchmarks-metrics.md"
PARTS = ("tiles", "switch", "live", "queries", "backlog", "backfill", "executors")


def _backfills(bootstrap: str, jars: Path, folder: Path) -> list[Result]:
    spark = open_session(jars=jars, scratch=folder / "spark")
    try:
        return backfills(spark, bootstrap, folder)
    finally:
        close_session(spark)


_IN_A_SESSION: dict[str, Callable[[SparkSession, Path], list[Result]]] = {"tiles": tiles, "switch": switch}
_ON_A_BROKER: dict[str, Callable[[str, Path, Path], list[Result]]] = {
    "live": lambda bootstrap, jars, folder: live(bootstrap, jars, folder, sides()),
    "backlog": lambda bootstrap, jars, folder: backlog(bootstrap, jars, folder, sides()),
    "backfill": _backfills,
    "executors": executors,
}
_LIST_MS, _WEEK_MS = 150.0, 150.0


def main() -> None:
    home = Path(os.environ.get("SRM_HOME", ".srm")).absolute()
    parts = tuple(part for part in os.environ.get("ONLY", "").split(",") if part) or PARTS
    if unknown := sorted(set(parts) - set(PARTS)):
        sys.exit(f"there is no part {unknown[0]}; parts are {', '.join(PARTS)}")
    results: list[Result] = []
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="srm-bench-") as scratch:
        folder = Path(scratch)
        if in_session := [part for part in _IN_A_SESSION if part in parts]:
            spark = open_session(jars=None, scratch=folder / "spark")
            for name in in_session:
                results += _IN_A_SESSION[name](spark, folder)
            close_session(spark)
        if "queries" in parts:
            results += _queries(folder)
        for part, measure in _ON_A_BROKER.items():
            if part in parts:
                results += _on_a_broker(part, measure, home, folder)
    said = [
        f"`make bench-metrics` measured these figures on {os.cpu_count()} cores, which it shared with a broker. "
        f"Load of the machine at the start: {load:.1f}. Above 1, other processes were running.",
    ]
    path = home / "bench" / "metrics.json"
    titled = "Benchmarks of the metrics process"
    write_report(results, path, said, page=PAGE, title=titled, sides=("This", "Other checkout"))
    if any(result.passed is False for result in results):
        sys.exit("some budgets are not met: see FAIL above")


def _on_a_broker(
    part: str, measure: Callable[[str, Path, Path], list[Result]], home: Path, folder: Path
) -> list[Result]:
    """Each part has a separate broker, so that no topic is there before."""
    clusters = DevClusters(folder / f"clusters-{part}", ensure_jars(home, "kafka"), tie_to_parent=True)
    try:
        broker = clusters.up(["bench"])["bench"]
        return measure(broker.bootstrap, ensure_jars(home, "spark"), folder)
    finally:
        clusters.stop(["bench"])


def _queries(folder: Path) -> list[Result]:
    sqlite = _ask(folder / "sqlite", 20_000, f"sqlite:///{folder / 'sqlite' / 'metrics.sqlite3'}")
    with running_postgres() as server:
        postgres = _ask(folder / "postgres", 100_000, server.url)
    return [
        Result.limited("list of 1,000 topics from 20,000 series, p95, SQLite", "ms", sqlite["list"], _LIST_MS),
        Result.limited("list of 1,000 topics from 100,000 series, p95, PostgreSQL", "ms", postgres["list"], _LIST_MS),
        Result.limited("seven days from tiles of an hour, p95, PostgreSQL", "ms", postgres["week"], _WEEK_MS),
    ]


def _ask(folder: Path, series: int, metrics_url: str) -> dict[str, float]:
    folder.mkdir()
    environment = {
        **os.environ,
        "SRM_HOME": str(folder),
        "DJANGO_SETTINGS_MODULE": "srm_service.settings.local",
        "SRM_DJANGO_SECRET_KEY": "of the benchmark only: no user signs in",
        "SRM_DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
        "SRM_METRICS_DATABASE_URL": metrics_url,
        "SRM_ALLOWED_HOSTS": "testserver",
    }
    command = [sys.executable, "-m", "tests.benchmarks.metrics.queries", str(series)]
    done = subprocess.run(command, env=environment, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


if __name__ == "__main__":
    main()
