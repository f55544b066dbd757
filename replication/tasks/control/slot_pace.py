"""Limits how fast a slot may read: its share of the flow's throttle, and the quotas of the brokers."""

from replication.domain.control.throttle import Throttle
from replication.domain.errors import Cause
from replication.tasks.control.pace import Pace


class SlotPace(Pace):
    """One per slot. The time that the slot is held back is counted."""

    __slots__ = ("_counted_to_s", "is_limited", "throttled_ms")

    def __init__(self) -> None:
        super().__init__()
        self._counted_to_s = 0.0
        self.is_limited = False  # by the flow's throttle
        self.throttled_ms = 0  # in all

    def adopt(self, throttle: Throttle, now_ms: int, now_s: float) -> None:
        """Apply the limit of this moment; also ends a throttled state that is over."""
        rate = throttle.share_at(now_ms)
        self.is_limited = rate is not None
        self.set_rate(rate, now_s)

    def wait_s(self, now_ms: int, now_s: float) -> float:
        """Return how long the next fetch must wait."""
        seconds = self._bucket.wait_s(now_s)
        if seconds > 0:
            text = f"the flow's throttle gives this task {self._bucket.rate:,} bytes per second"
            self._count("throttle", text, seconds, now_ms, now_s)
        return seconds

    def note_quota(self, cluster: str, throttle_time_ms: int, now_ms: int, now_s: float) -> None:
        """A broker's quota delayed an answer by so long, or mutes us for it."""
        text = f"a quota of cluster {cluster} slows this task down; raise it for the user or client id of the flow"
        self._count("quota", text, throttle_time_ms / 1000, now_ms, now_s)

    def _count(self, code: str, text: str, wait_s: float, now_ms: int, now_s: float) -> None:
        until_s = now_s + wait_s
        self._note_wait(Cause(code=code, text=text, topic=None, partition=None, since_ms=now_ms), until_s)
        self.throttled_ms += round(1000 * max(0.0, until_s - max(now_s, self._counted_to_s)))
        self._counted_to_s = max(self._counted_to_s, until_s)
