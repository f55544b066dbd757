"""A second driver joins a running system by the commands of the documentation, is drained, and is killed."""

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.faults.test_kill_each_process import PARTITIONS, RATE, a_topic, assert_nothing_lost, wait_begun, wait_level
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import end_offsets
from tests.support.kafka.writer import Traffic, say
from tests.support.system import ROOT, RunningSystem

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.system, pytest.mark.timeout(600)]

PAGE = ROOT / "docs/operations/first-driver.md"
SECOND = "second"
JOIN_S, DRAIN_S, KILL_S = 10.0, 5.0, 15.0
DOUBLES = 4 * RATE  # two moves and a kill: a commit interval each, and what was in flight


class Terminal:
    """A clone's folder in which the system's state is `.srm`, as on the page."""

    def __init__(self, system: RunningSystem, folder: Path) -> None:
        self.folder = folder
        (folder / ".venv").symlink_to(ROOT / ".venv")
        (folder / ".srm").symlink_to(system.home)
        (folder / "tmp").mkdir()
        plain = {name: value for name, value in os.environ.items() if not name.startswith("SRM_")}
        self.environment = {**plain, "TMPDIR": str(folder / "tmp"), "SRM_PORT": str(system.port)}

    def start_driver(self) -> "subprocess.Popen[bytes]":
        """Run the page's block that starts a driver on the same machine, in a separate process group."""
        (block,) = (each for each in _blocks() if f"--id {SECOND}" in each)
        with (self.folder / "second.out").open("wb") as output:
            return subprocess.Popen(
                ["bash", "-ec", block],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def run(self, words: str) -> str:
        """Run the page's command that begins with these words."""
        command = next(line for block in _blocks() for line in block.splitlines() if line.startswith(words))
        done = subprocess.run(
            ["bash", "-ec", command], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=90
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def _blocks() -> list[str]:
    return re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)


@pytest.fixture
def terminal(system: RunningSystem, tmp_path: Path) -> Terminal:
    return Terminal(system, tmp_path)


@contextmanager
def second_driver(terminal: Terminal) -> Iterator["subprocess.Popen[bytes]"]:
    process = terminal.start_driver()
    try:
        yield process
    finally:
        kill_group(process)


def kill_group(process: "subprocess.Popen[bytes]") -> None:
    """kill -9 of the driver and all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait(30)


def tasks(system: RunningSystem, driver: str = SECOND) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [each for each in system.get("tasks")["items"] if each["driver"] == driver]
    return found


@contextmanager
def watched_status(system: RunningSystem) -> Iterator[set[str]]:
    """All statuses that the flow's page shows meanwhile."""
    seen: set[str] = set()
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.2):
            try:
                seen.add(system.flow("a", "b")["status"])
            except httpx.HTTPError as error:
                seen.add(f"page: {error}")

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join(30)


def wait_flowing_again(system: RunningSystem, clusters: TwoClusters, topic: str) -> float:
    began_s, before = time.monotonic(), end_offsets(clusters.target.bootstrap, f"a.{topic}", PARTITIONS)

    def advanced() -> bool:
        now = end_offsets(clusters.target.bootstrap, f"a.{topic}", PARTITIONS)
        return all(end > then + RATE // PARTITIONS for end, then in zip(now, before, strict=True))

    system.wait_until("every partition advances", advanced)
    return time.monotonic() - began_s


def test_a_second_driver_joins_is_drained_and_killed_by_the_commands_of_the_page(
    system: RunningSystem, two_clusters: TwoClusters, terminal: Terminal
) -> None:
    topic = a_topic(two_clusters)
    with Traffic(two_clusters.source.bootstrap, topic, PARTITIONS, RATE).flowing() as traffic:
        wait_begun(system, two_clusters, topic)
        system.wait_until("healthy", lambda: system.flow("a", "b")["status"] == "healthy")
        began_s = time.monotonic()
        with second_driver(terminal) as driver:
            system.wait_until("it reports", lambda: SECOND in {each["id"] for each in system.get("drivers")["items"]})
            joined_s = time.monotonic() - began_s
            assert SECOND in terminal.run(".venv/bin/srm-control drivers list")
            system.wait_until("it copies", lambda: any(each["kind"] == "source" for each in tasks(system)))
            with watched_status(system) as statuses:
                began_s = time.monotonic()
                terminal.run(".venv/bin/srm-control drivers drain")
                drained_s = time.monotonic() - began_s
                traffic.wait_for(3 * RATE)
            assert tasks(system) == []
            terminal.run(".venv/bin/srm-control drivers undrain")
            system.wait_until("it copies again", lambda: any(each["kind"] == "source" for each in tasks(system)))
            traffic.wait_for(RATE)
            kill_group(driver)
            flowing_s = wait_flowing_again(system, two_clusters, topic)

    wait_level(system, two_clusters, topic)
    doubles = assert_nothing_lost(two_clusters, topic, traffic.written)
    say(f"joined {joined_s:.1f} s, drained {drained_s:.1f} s, flowing after kill -9 {flowing_s:.1f} s, {doubles} twice")
    assert statuses == {"healthy"}
    assert joined_s <= JOIN_S
    assert drained_s <= DRAIN_S
    assert flowing_s <= KILL_S
    assert doubles <= DOUBLES
