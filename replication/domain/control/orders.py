"""A person's orders to a running flow: hold partitions back, and continue to read them from another offset."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from replication.domain.identifiers import TopicPartition
from replication.domain.settings.choices import LogEnd


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """One topic, or one partition of it, that is not copied for now."""

    topic: str
    partition: int | None = None
    until_ms: int | None = None
    reason: str = ""

    def covers(self, upstream: TopicPartition, now_ms: int) -> bool:
        """Return True when this hold keeps the partition back at this moment."""
        is_over = self.until_ms is not None and self.until_ms <= now_ms
        return not is_over and self.topic == upstream.topic and self.partition in (None, upstream.partition)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToOffset:
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToTimestamp:
    timestamp_ms: int


ResetTo = ToOffset | ToTimestamp | LogEnd


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """An order to continue a partition elsewhere; carried out once, answered by its id."""

    id: str
    topic: str
    partition: int
    to: ResetTo

    @property
    def upstream(self) -> TopicPartition:
        return TopicPartition(self.topic, self.partition)


REMEMBERED_RESETS = 16


def hold_of(holds: Iterable[Hold], upstream: TopicPartition, now_ms: int) -> Hold | None:
    """The first hold that keeps the partition back now, the one of the partition itself before one of its topic."""
    found = [hold for hold in holds if hold.covers(upstream, now_ms)]
    return min(found, key=lambda hold: hold.partition is None, default=None)


def pending_resets(resets: Iterable[Reset], upstream: TopicPartition, done: Collection[str]) -> tuple[Reset, ...]:
    """Return the orders still to be carried out; of several for one partition only the last one counts."""
    return tuple(reset for reset in resets if reset.upstream == upstream and reset.id not in done)


def remembered(done: tuple[str, ...], carried_out: Iterable[Reset]) -> tuple[str, ...]:
    """The ids to keep with the position, newest last."""
    return (*done, *(reset.id for reset in carried_out))[-REMEMBERED_RESETS:]
