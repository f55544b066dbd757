"""The demonstration for a long time, watched: nothing is broken on purpose.

Well means: after the start no process was restarted, every enabled flow was healthy at each look but a few, its lag did
not grow, and no process kept growing.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from srm_cli.errors import OperatorError
from srm_cli.machine.home import HomeFolder
from srm_cli.machine.ports import free_port
from srm_cli.machine.processes import wait_until
from srm_cli.service.rest import ServiceClient, latest
from srm_cli.supervisor.report import read_report

REPOSITORY = Path(__file__).resolve().parents[3]
_LOOK_SECONDS = 30.0
_START_SECONDS = 240.0
_WORST_UNHEALTHY_RATIO = 0.02
_WORST_GROWTH = 1.25
_FEW_RECORDS = 20_000


@dataclass(slots=True, kw_only=True)
class Observations:
    looks: int = 0
    unhealthy: list[str] = field(default_factory=list)
    lags: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    rss_bytes: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    restarts: dict[str, int] = field(default_factory=dict)


def judge(seen: Observations) -> list[str]:
    """Return the problems that were found; empty when the soak passed."""
    problems = [f"{name} was restarted {count} time(s)" for name, count in seen.restarts.items() if count]
    if len(seen.unhealthy) > _WORST_UNHEALTHY_RATIO * max(1, seen.looks):
        problems.append(f"{len(seen.unhealthy)} of {seen.looks} looks were not healthy, first {seen.unhealthy[0]}")
    problems += [
        f"lag of {flow} grew to {values[-1]:,.0f} records"
        for flow, values in seen.lags.items()
        if _last_third(values) > max(_FEW_RECORDS, 2 * _middle_third(values))
    ]
    problems += [
        f"memory of {name} grew from {_middle_third(values) / 2**20:.0f} to {_last_third(values) / 2**20:.0f} MB"
        for name, values in seen.rss_bytes.items()
        if len(values) >= 12 and _last_third(values) > _WORST_GROWTH * _middle_third(values)
    ]
    return problems


def run_calm(minutes: float) -> int:
    """Exit code 1 when it did not stay well."""
    with tempfile.TemporaryDirectory(prefix="srm-soak-") as scratch:
        folder = HomeFolder(path=Path(scratch)).create()
        jars = os.environ.get("SRM_JARS") or f"{os.environ.get('SRM_HOME', REPOSITORY / '.srm')}/jars"
        (folder.path / "jars").symlink_to(jars)
        port = free_port()
        demo = subprocess.Popen(
            [sys.executable, "-m", "srm_cli", "demo", "--port", str(port)],
            env={**os.environ, "SRM_HOME": str(folder.path)},
            cwd=REPOSITORY,
        )
        try:
            seen = _observe(folder, port, minutes * 60)
        finally:
            demo.terminate()
            demo.wait(150)
    problems = judge(seen)
    click.echo("\n".join(problems) or f"well for {minutes:.0f} minutes, {seen.looks} looks")
    return 1 if problems else 0


def _observe(folder: HomeFolder, port: int, seconds: float) -> Observations:
    if not wait_until(lambda: _has_started(folder), _START_SECONDS, 1.0):
        raise SystemExit("the demonstration did not start within 4 minutes")
    before = {row.name: row.restarts for row in read_report(folder.processes_file)}
    client = ServiceClient(f"http://127.0.0.1:{port}", "admin", folder.admin_password_file.read_text().strip())
    seen = Observations()
    deadline = time.monotonic() + seconds
    time.sleep(min(60.0, seconds / 4))  # the first minute is start, not steady state
    while time.monotonic() < deadline:
        _look(seen, folder, client)
        time.sleep(min(_LOOK_SECONDS, max(0.0, deadline - time.monotonic())))
    seen.restarts = {row.name: row.restarts - before[row.name] for row in read_report(folder.processes_file)}
    return seen


def _look(seen: Observations, folder: HomeFolder, client: ServiceClient) -> None:
    seen.looks += 1
    try:
        flows = [flow for flow in client.replications() if flow["status"] != "disabled"]
    except OperatorError as error:
        seen.unhealthy.append(str(error))
        return
    for flow in flows:
        name = f"{flow['source']}->{flow['target']}"
        if flow["status"] != "healthy":
            seen.unhealthy.append(f"{name} {flow['status']}: {flow['reason']}")
        if (lag := latest(flow, "lag_offsets")) is not None:
            seen.lags[name].append(lag)
    for row in read_report(folder.processes_file):
        if row.pid is not None:
            seen.rss_bytes[row.name].append(_rss_bytes(row.pid))


def _has_started(folder: HomeFolder) -> bool:
    rows = read_report(folder.processes_file)
    return bool(rows) and all(row.state in ("running", "done") for row in rows)


def _rss_bytes(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _middle_third(values: Sequence[float]) -> float:
    return _mean(values[len(values) // 3 : 2 * len(values) // 3])


def _last_third(values: Sequence[float]) -> float:
    return _mean(values[2 * len(values) // 3 :])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
