"""Holds reading back to a rate, and says why."""

from replication.domain.control.throttle import TokenBucket
from replication.domain.errors import Cause

CALM_S = 2.0  # without any wait for so long, nothing is held back any more


class Pace:
    """A rate that may change. While it holds reading back, `cause` says why.

    `now_s` is monotonic: a clock that is set back must not hold anything back. `now_ms` is the time of the day.
    """

    __slots__ = ("_bucket", "_last_wait_s", "cause")

    def __init__(self) -> None:
        self._bucket = TokenBucket()
        self._last_wait_s = 0.0
        self.cause: Cause | None = None

    def set_rate(self, rate: int | None, now_s: float) -> None:
        """Apply the rate of this moment; also ends a throttled state that is over."""
        self._bucket.set_rate(rate, now_s)
        if self.cause is not None and now_s - self._last_wait_s > CALM_S:
            self.cause = None

    def note_read(self, size: int, now_s: float) -> None:
        """So many bytes came in."""
        self._bucket.consume(size, now_s)

    def most_bytes(self, ceiling: int, shared_by: int = 1) -> int:
        """Return how much one fetch may ask for, of each of those that share the rate."""
        return self._bucket.most_bytes(ceiling, shared_by)

    def _note_wait(self, cause: Cause, until_s: float) -> None:
        """Reading is held back until then; a cause is kept from its first moment."""
        if self.cause is None or self.cause.code != cause.code:
            self.cause = cause
        self._last_wait_s = max(self._last_wait_s, until_s)
