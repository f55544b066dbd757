"""Every slot that the target may know of is fenced before MirrorMaker gets its positions."""

from collections.abc import Collection

import pytest

from replication.codecs.connect_offsets import SourceOffsetKey, encode_position, encode_source_key
from replication.codecs.producer_registry import encode_producer
from replication.connectors.slot_fencing import fence_slots
from replication.connectors.takeover import ClusterPorts, HandbackResult, Takeover, TakeoverRequest
from replication.domain.errors import AuthorizationError, FencedError, OriginalDriverActiveError
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.domain.names.replication_policy import DefaultPolicy
from replication.domain.produce.producer_registry import RegisteredProducer
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryProducer, MemoryRecordLog

FLOW = FlowId("east", "west")
POSITIONS, SYNCS = "mm2-offsets.east.internal", "mm2-offset-syncs.west.internal"


class Fence:
    """Notes what is fenced, and how many positions stood there by then."""

    def __init__(self, *known: str, west: MemoryCluster | None = None, error: Exception | None = None) -> None:
        self._known = known
        self._west = west
        self._error = error
        self.fenced: list[str] = []
        self.partitions: set[TopicPartition] = set()
        self.positions_before: list[int] = []

    def known_ids(self) -> Collection[str]:
        return self._known

    def fence(self, transactional_id: str, partitions: Collection[TopicPartition]) -> None:
        if self._error is not None:
            raise self._error
        self.fenced.append(transactional_id)
        self.partitions |= set(partitions)
        if self._west is not None:
            self.positions_before.append(len(list(MemoryRecordLog(self._west).read_to_end(POSITIONS))))

    def close(self) -> None: ...


def register(west: MemoryCluster, source: str, slot: int, generation: int = 0) -> None:
    entry = RegisteredProducer(
        producer_id=slot + 70, source=source, target="west", slot=slot, since_ms=1, generation=generation
    )
    key, value = encode_producer(entry)
    write(west, PRODUCERS_TOPIC, key, value)


def write(cluster: MemoryCluster, topic: str, key: bytes, value: bytes) -> None:
    producer = MemoryProducer(cluster)
    producer.send(topic, key=key, value=value, partition=0)
    producer.flush()


def ids(slots: int) -> list[str]:
    return [f"srm.west.east.{slot}" for slot in range(slots)]


def test_the_settings_alone_tell_the_least(west: MemoryCluster) -> None:
    fence = Fence("srm.west.other.9", "srm.west.east.x", "srm.west.east.", "somebody")

    assert fence_slots(FLOW, MemoryRecordLog(west), fence, [], least=2) == 2
    assert fence.fenced == ids(2)


def test_slots_of_all_generations_are_known_by_the_cluster_or_by_the_registry(west: MemoryCluster) -> None:
    west.create(PRODUCERS_TOPIC)
    register(west, "other", 8, 2)
    register(west, "east", 3, 2)
    register(west, "east", 1)
    write(west, PRODUCERS_TOPIC, b"x", b"no entry")
    fence = Fence("srm.west.east.5.g1", "srm.west.east.4", "srm.west.east.5.gx", "srm.west.east.0.g2.x")

    assert fence_slots(FLOW, MemoryRecordLog(west), fence, [], least=1) == 7
    assert fence.fenced == [
        *(f"srm.west.east.{slot}" for slot in (0, 1, 4)),
        *(f"srm.west.east.{slot}.g1" for slot in (0, 5)),
        *(f"srm.west.east.{slot}.g2" for slot in (0, 3)),
    ]


def test_generations_of_positions_tell_the_least_where_the_cluster_tells_nothing(west: MemoryCluster) -> None:
    fence = Fence()

    assert fence_slots(FLOW, MemoryRecordLog(west), fence, [], least=2, generations=[3]) == 2
    assert fence.fenced == ["srm.west.east.0.g3", "srm.west.east.1.g3"]


def test_a_slot_that_is_taken_again_meanwhile_tells_of_a_driver_that_runs(west: MemoryCluster) -> None:
    fence = Fence(error=FencedError("another owner"))

    with pytest.raises(OriginalDriverActiveError, match="just restarted slot 0"):
        fence_slots(FLOW, MemoryRecordLog(west), fence, [], least=1)


def a_takeover(east: MemoryCluster, west: MemoryCluster) -> Takeover:
    for cluster, name in ((east, "orders"), (east, SYNCS), (west, "east.orders"), (west, "else"), (west, POSITIONS)):
        cluster.create(name)
    key = encode_source_key(SourceOffsetKey(cluster="east", upstream=TopicPartition("orders", 0)))
    write(west, POSITIONS, key, encode_position(5))
    sides = [
        ClusterPorts(admin=MemoryAdmin(cluster), log=MemoryRecordLog(cluster), producer=MemoryProducer(cluster))
        for cluster in (east, west)
    ]
    return Takeover(TakeoverRequest(flow=FLOW, policy=DefaultPolicy(), tasks_max=2), *sides)


def test_slots_are_fenced_where_they_write_before_anything_is_given_back(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    fence = Fence(west=west)

    given = a_takeover(east, west).hand_back(fence)

    assert given == HandbackResult(positions=1, syncs=0, slots=2)
    assert fence.fenced == ids(2)
    assert fence.positions_before == [1, 1]
    assert {partition.topic for partition in fence.partitions} == {"east.orders", POSITIONS}
    assert len(list(MemoryRecordLog(west).read_to_end(POSITIONS))) == 2


def test_nothing_is_written_while_a_slot_cannot_be_fenced(east: MemoryCluster, west: MemoryCluster) -> None:
    giving = a_takeover(east, west)

    with pytest.raises(AuthorizationError):
        giving.hand_back(Fence(error=AuthorizationError("WRITE is missing")))

    assert len(list(MemoryRecordLog(west).read_to_end(POSITIONS))) == 1
