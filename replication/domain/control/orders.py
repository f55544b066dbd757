"""A person's orders to a running flow: hold partitions back, restart them, and continue to read them elsewhere."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from replication.domain.identifiers import TopicPartition
from replication.domain.settings.choices import LogEnd


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicOrder:
    """An order for one topic, or one partition of it, that may have an end."""

    topic: str
    partition: int | None = None
    until_ms: int | None = None
    reason: str = ""

    def covers(self, upstream: TopicPartition, now_ms: int) -> bool:
        """Return True if the order concerns the partition and has not ended."""
        return self.is_in_force(now_ms) and self.names(upstream)

    def names(self, upstream: TopicPartition) -> bool:
        """Return True if the partition is the order's, or one of its topic."""
        return self.topic == upstream.topic and self.partition in (None, upstream.partition)

    def is_in_force(self, now_ms: int) -> bool:
        """Return True until the order's end."""
        return self.until_ms is None or self.until_ms > now_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold(TopicOrder):
    """One topic, or one partition of it, that is not read for now. Its task keeps it and reports it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(TopicOrder):
    """One topic, or one partition of it, that no task has for now. Its position remains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicThrottle(TopicOrder):
    """One topic, or one partition of it, that is read at most this fast. Tasks share the rate by their partitions."""

    bytes_per_second: int

    def share(self, partitions: int, all_partitions: int) -> "TopicThrottle":
        """Return the throttle of a task that has so many of the partitions concerned."""
        if self.partition is not None or partitions >= all_partitions:
            return self
        return replace(self, bytes_per_second=max(1, self.bytes_per_second * partitions // all_partitions))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartOrder:
    """An order to begin again at the committed position: all tasks, one of them, a topic, or a partition of it.

    Carried out once. A task that starts with the order among its own has carried it out by starting.
    """

    id: str
    task: int | None = None  # the slot of a source task; None: every one that has the topic
    topic: str | None = None  # None: the whole task
    partition: int | None = None

    def concerns(self, slot: int) -> bool:
        """Return True if the slot carries it out, for the partitions that it has."""
        return self.task in (None, slot)

    def covers(self, upstream: TopicPartition) -> bool:
        """Return True if the partition begins again within its task."""
        return self.topic == upstream.topic and self.partition in (None, upstream.partition)


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


def restarts_task(before: Iterable[RestartOrder], now: Iterable[RestartOrder]) -> bool:
    """Return True if a restart of the whole task is new. Orders that are forgotten restart nothing."""
    known = {restart.id for restart in before}
    return any(restart.topic is None and restart.id not in known for restart in now)
