"""Limits how fast a slot may read: its share of the flow's throttle, and the quotas of the brokers."""

from replication.domain.control.throttle import Throttle, TokenBucket
from replication.domain.errors import Cause

CALM_S = 2.0  # without any wait for so long, the slot counts as not throttled


class SlotPace:
    """One per slot. While it holds the slot back, `cause` says why; the time held back is counted.

    `now_s` is monotonic: a clock that is set back must not hold a slot back. `now_ms` is the time of the day.
    """

    __slots__ = ("_bucket", "_counted_to_s", "_last_wait_s", "cause", "is_limited", "throttled_ms")

    def __init__(self) -> None:
        self._bucket = TokenBucket()
        self._last_wait_s = 0.0
        self._counted_to_s = 0.0
        self.is_limited = False  # by the flow's throttle
        self.cause: Cause | None = None
        self.throttled_ms = 0  # in all

    def adopt(self, throttle: Throttle, now_ms: int, now_s: float) -> None:
        """Apply the limit of this moment; also ends a throttled state that is over."""
        rate = throttle.share_at(now_ms)
        self.is_limited = rate is not None
        self._bucket.set_rate(rate, now_s)
        if self.cause is not None and now_s - self._last_wait_s > CALM_S:
            self.cause = None

    def note_read(self, size: int, now_s: float) -> None:
        """So many bytes came in; matters only while the slot is limited."""
        self._bucket.consume(size, now_s)

    def wait_s(self, now_ms: int, now_s: float) -> float:
        """Return how long the next fetch must wait."""
        seconds = self._bucket.wait_s(now_s)
        if seconds > 0:
            text = f"the flow's throttle gives this task {self._bucket.rate:,} bytes per second"
            self._count("throttle", text, seconds, now_ms, now_s)
        return seconds

    def most_bytes(self, ceiling: int) -> int:
        """Return how much one fetch may ask for."""
        return self._bucket.most_bytes(ceiling)

    def note_quota(self, cluster: str, throttle_time_ms: int, now_ms: int, now_s: float) -> None:
        """A broker's quota delayed an answer by so long, or mutes us for it."""
        text = f"a quota of cluster {cluster} slows this task down; raise it for the user or client id of the flow"
        self._count("quota", text, throttle_time_ms / 1000, now_ms, now_s)

    def _count(self, code: str, text: str, wait_s: float, now_ms: int, now_s: float) -> None:
        if self.cause is None or self.cause.code != code:
            self.cause = Cause(code=code, text=text, topic=None, partition=None, since_ms=now_ms)
        until_s = now_s + wait_s
        self.throttled_ms += round(1000 * max(0.0, until_s - max(now_s, self._counted_to_s)))
        self._counted_to_s = max(self._counted_to_s, until_s)
        self._last_wait_s = max(self._last_wait_s, until_s)
