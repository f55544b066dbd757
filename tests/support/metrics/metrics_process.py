"""The metrics process as the supervisor starts it, and what a test wants to see of it."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from srm_cli.errors import OperatorError
from srm_cli.machine.jars import ensure_jars
from tests.support.eventually import eventually
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store, postgres_rows

REPOSITORY = Path(__file__).resolve().parents[3]
PATIENCE = float(os.environ.get("SRM_TEST_PATIENCE", "1"))  # for a machine that others use as well
START_LIMIT_S = 150.0 * PATIENCE  # some ten seconds on a quiet machine


@pytest.fixture(scope="session")
def spark_jars() -> Path:
    """`SRM_JARS` or the repository's own state folder, fetched once. CI must have them; others may go without."""
    if folder := os.environ.get("SRM_JARS"):
        return Path(folder) / "spark"
    try:
        return ensure_jars(REPOSITORY / ".srm", "spark")
    except OperatorError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))


@dataclass(slots=True)
class MetricsProcess:
    """One metrics process at a time over one state folder."""

    home: Path
    jars: Path
    process: subprocess.Popen[bytes] | None = None
    postgres: str | None = None  # the URL of a store that is no file
    trigger_ms: int = 500
    repository: Path = REPOSITORY  # the checkout whose code runs; another one has a separate environment
    max_offsets: int | None = None

    @property
    def store(self) -> Path:
        return self.home / "metrics" / "metrics.sqlite3"

    @property
    def log(self) -> Path:
        return self.home / "metrics.log"

    @property
    def python(self) -> str:
        return sys.executable if self.repository == REPOSITORY else str(self.repository / ".venv" / "bin" / "python")

    def create_store(self) -> None:
        if self.postgres is not None:
            create_postgres_store(self.postgres)
        else:
            create_sqlite_store(self.store)

    def write_targets(self, **bootstraps: str) -> None:
        entries = [{"target": alias, "bootstrap": servers, "client": {}} for alias, servers in bootstraps.items()]
        (self.home / "metrics").mkdir(parents=True, exist_ok=True)
        (self.home / "metrics" / "targets.json").write_text(json.dumps(entries))

    def start(self) -> None:
        command = [self.python, "-m", "metrics", "run", "--jars", str(self.jars)]
        command += ["--targets-file", str(self.home / "metrics" / "targets.json"), "--trigger-ms", str(self.trigger_ms)]
        if self.max_offsets is not None:
            command += ["--max-offsets", str(self.max_offsets)]
        environment = {**os.environ, "SRM_HOME": str(self.home)}
        environment.pop("SRM_METRICS_DATABASE_URL", None)
        if self.postgres is not None:
            environment["SRM_METRICS_DATABASE_URL"] = self.postgres
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, cwd=self.repository, env=environment, stderr=log, stdout=log)

    def jvm_pid(self) -> int:
        """The JVM that the process has started."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0])

    def kill(self) -> None:
        """kill -9 of the Python process only; its JVM has to notice by itself."""
        assert self.process is not None
        jvm = self.jvm_pid()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        eventually(lambda: not is_running(jvm), 20, "the JVM ends after its parent was killed")

    def terminate(self, limit_s: float = 10.0) -> int:
        """SIGTERM; the exit code. Fails when it takes longer than the limit."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(limit_s)

    def change(self, sql: str) -> None:
        """Write to the SQLite store behind the process's back."""
        connection = sqlite3.connect(self.store, timeout=30)
        with connection:
            connection.execute(sql)
        connection.close()

    def rows(self, sql: str) -> list[dict[str, Any]]:
        if self.postgres is not None:
            return postgres_rows(self.postgres, sql)
        connection = sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)
        connection.row_factory = sqlite3.Row
        try:
            return [dict(row) for row in connection.execute(sql)]
        finally:
            connection.close()


@pytest.fixture
def metrics_process(tmp_path: Path, spark_jars: Path) -> Iterator[MetricsProcess]:
    """Ends with the test, its JVM too; the log goes into the report of a failing test."""
    running = MetricsProcess(tmp_path, spark_jars)
    yield running
    if running.process is not None and running.process.poll() is None:
        running.process.terminate()
        try:
            running.process.wait(10)
        except subprocess.TimeoutExpired:
            running.process.kill()
            running.process.wait()
    if running.log.exists():
        sys.stderr.write(running.log.read_text())


def is_running(pid: int) -> bool:
    """Return True when a process with this id is alive; a zombie is not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
