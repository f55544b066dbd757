"""Watches a driver while its groups move: memory of the control worker, and how late plans and heartbeats are."""

import itertools
import json
import os
import threading
from pathlib import Path

from redis import Redis

from replication.codecs.mm2_records import decode_heartbeat
from replication.domain.identifiers import TaskId
from replication.worker.state import keys
from tests.support.drivers.whole_driver import TARGET, WholeDriver
from tests.support.kafka.kafka_records import read_all

EVERY_S = 0.25
PLAN = TaskId("east", "plan", 0)


def tree_mb(pid: int) -> float:
    """Resident memory of a process and its children in MB (1e6 bytes)."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6 + sum(tree_mb(int(child)) for child in children)


class Sampler:
    """Samples on its own thread from `start` to `stop`."""

    def __init__(self, driver: WholeDriver) -> None:
        self._driver = driver
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self.most_mb = 0.0
        self._plan_runs_ms: set[int] = set()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def plans_late_s(self, interval_s: float) -> float:
        return late_s(sorted(self._plan_runs_ms), interval_s)

    def _sample(self) -> None:
        pid = self._driver.processes["control"].pid
        with Redis.from_url(self._driver.redis.url) as client:
            while not self._over.wait(EVERY_S):
                self.most_mb = max(self.most_mb, tree_mb(pid))
                raw = client.get(keys.live(TARGET, PLAN))
                last_run_ms = json.loads(raw).get("last_run_ms") if isinstance(raw, bytes) else None
                if last_run_ms is not None:
                    self._plan_runs_ms.add(last_run_ms)


def late_s(times_ms: list[int], interval_s: float) -> float:
    """Return how much longer than the interval the longest pause was."""
    pauses = [(later - earlier) / 1_000 for earlier, later in itertools.pairwise(times_ms)]
    return max((pause - interval_s for pause in pauses), default=float("inf"))


def heartbeats_late_s(target: str, since_ms: int, interval_s: float) -> float:
    (records,) = read_all(target, "heartbeats")
    sent = [decode_heartbeat(each.key, each.value) for each in records]
    times_ms = [each.timestamp_ms for each in sent if each.source == "east" and each.timestamp_ms >= since_ms]
    return late_s(times_ms, interval_s)
