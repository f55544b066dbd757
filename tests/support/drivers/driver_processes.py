"""Real driver processes over the embedded Redis, for tests of leases, take-over and outages."""

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from cryptography.fernet import Fernet
from redis import Redis

from replication.config.security.signed_document import signed
from replication.domain.assignment.assignment import DriverRole
from replication.domain.desired.desired_document import DesiredCluster, DesiredDocument, DesiredFlow, desired_to_json
from replication.domain.desired.desired_drivers import Drain, Restart
from replication.worker.state import keys
from srm_cli.machine.processes import ProcessIdentity, end, start_detached, wait_until
from srm_cli.system.commands import UNAWARE_OF_OTHERS
from tests.support.drivers.driver_orders import publish_orders
from tests.support.engine.fake_engine import Event, read_trace
from tests.support.servers.redis import RunningRedis

SOURCE, TARGET = "east", "west"
START_S = 30.0


@dataclass(slots=True)
class Fleet:
    """Starts drivers of one Redis; their fake slots write into one trace."""

    redis: RunningRedis
    folder: Path
    transport_key: str = field(default_factory=lambda: Fernet.generate_key().decode())
    processes: list[ProcessIdentity] = field(default_factory=list)
    revision: int = 0

    @property
    def trace(self) -> Path:
        return self.folder / "trace.jsonl"

    def start_both(self, driver: str, **environment: str) -> tuple[ProcessIdentity, ProcessIdentity]:
        return self.start(driver, "control", **environment), self.start(driver, "data", **environment)

    def start(self, driver: str, role: DriverRole, **environment: str) -> ProcessIdentity:
        log = self.folder / f"{driver}.{role}.log"
        env = self._environment(driver, role) | environment
        process = start_detached(_command(driver, role), log=log, env=env, tie_to_parent=True)
        self.processes.append(process)
        return process

    def start_elsewhere(self, driver: str, role: DriverRole) -> ProcessIdentity:
        """As on another host: with another state folder."""
        return self.start(driver, role, SRM_HOME=str(self.folder / "elsewhere"))

    def run_elsewhere(self, driver: str, role: DriverRole, seconds: float) -> subprocess.CompletedProcess[str]:
        """As on another host, until the process ends by itself."""
        env = self._environment(driver, role) | {"SRM_HOME": str(self.folder / "elsewhere")}
        return subprocess.run(_command(driver, role), env=env, timeout=seconds, capture_output=True, text=True)

    def _environment(self, driver: str, role: DriverRole) -> dict[str, str]:
        return os.environ | {
            "SRM_HOME": str(self.folder / "home"),
            "SRM_REDIS_URL": self.redis.url,
            "SRM_TRANSPORT_KEYS": self.transport_key,
            "SRM_DRIVER_ID": driver,
            "SRM_DRIVER_ROLE": role,
            "SRM_DRIVER_TARGETS": "*",
            "SRM_TEST_TRACE": str(self.trace),
        }

    def publish(self, *flows: DesiredFlow, target: str = TARGET) -> None:
        """As a service does: replace the document, then nudge."""
        self.revision += 1
        aliases = {target, *(flow.source for flow in flows)}
        document = DesiredDocument(
            target=target,
            revision=self.revision,
            published_ms=time.time_ns() // 1_000_000,
            clusters={alias: DesiredCluster(bootstrap=("127.0.0.1:1",)) for alias in aliases},
            flows=flows,
        )
        with self.client() as client:
            client.set(keys.desired(target), signed([self.transport_key], desired_to_json(document)))
            client.publish(keys.NUDGE_CHANNEL, f"{target} {self.revision}")

    def order(self, drains: dict[str, Drain] | None = None, restarts: dict[str, Restart] | None = None) -> None:
        """As a service does: replace the driver orders, then nudge."""
        self.revision += 1
        with self.client() as client:
            publish_orders(client, self.transport_key, self.revision, drains or {}, restarts or {})

    def member(self, driver: str, role: DriverRole = "data") -> dict[str, Any]:
        """The membership of a process; empty if there is none."""
        with self.client() as client:
            text = cast("bytes | None", client.get(keys.member(driver, role)))
        return {} if text is None else cast("dict[str, Any]", json.loads(text))

    def holders(self, kind: str = "source") -> dict[str, str]:
        """The driver that holds the lease of each task of a kind, by target and task."""
        with self.client() as client:
            names = sorted(key.decode() for key in client.scan_iter(match=f"{keys.PREFIX}lease:*", count=1_000))
            values = cast("list[bytes | None]", client.mget(names)) if names else []
        prefix = f"{keys.PREFIX}lease:"
        held = {name.removeprefix(prefix): value for name, value in zip(names, values, strict=True)}
        return {name: value.decode().split("|")[0] for name, value in held.items() if value and f"/{kind}/" in name}

    def client(self) -> Redis:
        return Redis.from_url(self.redis.url, socket_timeout=5)

    def live(self, task: str) -> dict[str, Any] | None:
        with self.client() as client:
            text = cast("bytes | None", client.get(f"{keys.PREFIX}live:{TARGET}:{task}"))
        return None if text is None else cast("dict[str, Any]", json.loads(text))

    def live_of(self, tasks: Sequence[str]) -> dict[str, dict[str, Any] | None]:
        with self.client() as client:
            texts = cast("list[bytes | None]", client.mget([f"{keys.PREFIX}live:{TARGET}:{task}" for task in tasks]))
        return {task: None if text is None else json.loads(text) for task, text in zip(tasks, texts, strict=True)}

    def waiting_messages(self, driver: str, role: DriverRole) -> int:
        """The messages in the queues of a process, of all its boots."""
        with self.client() as client:
            queues = list(client.scan_iter(match=f"{keys.CELERY_PREFIX}srm.driver.{driver}.{role}*", count=1_000))
            return sum(cast("int", client.llen(queue)) for queue in queues if client.type(queue) == b"list")

    def lease(self, task: str) -> str | None:
        with self.client() as client:
            text = cast("bytes | None", client.get(f"{keys.PREFIX}lease:{TARGET}:{task}"))
        return None if text is None else text.decode()

    def lease_of_pid(self, pid: int) -> str | None:
        """A lease held by the process whose slot ran last under this pid."""
        slots = [slot for slot, pids in self.running().items() if pid in pids]
        return self.lease(f"{SOURCE}/source/{slots[0]}") if slots else None

    def state(self, task: str) -> str | None:
        document = self.live(task)
        return None if document is None else str(document["state"])

    def wait_for_state(self, task: str, state: str, seconds: float = 10.0) -> None:
        assert wait_until(lambda: self.state(task) == state, seconds), f"{task} is {self.state(task)}\n{self.logs()}"

    def want(self) -> dict[str, str]:
        with self.client() as client:
            want = cast("dict[bytes, bytes]", client.hgetall(keys.want(TARGET)))
        return {task.decode(): driver.decode() for task, driver in want.items()}

    def has_key(self, key: str) -> bool:
        with self.client() as client:
            return bool(client.exists(key))

    def forget_redis_data(self) -> None:
        """Of a stopped server, so that it comes back empty."""
        shutil.rmtree(self.redis.config.parent / "appendonlydir")

    def events(self) -> list[Event]:
        return read_trace(self.trace)

    def running(self) -> dict[int, set[int]]:
        """Slot -> pids whose slot has beaten during the last second."""
        since_s = time.monotonic() - 1.0
        slots: dict[int, set[int]] = {}
        ended = {(event.slot, event.pid, event.boot): event.at_s for event in self.events() if event.what == "end"}
        for event in self.events():
            is_over = ended.get((event.slot, event.pid, event.boot), 0.0) >= event.at_s
            if event.what in ("start", "beat") and event.at_s >= since_s and not is_over:
                slots.setdefault(event.slot, set()).add(event.pid)
        return slots

    def wait_for_slots(self, *numbers: int, seconds: float = START_S) -> None:
        """Until exactly these slots run, each in one process."""

        def all_run() -> bool:
            running = self.running()
            return set(running) == set(numbers) and all(len(pids) == 1 for pids in running.values())

        assert wait_until(all_run, seconds, 0.1), f"slots {numbers} do not run: {self.running()}\n{self.logs()}"

    def logs(self) -> str:
        return "\n".join(f"--- {log.name}\n{log.read_text()[-4000:]}" for log in sorted(self.folder.glob("*.log")))

    def kill(self, process: ProcessIdentity) -> None:
        os.kill(process.pid, signal.SIGKILL)
        assert wait_until(lambda: not process.is_alive, 5.0)

    def terminate(self, process: ProcessIdentity, seconds: float) -> float:
        """SIGTERM; answers the seconds until the process was gone."""
        began_s = time.monotonic()
        os.kill(process.pid, signal.SIGTERM)
        assert wait_until(lambda: not process.is_alive, seconds), f"still there after {seconds} s\n{self.logs()}"
        return time.monotonic() - began_s

    def stop(self) -> None:
        end(self.processes, grace_seconds=12.0)


