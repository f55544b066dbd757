"""CPU and memory of the metrics process with everything that works for it, by part."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields

from tests.support.spark.processes import Process, tree

_EVERY_S = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Seconds of CPU. The JVM's are those of driver and executors."""

    driver: float = 0.0
    workers: float = 0.0
    jvm: float = 0.0
    database: float = 0.0

    @property
    def total(self) -> float:
        return self.driver + self.workers + self.jvm + self.database

    @property
    def driver_share(self) -> float:
        """Of the Python driver, in percent."""
        return 100 * self.driver / self.total

    def since(self, earlier: "Cost") -> "Cost":
        return Cost(**{each.name: getattr(self, each.name) - getattr(earlier, each.name) for each in fields(self)})


class CostMeter:
    """Looks at the processes below some roots again and again: Spark's daemon ignores workers that have ended."""

    def __init__(self, *roots: int) -> None:
        self._roots = roots
        self._seen: dict[tuple[int, int], Process] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look_often, daemon=True)

    def cost(self) -> Cost:
        """Everything used so far."""
        self._look()
        spent: dict[str, float] = {}
        with self._lock:
            for process in self._seen.values():
                part = part_of(process)
                spent[part] = spent.get(part, 0.0) + process.cpu_s
        return Cost(**spent)

    def start(self) -> None:
        self._look()
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def _look_often(self) -> None:
        while not self._stop.wait(_EVERY_S):
            self._look()

    def _look(self) -> None:
        found = {(each.pid, each.started_ticks): each for root in self._roots for each in tree(root)}
        with self._lock:
            self._seen |= found


@contextmanager
def metered(*roots: int) -> Iterator[CostMeter]:
    """A meter of everything below these processes, until the block ends."""
    meter = CostMeter(*roots)
    meter.start()
    try:
        yield meter
    finally:
        meter.stop()


def part_of(process: Process) -> str:
    """The part of the cost that a process belongs to, by its command."""
    program = process.command.split(" ", 1)[0].rpartition("/")[2]
    if process.is_daemon:
        return "workers"
    if program.startswith("postgres"):
        return "database"
    return "driver" if program.startswith("python") else "jvm"


def resident_bytes(root: int) -> Mapping[str, int]:
    """Resident memory by part, pages that processes share counted once."""
    found: dict[str, int] = {}
    for process in tree(root):
        part = part_of(process)
        found[part] = found.get(part, 0) + process.own_bytes
    return found
