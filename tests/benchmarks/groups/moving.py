"""Groups that all move at once, and what the target's checkpoints say about them."""

import os
import struct
import time
from collections.abc import Callable

from confluent_kafka import Producer

from replication.domain.groups.consumer_group import Commit
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import ClusterClient
from replication.kafka.topic_tail import TopicTail
from replication.wire.groups.group_admin import WireGroupAdmin

GROUPS = int(os.environ.get("GROUP_COUNT", "10000"))
TOPICS = 100
PARTITIONS = 10
PLACES = GROUPS * PARTITIONS
TOPIC_NAMES = [f"bench-groups-{number:03d}" for number in range(TOPICS)]
_TRIES = 5  # the first commits of a cluster wait until the topic of offsets exists
_UPSTREAM = struct.Struct(">hq")  # a checkpoint's value begins with version and upstream offset


class MovingGroups:
    """Each group reads one topic to its end. Its place is set as an operator does, because it has no members."""

    def __init__(self, source: str) -> None:
        self._admin = WireGroupAdmin(ClusterClient(alias="east", bootstrap=(source,)))
        self._producer = Producer({"bootstrap.servers": source, "linger.ms": 20, "queue.buffering.max.messages": 10**6})
        self.end = 0  # of each partition

    def produce(self, records: int) -> None:
        """Write so many records to each partition."""
        for name in TOPIC_NAMES:
            for number in range(records * PARTITIONS):
                self._producer.produce(name, b"v", partition=number % PARTITIONS)
            self._producer.poll(0)
        if self._producer.flush(240) > 0:
            raise RuntimeError("the source did not take all records")
        self.end += records

    def move(self) -> float:
        """Write a record to each partition and let all groups read it; returns the seconds that the commits took."""
        self.produce(1)
        began = time.monotonic()
        waiting = [f"bench-{number:05d}" for number in range(GROUPS)]
        for _ in range(_TRIES):
            found = self._admin.alter({name: self._places(name) for name in waiting})
            waiting = [name for name, problems in found.items() if any(problems.values())]
            if not waiting:
                return time.monotonic() - began
        raise RuntimeError(f"the commits of {len(waiting)} groups are refused")

    def _places(self, group: str) -> dict[TopicPartition, Commit]:
        topic, commit = TOPIC_NAMES[int(group[-5:]) % TOPICS], Commit(self.end)
        return {TopicPartition(topic, number): commit for number in range(PARTITIONS)}

    def close(self) -> None:
        self._admin.close()


class CheckpointFollower:
    """Follows a checkpoints topic."""

    def __init__(self, target: str, topic: str) -> None:
        self._tail = TopicTail(ClusterClient(alias="target", bootstrap=(target,)), topic)
        self._upstream: dict[bytes, int] = {}

    def moved(self, offset: int) -> int:
        """Return how many places of groups are translated from this offset on."""
        for message in self._tail.new_records():
            key, value = message.key(), message.value()
            if isinstance(key, bytes) and isinstance(value, bytes):
                self._upstream[key] = _UPSTREAM.unpack_from(value)[1]
        return sum(each >= offset for each in self._upstream.values())

    def close(self) -> None:
        self._tail.close()


def seconds_until(holds: Callable[[], bool], limit_s: float, what: str) -> float:
    """Return how long it took."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > limit_s:
            raise TimeoutError(f"not within {limit_s:.0f} s: {what}")
        time.sleep(0.25)
    return time.monotonic() - began
