"""Watches a process while groups move: its memory and CPU; of a driver also how late plans and heartbeats are."""

import itertools
import json
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis import Redis

from replication.codecs.mm2_records import decode_heartbeat
from replication.domain.identifiers import TaskId
from replication.worker.state import keys
from tests.benchmarks.sides import cpu_seconds
from tests.support.drivers.whole_driver import TARGET
from tests.support.kafka.kafka_records import read_all

EVERY_S = 0.25
PLAN, CHECKPOINTS = TaskId("east", "plan", 0), TaskId("east", "checkpoint", 0)


def tree(pid: int) -> list[int]:
    """Return a process and its children."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []
    return [pid, *(each for child in children for each in tree(int(child)))]


def tree_mb(pid: int) -> float:
    """Resident memory of a process and its children in MB (1e6 bytes)."""
    pages = sum(int(Path(f"/proc/{each}/statm").read_text().split()[1]) for each in tree(pid))
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Sampler:
    """Samples a process on its own thread from `start` to `stop`; `look` is called each time."""

    def __init__(self, pid: int, look: Callable[[], None] | None = None) -> None:
        self._pid = pid
        self._look = look
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._began_cpu_s = 0.0
        self.most_mb = 0.0
        self.cpu_s = 0.0

    def start(self) -> None:
        self._began_cpu_s = self._cpu_s()
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()
        self.cpu_s = self._cpu_s() - self._began_cpu_s

    def _cpu_s(self) -> float:
        return sum(cpu_seconds(each) for each in tree(self._pid))

    def _sample(self) -> None:
        while not self._over.wait(EVERY_S):
            self.most_mb = max(self.most_mb, tree_mb(self._pid))
            if self._look is not None:
                self._look()


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A checkpoint round as the live state has it."""

    took_ms: int
    requests: int
    groups: int


class DriverWatch:
    """Reads the live state of a planner and a checkpoint task: their runs, by the time of each."""

    def __init__(self, redis_url: str) -> None:
        self._redis = Redis.from_url(redis_url)
        self.plan_runs_ms: set[int] = set()
        self.rounds: dict[int, Round] = {}

    def look(self) -> None:
        plan, checkpoints = self._live(PLAN), self._live(CHECKPOINTS)
        if plan.get("last_run_ms") is not None:
            self.plan_runs_ms.add(plan["last_run_ms"])
        if checkpoints.get("last_round_ms") is not None:
            self.rounds[checkpoints["last_round_ms"]] = Round(
                took_ms=checkpoints["took_ms"],
                requests=checkpoints["requests"],
                groups=checkpoints["groups"]["total"],
            )

    def has_round_over(self, groups: int) -> bool:
        """Return True when a round over so many groups has ended."""
        self.look()
        return any(each.groups == groups for each in self.rounds.values())

    def _live(self, task: TaskId) -> dict[str, Any]:
        raw = self._redis.get(keys.live(TARGET, task))
        found: dict[str, Any] = json.loads(raw) if isinstance(raw, bytes) else {}
        return found


def late_s(times_ms: list[int], interval_s: float) -> float:
    """Return how much longer than the interval the longest pause was; 0 if none was longer."""
    pauses = [(later - earlier) / 1_000 for earlier, later in itertools.pairwise(times_ms)]
    return max(0.0, max(pauses) - interval_s) if pauses else float("inf")


def heartbeats_late_s(target: str, since_ms: int, interval_s: float) -> float:
    (records,) = read_all(target, "heartbeats")
    sent = [decode_heartbeat(each.key, each.value) for each in records]
    times_ms = [each.timestamp_ms for each in sent if each.source == "east" and each.timestamp_ms >= since_ms]
    return late_s(times_ms, interval_s)
