"""Groups that all move at once, and what the target's checkpoints say about them."""

import os
import time
from collections.abc import Callable

from replication.codecs.mm2_records import decode_checkpoint
from replication.domain.groups.consumer_group import Commit
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import ClusterClient
from replication.kafka.topic_tail import TopicTail
from replication.wire.groups.group_admin import WireGroupAdmin

GROUPS = int(os.environ.get("GROUP_COUNT", "10000"))
TOPICS = 100
PARTITIONS = 10
RECORDS = 100  # per partition
TOPIC_NAMES = [f"bench-groups-{number:03d}" for number in range(TOPICS)]


class MovingGroups:
    """Each group reads one topic. Their places are set as an operator does, because they have no members."""

    def __init__(self, source: str) -> None:
        self._admin = WireGroupAdmin(ClusterClient(alias="east", bootstrap=(source,)))

    def move(self, offset: int) -> float:
        """Set all groups to this offset; returns the seconds that it took."""
        began = time.monotonic()
        wanted = {
            f"bench-{number:05d}": {
                TopicPartition(TOPIC_NAMES[number % TOPICS], partition): Commit(offset)
                for partition in range(PARTITIONS)
            }
            for number in range(GROUPS)
        }
        refused = [each for found in self._admin.alter(wanted).values() for each in found.values() if each is not None]
        if refused:
            raise RuntimeError(f"{len(refused)} commits are refused: {refused[0].text}")
        return time.monotonic() - began

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
                self._upstream[key] = decode_checkpoint(key, value).upstream_offset
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
