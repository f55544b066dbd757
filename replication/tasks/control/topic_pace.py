"""Limits how fast a slot reads one topic, or one partition of it."""

from replication.domain.control.orders import TopicThrottle
from replication.domain.errors import Cause
from replication.domain.identifiers import TopicPartition
from replication.tasks.control.pace import Pace


class TopicPace(Pace):
    """One per throttled topic or partition of a slot, for all of its partitions there."""

    __slots__ = ("_throttle", "_waiting")

    def __init__(self, throttle: TopicThrottle, now_s: float) -> None:
        super().__init__()
        self._waiting: dict[TopicPartition, float] = {}  # since when, or since when it is not counted
        self.adopt(throttle, now_s)

    def adopt(self, throttle: TopicThrottle, now_s: float) -> None:
        """Apply the throttle of this moment."""
        self._throttle = throttle
        self.set_rate(throttle.bytes_per_second, now_s)

    @property
    def are_waiting(self) -> bool:
        """True while partitions sit out of fetches."""
        return bool(self._waiting)

    def wait_s(self, now_ms: int, now_s: float) -> float:
        """Return how long the next fetch must wait."""
        seconds = self._bucket.wait_s(now_s)
        if seconds > 0:
            topic, partition, rate = self._throttle.topic, self._throttle.partition, self._throttle.bytes_per_second
            place = topic if partition is None else f"{topic}-{partition}"
            text = f"the throttle of {place} gives this task {rate:,} bytes per second"
            cause = Cause(code="throttle", text=text, topic=topic, partition=partition, since_ms=now_ms)
            self._note_wait(cause, now_s + seconds)
        return seconds

    def let_wait(self, upstream: TopicPartition, now_s: float) -> None:
        """The partition sits out of fetches."""
        self._waiting.setdefault(upstream, now_s)

    def take(self, upstream: TopicPartition) -> float | None:
        """The partition waits no more; returns since when it did, None if it did not."""
        return self._waiting.pop(upstream, None)

    def take_waits(self, now_s: float, *, are_over: bool) -> dict[TopicPartition, float]:
        """Return the partitions that wait, with the time that was not returned before."""
        waits = {upstream: now_s - since_s for upstream, since_s in self._waiting.items()}
        self._waiting = {} if are_over else dict.fromkeys(waits, now_s)
        return waits
