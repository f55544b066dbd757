"""Limits how fast a slot may read: its share of the flow's throttle, and the quotas of the brokers."""

from replication.domain.control.throttle import Throttle, TokenBucket
from replication.domain.errors import Cause

CALM_MS = 2_000  # without any wait for so long, the slot counts as not throttled


class SlotPace:
    """One per slot. While it holds the slot back, `cause` says why; the time held back is counted."""

    __slots__ = ("_bucket", "_counted_to_ms", "_last_wait_ms", "cause", "is_limited", "throttled_ms")

    def __init__(self) -> None:
        self._bucket = TokenBucket()
        self._last_wait_ms = 0
        self._counted_to_ms = 0
        self.is_limited = False  # by the flow's throttle
        self.cause: Cause | None = None
        self.throttled_ms = 0  # in all

    def adopt(self, throttle: Throttle, now_ms: int) -> None:
        """Apply the limit of this moment; also ends a throttled state that is over."""
        rate = throttle.share_at(now_ms)
        self.is_limited = rate is not None
        self._bucket.set_rate(rate, now_ms / 1000)
        if self.cause is not None and now_ms - self._last_wait_ms > CALM_MS:
            self.cause = None

    def note_read(self, size: int, now_ms: int) -> None:
        """So many bytes came in; matters only while the slot is limited."""
        self._bucket.consume(size, now_ms / 1000)

    def wait_s(self, now_ms: int) -> float:
        """Return how long the next fetch must wait."""
        seconds = self._bucket.wait_s(now_ms / 1000)
        if seconds > 0:
            text = f"the flow's throttle gives this task {self._bucket.rate:,} bytes per second"
            self._count("throttle", text, int(seconds * 1000), now_ms)
        return seconds

    def most_bytes(self, ceiling: int) -> int:
        """Return how much one fetch may ask for."""
        return self._bucket.most_bytes(ceiling)

    def note_quota(self, cluster: str, throttle_time_ms: int, now_ms: int) -> None:
        """A broker's quota delayed an answer by so long, or mutes us for it."""
        text = f"a quota of cluster {cluster} slows this task down; raise it for the user or client id of the flow"
        self._count("quota", text, throttle_time_ms, now_ms)

    def _count(self, code: str, text: str, wait_ms: int, now_ms: int) -> None:
        if self.cause is None or self.cause.code != code:
            self.cause = Cause(code=code, text=text, topic=None, partition=None, since_ms=now_ms)
        until_ms = now_ms + wait_ms
        self.throttled_ms += max(0, until_ms - max(now_ms, self._counted_to_ms))
        self._counted_to_ms = max(self._counted_to_ms, until_ms)
        self._last_wait_ms = max(self._last_wait_ms, until_ms)
