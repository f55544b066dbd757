"""Computes the time in which a slot lets records gather at the source before it fetches again.

A fetch and a produce cost about the same whether they carry one record or a hundred: at some thousand tiny batches a
second a short wait saves most of a core, at the price of half of it in latency. At lower rates there is no wait.
"""

import math

SMALL_ANSWER_BYTES = 64 * 1024  # a larger one did not lack records
OFTEN_PER_SECOND = 1_500.0  # from that many batches a second on an adaptive linger waits
SELDOM_PER_SECOND = 1_000.0  # below that it stops to
ADAPTIVE_MS = 1.0  # the shortest the loop can wait
_MEMORY_S = 0.25  # the time constant of the rate
_SHORTEST_INTERVAL_S = 0.0001


class Linger:
    """One per source broker. Times are seconds of a monotonic clock."""

    __slots__ = ("_answered_s", "_is_on", "_per_second", "_was_small")

    def __init__(self) -> None:
        self._answered_s: float | None = None
        self._per_second = 0.0
        self._was_small = False
        self._is_on = False

    def answered(self, batches: int, size_bytes: int, now_s: float) -> None:
        """A fetch brought so many batches, or none."""
        self._was_small = 0 < size_bytes < SMALL_ANSWER_BYTES
        if self._answered_s is not None:
            interval_s = max(_SHORTEST_INTERVAL_S, now_s - self._answered_s)
            weight = 1.0 - math.exp(-interval_s / _MEMORY_S)
            self._per_second += weight * (batches / interval_s - self._per_second)
        self._answered_s = now_s
        self._is_on = self._per_second >= (SELDOM_PER_SECOND if self._is_on else OFTEN_PER_SECOND)

    def wait_s(self, fixed_ms: float | None) -> float:
        """Return the seconds to wait after the last answer; `fixed_ms` None chooses them by load."""
        if not self._was_small:
            return 0.0
        if fixed_ms is not None:
            return fixed_ms / 1000
        return ADAPTIVE_MS / 1000 if self._is_on else 0.0
