"""The beat of the network loop: when it ran last, and how late it ran."""

from collections import deque

BEAT_S = 1.0
_KEPT_BEATS = 10


class LoopBeat:
    """The loop calls `note` every BEAT_S; any thread calls the other methods. Times are monotonic seconds."""

    def __init__(self, now_s: float) -> None:
        self._last_s = now_s
        self._late_s: deque[float] = deque(maxlen=_KEPT_BEATS)

    def restart(self, now_s: float) -> None:
        """Begin again: the loop starts now."""
        self._last_s = now_s
        self._late_s.clear()

    def note(self, now_s: float) -> None:
        """The loop runs."""
        self._late_s.append(max(0.0, now_s - self._last_s - BEAT_S))
        self._last_s = now_s

    def silent_s(self, now_s: float) -> float:
        """Return the seconds since the last beat."""
        return now_s - self._last_s

    def lag_ms(self, now_s: float) -> int:
        """Return by how much the loop was late at most during the last ten beats, in ms."""
        overdue_s = self.silent_s(now_s) - BEAT_S
        return round(1000 * max(0.0, overdue_s, *tuple(self._late_s)))
