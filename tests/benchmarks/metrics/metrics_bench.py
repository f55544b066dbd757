"""`make bench-metrics`: freshness, throughput, memory, CPU and answers of the metrics process and its read side.

`ONLY=tiles,live,queries,backfill` chooses parts; the machine should do nothing else.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from metrics.session import close_session, open_session
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.machine.jars import ensure_jars
from tests.benchmarks.metrics.backfill import backfills
from tests.benchmarks.metrics.live import live
from tests.benchmarks.metrics.tiles import tiles
from tests.benchmarks.report import Result, write_report
from tests.support.metrics.metrics_process import REPOSITORY
from tests.support.servers.postgres import running_postgres

PAGE = REPOSITORY / "docs" / "benchmarks-metrics.md"
PARTS = ("tiles", "live", "queries", "backfill")
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
        if "tiles" in parts:
            spark = open_session(jars=None, scratch=folder / "spark")
            results += tiles(spark, folder)
            close_session(spark)
        if "queries" in parts:
            results += _queries(folder)
        if "live" in parts:
            results += _with_broker(home, folder, lambda bootstrap, jars: live(bootstrap, jars, folder))
        if "backfill" in parts:
            results += _with_broker(home, folder, lambda bootstrap, jars: _backfills(bootstrap, jars, folder))
    said = [
        f"`make bench-metrics` measured these figures on {os.cpu_count()} cores, which it shared with a broker. "
        f"Load of the machine at the start: {load:.1f}. Above 1, other processes were running.",
    ]
    path = home / "bench" / "metrics.json"
    write_report(results, path, said, page=PAGE, title="Benchmarks of the metrics process")
    if any(result.passed is False for result in results):
        sys.exit("some budgets are not met: see FAIL above")


def _backfills(bootstrap: str, jars: Path, folder: Path) -> list[Result]:
    spark = open_session(jars=jars, scratch=folder / "spark")
    results = backfills(spark, bootstrap, folder)
    close_session(spark)
    return results


def _with_broker(home: Path, folder: Path, measure: Callable[[str, Path], list[Result]]) -> list[Result]:
    clusters = DevClusters(folder / "clusters", ensure_jars(home, "kafka"), tie_to_parent=True)
    try:
        broker = clusters.up(["bench"])["bench"]
        return measure(broker.bootstrap, ensure_jars(home, "spark"))
    finally:
        clusters.stop(["bench"])


def _queries(folder: Path) -> list[Result]:
    sqlite = _ask(folder / "sqlite", 20_000, f"sqlite:///{folder / 'sqlite' / 'metrics.sqlite3'}")
    with running_postgres() as server:
        postgres = _ask(folder / "postgres", 100_000, server.url)
    return [
        _at_most("list of 1,000 topics from 20,000 series, p95, SQLite", sqlite["list"], _LIST_MS),
        _at_most("list of 1,000 topics from 100,000 series, p95, PostgreSQL", postgres["list"], _LIST_MS),
        _at_most("seven days from tiles of an hour, p95, PostgreSQL", postgres["week"], _WEEK_MS),
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


def _at_most(name: str, ours: float, budget: float) -> Result:
    return Result(name=name, unit="ms", ours=ours, budget=f"<= {budget:g}", passed=ours <= budget)


if __name__ == "__main__":
    main()
