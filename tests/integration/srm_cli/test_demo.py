"""`srm demo` as a whole: three flows with traffic, parts that die, an end without leftovers."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from srm_cli.errors import OperatorError
from srm_cli.machine.home import HomeFolder
from srm_cli.machine.jars import missing_jars
from srm_cli.machine.ports import free_port
from srm_cli.machine.processes import wait_until
from srm_cli.service.rest import ServiceClient, latest
from srm_cli.supervisor.report import ProcessReport, read_report

pytestmark = [pytest.mark.system, pytest.mark.kafka, pytest.mark.slow, pytest.mark.timeout(420)]

_FLOWS = {("us-east", "eu-central"), ("eu-central", "us-east"), ("us-east", "analytics")}


@dataclass(slots=True, kw_only=True)
class Demo:
    folder: HomeFolder
    port: int
    process: "subprocess.Popen[bytes]"
    output: Path

    def row(self, name: str) -> ProcessReport:
        return next(row for row in read_report(self.folder.processes_file) if row.name == name)

    def flows(self) -> list[dict[str, Any]]:
        try:
            password = self.folder.admin_password_file.read_text().strip()
            return ServiceClient(f"http://127.0.0.1:{self.port}", "admin", password).replications()
        except (OSError, OperatorError):
            return []

    def all_flow(self) -> bool:
        moving = {
            (flow["source"], flow["target"])
            for flow in self.flows()
            if flow["status"] == "healthy" and (latest(flow, "records_per_second") or 0) > 0
        }
        return moving == _FLOWS

    def expect(self, condition: Callable[[], bool], seconds: float) -> None:
        if not wait_until(condition, seconds, 0.5):
            rows = "\n".join(map(str, read_report(self.folder.processes_file)))
            pytest.fail(f"{self.output.read_text()[-3000:]}\n{rows}\n{self.flows()}")


@pytest.fixture
def demo(tmp_path: Path, kafka_jars: Path) -> Iterator[Demo]:
    if missing_jars(kafka_jars.parent / "spark", "spark"):
        pytest.skip("Spark's jars are not there: `srm doctor --fix` fetches them")
    folder = HomeFolder(path=tmp_path / "home").create()
    (folder.path / "jars").symlink_to(kafka_jars.parent)
    output, port = tmp_path / "demo.out", free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SRM_", "DJANGO_"))}
    with output.open("wb") as target:
        process = subprocess.Popen(
            [sys.executable, "-m", "srm_cli", "demo", "--port", str(port)],
            stdout=target,
            stderr=target,
            cwd=Path(__file__).parents[3],
            env={**environment, "SRM_HOME": str(folder.path)},
        )
    running = Demo(folder=folder, port=port, process=process, output=output)
    yield running
    if process.poll() is None:
        process.terminate()
        process.wait(120)


def _leftovers(folder: HomeFolder) -> list[str]:
    """Command lines of living processes that carry this state folder in their arguments or environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            traces = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
        except OSError:
            continue
        if str(folder.path).encode() in traces:
            found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()[:200])
    return found


@pytest.mark.parametrize(
    "killed",
    [
        pytest.param(("driver-data", "redis"), id="data worker and Redis"),
        pytest.param(("driver-control", "service", "metrics"), id="the others", marks=pytest.mark.large),
    ],
)
def test_all_flows_move_survive_a_kill_of_each_part_and_end_without_leftovers(
    demo: Demo, killed: tuple[str, ...]
) -> None:
    demo.expect(demo.all_flow, 150)
    for name in killed:
        before = demo.row(name)
        assert before.pid is not None
        os.kill(before.pid, signal.SIGKILL)
        demo.expect(lambda: demo.row(name).state == "running" and demo.row(name).restarts > before.restarts, 60)  # noqa: B023
    demo.expect(demo.all_flow, 60)
    demo.process.send_signal(signal.SIGINT)
    assert demo.process.wait(120) == 0
    assert wait_until(lambda: not _leftovers(demo.folder), 10.0), _leftovers(demo.folder)
    assert demo.output.read_text().rstrip().endswith("stopped")