def _command(driver: str, role: DriverRole) -> list[str]:
    command = [sys.executable, "-m", "celery", "--quiet", "-A", "tests.support.drivers.worker_app", "worker"]
    return [*command, "--pool", "threads", "--hostname", f"{driver}.{role}@%h", *UNAWARE_OF_OTHERS]


def let_pass(seconds: float) -> None:
    """An outage has to last for a while."""
    wait_until(lambda: False, seconds)


def overlaps(events: list[Event]) -> list[tuple[Event, Event]]:
    """Pairs of notes in which two processes ran a slot at the same time."""
    found: list[tuple[Event, Event]] = []
    for slot in {event.slot for event in events}:
        runs: dict[tuple[int, str, int], list[Event]] = {}
        starts: Counter[tuple[int, str]] = Counter()
        for event in sorted((event for event in events if event.slot == slot), key=lambda event: event.at_s):
            starts[event.pid, event.boot] += event.what == "start"
            runs.setdefault((event.pid, event.boot, starts[event.pid, event.boot]), []).append(event)
        ordered = sorted(runs.values(), key=lambda run: run[0].at_s)
        found += [
            (before[-1], after[0]) for before, after in itertools.pairwise(ordered) if after[0].at_s < before[-1].at_s
        ]
    return found


def longest_pause_s(events: list[Event], slot: int, since_s: float) -> float:
    """The longest time a slot gave no sign."""
    times = [since_s, *(event.at_s for event in events if event.slot == slot and event.at_s >= since_s)]
    return max(after - before for before, after in itertools.pairwise(times))


@pytest.fixture
def fleet(own_redis: RunningRedis, tmp_path: Path) -> Iterator[Fleet]:
    made = Fleet(redis=own_redis, folder=tmp_path / "fleet")
    made.folder.mkdir()
    yield made
    made.stop()
