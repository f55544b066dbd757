"""A supervisor in a separate process, looking after tiny Python children."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from srm_cli.machine.processes import identify, wait_until

_RUNNER = """
import asyncio, json, signal, sys
from pathlib import Path
from srm_cli.machine.home import HomeFolder
from srm_cli.supervisor.spec import ProcessSpec
from srm_cli.supervisor.supervisor import Supervisor

children = json.loads(sys.argv[2])
specs = tuple(
    ProcessSpec(
        name=each["name"],
        command=(sys.executable, "-S", "-c", each["code"]),
        after=tuple(each.get("after", ())),
        one_shot=each.get("one_shot", False),
        fatal_code=each.get("fatal_code"),
        silent_within_seconds=each.get("silent_within_seconds", 0.0),
        ready_within_seconds=each.get("ready_within_seconds", 60.0),
        probe=(lambda _, path=each["ready_file"]: Path(path).exists()) if "ready_file" in each else None,
    )
    for each in children
)
steps = ((signal.SIGTERM, 0.5), (signal.SIGQUIT, 0.5))
folder = HomeFolder(path=Path(sys.argv[1])).create()
options = json.loads(sys.argv[3])
supervisor = Supervisor(folder, specs, say=lambda line: print(line, flush=True), stop_steps=steps, **options)
sys.exit(asyncio.run(supervisor.run()))
"""


@dataclass(slots=True, kw_only=True)
class RunningSupervisor:
    home: Path
    process: "subprocess.Popen[str]"
    output: Path

    def row(self, name: str) -> dict[str, Any]:
        try:
            document = json.loads((self.home / "run" / "processes.json").read_text())
        except FileNotFoundError:
            return {"state": None, "pid": None, "restarts": 0}
        return next(row for row in document["processes"] if row["name"] == name)

    def wait_for(self, name: str, state: str, *, restarts: int = 0) -> int:
        def holds() -> bool:
            row = self.row(name)
            return bool(row["state"] == state and row["restarts"] == restarts)

        assert wait_until(holds, 15.0), f"{self.row(name)}\n{self.output.read_text()}"
        return int(self.row(name)["pid"] or 0)

    def stays_alive(self, pid: int, seconds: float) -> bool:
        return not wait_until(lambda: identify(pid) is None, seconds)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


Supervise = Callable[..., RunningSupervisor]


def gone(pid: int) -> bool:
    return wait_until(lambda: identify(pid) is None, 10.0)


@pytest.fixture
def supervise(tmp_path: Path) -> Iterator[Supervise]:
    started: list[RunningSupervisor] = []

    def start(children: list[dict[str, Any]], **options: bool) -> RunningSupervisor:
        output = tmp_path / "supervisor.out"
        with output.open("w") as target:
            process = subprocess.Popen(
                [sys.executable, "-c", _RUNNER, str(tmp_path / "home"), json.dumps(children), json.dumps(options)],
                stdout=target,
                stderr=target,
                text=True,
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
            )
        started.append(RunningSupervisor(home=tmp_path / "home", process=process, output=output))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.stop()
