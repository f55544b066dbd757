"""Holds processes to a part of a core: stops them when they have used more, and continues them later."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.support.spark.processes import tree

_EVERY_S = 0.02
_LOOK_EVERY = 10  # for new processes, which takes longer than the rest
_MOST_CREDIT_S = 0.1
_SCHEDULER = 2


class Throttle:
    """Each root and all below it use so many cores together, from `begin` on."""

    def __init__(self, roots: list[int], cores: float) -> None:
        self._cores = cores
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._throttle, args=(root,), daemon=True) for root in roots]

    def begin(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def _throttle(self, root: int) -> None:
        pids: list[int] = []
        used: dict[int, float] = {}
        credit_s, looked_s, turn = 0.0, time.monotonic(), 0
        running = True
        while not self._over.wait(_EVERY_S):
            if turn % _LOOK_EVERY == 0:
                pids = [process.pid for process in tree(root)]
            turn += 1
            now_s = time.monotonic()
            credit_s = min(_MOST_CREDIT_S, credit_s + (now_s - looked_s) * self._cores - _spent(pids, used))
            looked_s = now_s
            if running != (credit_s > 0):
                running = not running
                _signal(pids, signal.SIGCONT if running else signal.SIGSTOP)
        _signal([process.pid for process in tree(root)], signal.SIGCONT)


@contextmanager
def throttled(roots: list[int], cores: float) -> Iterator[Throttle]:
    """A throttle that has not begun yet; processes are continued at the end of the block."""
    throttle = Throttle(roots, cores)
    try:
        yield throttle
    finally:
        throttle.end()


def _spent(pids: list[int], used: dict[int, float]) -> float:
    """Seconds of CPU since the last call; in nanoseconds of the scheduler, as its ticks are too coarse here."""
    spent = 0.0
    for pid in pids:
        now_s = _used_s(pid)
        spent += max(0.0, now_s - used.get(pid, now_s))
        used[pid] = now_s
    return spent


def _used_s(pid: int) -> float:
    """The CPU clock of another process, by the number that clock_getcpuclockid(3) gives it; 0.0 when it has ended."""
    try:
        return time.clock_gettime(~pid << 3 | _SCHEDULER)
    except OSError:
        return 0.0


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
