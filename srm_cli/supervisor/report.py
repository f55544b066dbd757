"""The report `SRM_HOME/run/processes.json`: supervised processes and their states, for `srm status` and tests."""

import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

State = Literal["waiting", "starting", "running", "done", "backing_off", "failing", "stopping", "stopped"]


@dataclass(slots=True, kw_only=True)
class ProcessReport:
    """The state of one process since `since_ms`; `note` explains it."""

    name: str
    state: State = "waiting"
    pid: int | None = None
    restarts: int = 0
    since_ms: int = 0
    note: str = ""


class ReportFile:
    """The report file, replaced atomically on every change."""

    def __init__(self, path: Path, names: tuple[str, ...]) -> None:
        self._path = path
        self.rows = {name: ProcessReport(name=name, since_ms=_now_ms()) for name in names}

    def set(self, name: str, state: State, *, pid: int | None = None, note: str = "", restarted: bool = False) -> None:
        row = self.rows[name]
        row.state, row.pid, row.note, row.since_ms = state, pid, note, _now_ms()
        row.restarts += restarted
        self.write()

    def write(self) -> None:
        document = {
            "v": 1,
            "supervisor_pid": os.getpid(),
            "written_ms": _now_ms(),
            "processes": [asdict(row) for row in self.rows.values()],
        }
        scratch = self._path.with_suffix(".json.new")
        scratch.write_text(json.dumps(document, indent=1))
        scratch.replace(self._path)


def read_report(path: Path) -> list[ProcessReport]:
    """Read the report; empty when there is none."""
    if not path.exists():
        return []
    return [ProcessReport(**row) for row in json.loads(path.read_text())["processes"]]


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
