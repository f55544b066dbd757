"""The throttles of topics and partitions in a slot: a partition sits out of fetches until its rate allows the next."""

from collections import Counter
from collections.abc import Iterable, Sequence

from replication.domain.control.orders import TopicThrottle
from replication.domain.identifiers import TopicPartition
from replication.ports.loop import Loop
from replication.tasks.control.topic_pace import TopicPace
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.partition_roster import PartitionRoster

_UNBOUNDED = 1 << 31


class TopicPaces:
    """One per slot. Partitions without a throttle are read meanwhile, also by the same fetch."""

    def __init__(self, loop: Loop, roster: PartitionRoster) -> None:
        self._loop = loop
        self._roster = roster
        self._paces: dict[tuple[str, int | None], TopicPace] = {}
        self.are_set = False  # read with every fetch

    def adopt(self, throttles: Sequence[TopicThrottle]) -> list[PartitionCopy]:
        """Apply the throttles of this moment; returns the partitions that must be asked for in another way."""
        if not throttles and not self.are_set:
            return []
        now_ms, now_s = self._loop.now_ms(), self._loop.monotonic_s()
        wanted = {(each.topic, each.partition): each for each in throttles if each.is_in_force(now_ms)}
        ended = [self._paces.pop(place) for place in self._paces.keys() - wanted.keys()]
        for pace in self._paces.values():
            self._count(pace, now_s, are_over=False)
        for place, throttle in wanted.items():
            if place in self._paces:
                self._paces[place].adopt(throttle, now_s)
            else:
                self._paces[place] = TopicPace(throttle, now_s)
        self.are_set = bool(self._paces)
        changed = self._slow_down()
        return changed + [copy for pace in ended for copy in self._count(pace, now_s, are_over=True)]

    def note_read(self, copy: PartitionCopy, size: int) -> None:
        """So many bytes of the partition came in."""
        now_s = self._loop.monotonic_s()
        for pace in copy.paces:
            pace.note_read(size, now_s)

    def must_wait(self, copy: PartitionCopy) -> bool:
        """Return True if the partition may not be read now; `take_due` returns it when it may."""
        now_ms, now_s = self._loop.now_ms(), self._loop.monotonic_s()
        for pace in copy.paces:
            if pace.wait_s(now_ms, now_s) > 0:
                pace.let_wait(copy.upstream, now_s)
                return True
        return False

    def forget(self, copy: PartitionCopy) -> None:
        """The partition is not to be read, whether its rate allows it or not."""
        for pace in copy.paces:
            since_s = pace.take(copy.upstream)
            if since_s is not None:
                copy.counters.add_throttled(self._loop.monotonic_s() - since_s)

    def take_due(self) -> list[PartitionCopy]:
        """Return the partitions that waited and may be read now."""
        now_s = self._loop.monotonic_s()
        due = [pace for pace in self._paces.values() if pace.are_waiting and self._wait_s(pace) == 0]
        return [copy for pace in due for copy in self._count(pace, now_s, are_over=True)]

    def next_due_s(self, most_s: float) -> float:
        """Return the time until a partition that waits may be read, at most `most_s`."""
        return min((most_s, *(self._wait_s(pace) for pace in self._paces.values() if pace.are_waiting)))

    def _wait_s(self, pace: TopicPace) -> float:
        return pace.wait_s(self._loop.now_ms(), self._loop.monotonic_s())

    def _slow_down(self) -> list[PartitionCopy]:
        """Give every partition its limits; those of one topic share the size of its fetches. Returns the changed."""
        of_copies = [(copy, self._of(copy.upstream)) for copy in self._roster.copies.values()]
        sharing = Counter(pace for _, paces in of_copies for pace in paces)
        changed = []
        for copy, paces in of_copies:
            most_bytes = min((pace.most_bytes(_UNBOUNDED, sharing[pace]) for pace in paces), default=None)
            if copy.cursor.most_bytes != most_bytes:
                changed.append(copy)
            copy.slow_down(paces, most_bytes)
        return changed

    def _of(self, upstream: TopicPartition) -> tuple[TopicPace, ...]:
        places = (upstream.topic, None), (upstream.topic, upstream.partition)
        return tuple(self._paces[place] for place in places if place in self._paces)

    def _count(self, pace: TopicPace, now_s: float, *, are_over: bool) -> Iterable[PartitionCopy]:
        """Count the time that partitions waited for the limit, and return them."""
        waits = pace.take_waits(now_s, are_over=are_over)
        copies = [(self._roster.copies.get(upstream), waited_s) for upstream, waited_s in waits.items()]
        for copy, waited_s in copies:
            if copy is not None:
                copy.counters.add_throttled(waited_s)
        return [copy for copy, _ in copies if copy is not None]
