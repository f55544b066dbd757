"""The whole system as `srm up` or `srm demo --empty` runs it: handles to kill its parts, eyes that share no code."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from confluent_kafka import KafkaException

from srm_cli.machine.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
START_S = 240.0  # Spark alone may take two minutes on a machine with much else to do
STOP_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One supervised process as `processes.json` describes it."""

    name: str
    state: str
    pid: int | None
    restarts: int


class RunningSystem:
    """`srm up` with these properties on its own state folder, or `srm demo` without properties; with these options.

    `service` is the folder of the service that is asked, below the state folder.
    """

    def __init__(
        self,
        home: Path,
        jars: Path,
        properties: str | None = None,
        *,
        options: tuple[str, ...] = (),
        service: str = "",
    ) -> None:
        self.home = home
        self.service_home = home / service
        self.port = free_port()
        home.mkdir(parents=True, exist_ok=True)
        (home / "jars").symlink_to(jars.parent)
        self._arguments = ["demo", *options]
        if properties is not None:
            config = home / "mm2.properties"
            config.write_text(properties)
            self._arguments = ["up", "--config", str(config), *options]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, until: str = "everything runs") -> None:
        """Start the processes and wait until the log says these words."""
        said = self.log().count(until)
        log = (self.home / "up.log").open("ab")
        command = [sys.executable, "-m", "srm_cli", *self._arguments, "--port", str(self.port)]
        env = {**os.environ, "SRM_HOME": str(self.home)}
        self._process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.wait_until(until, lambda: self.log().count(until) > said, START_S)

    def log(self) -> str:
        log = self.home / "up.log"
        return log.read_text() if log.exists() else ""

    def stop(self) -> None:
        """Ctrl-C; everything must be gone within a minute."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(STOP_S)
        finally:
            self._process.kill()

    @contextmanager
    def supervisor_frozen(self) -> Iterator[None]:
        """Nothing is restarted meanwhile."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def parts(self) -> dict[str, Part]:
        document = json.loads((self.home / "run/processes.json").read_text())
        return {
            entry["name"]: Part(name=entry["name"], state=entry["state"], pid=entry["pid"], restarts=entry["restarts"])
            for entry in document["processes"]
        }

    def kill(self, name: str) -> Part:
        """kill -9; answers what it was."""
        part = self.parts()[name]
        assert part.pid is not None
        os.kill(part.pid, signal.SIGKILL)
        return part

    def wait_back(self, killed: Part, timeout_s: float = 60) -> None:
        """Until the supervisor has it running again."""

        def is_back() -> bool:
            now = self.parts()[killed.name]
            return now.state == "running" and now.restarts > killed.restarts

        self.wait_until(f"{killed.name} is back", is_back, timeout_s)

    def wait_until(self, what: str, reached: Callable[[], bool], timeout_s: float = 60) -> None:
        deadline = time.monotonic() + timeout_s
        while not _quietly(reached):
            assert self._process is not None
            assert self._process.poll() is None, f"srm up ended: {self.log()[-2000:]}"
            assert time.monotonic() < deadline, f"not in {timeout_s:.0f} s: {what}\n{self.log()[-1500:]}"
            time.sleep(0.2)

    def get(self, path: str) -> Any:
        """A REST answer as the admin gets it."""
        return self.send("GET", path)

    def send(self, method: str, path: str, body: object = None) -> Any:
        """The answer to a request of the admin."""
        password = (self.service_home / "admin-password").read_text().strip()
        answer = httpx.request(method, f"{self.url}/api/v2/{path}", auth=("admin", password), json=body, timeout=40)
        answer.raise_for_status()
        return answer.json()

    def flow(self, source: str, target: str) -> dict[str, Any]:
        found: dict[str, Any] = self.get(f"replications/{source}/{target}")
        return found

    def tiles(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Rows of the metrics store, read beside everybody else."""
        path = self.home / "metrics/metrics.sqlite3"
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
        try:
            return connection.execute(query, parameters).fetchall()
        finally:
            connection.close()

    def leftovers(self) -> list[str]:
        """Command lines that still name the state folder."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                text = _quiet_read(entry / "cmdline") + _quiet_read(entry / "environ")
                if f"SRM_HOME={self.home}" in text or str(self.home / "redis") in text:
                    found.append(text[:200])
        return found


def _quiet_read(path: Path) -> str:
    try:
        return path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _quietly(reached: Callable[[], bool]) -> bool:
    try:
        return reached()
    except (OSError, ValueError, KeyError, httpx.HTTPError, sqlite3.Error, KafkaException):  # not there yet
        return False
