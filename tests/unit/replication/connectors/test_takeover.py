"""MirrorMaker is proved to have stopped by what only MirrorMaker writes."""

from collections.abc import Callable

import pytest

from replication.codecs.connect_offsets import SourceOffsetKey, encode_position, encode_source_key
from replication.connectors.takeover import ClusterPorts, Takeover, TakeoverRequest
from replication.domain.errors import OriginalDriverActiveError
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.replication_policy import DefaultPolicy, IdentityPolicy, ReplicationPolicy
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryProducer, MemoryRecordLog

POSITIONS, SYNCS = "mm2-offsets.east.internal", "mm2-offset-syncs.west.internal"
IDENTITY = IdentityPolicy("east")


def side(cluster: MemoryCluster) -> ClusterPorts:
    return ClusterPorts(admin=MemoryAdmin(cluster), log=MemoryRecordLog(cluster), producer=MemoryProducer(cluster))


def write(cluster: MemoryCluster, topic: str, key: bytes = b"k", value: bytes = b"v") -> None:
    producer = MemoryProducer(cluster)
    producer.send(topic, key=key, value=value, partition=0)
    producer.flush()


def takeover(
    east: MemoryCluster, west: MemoryCluster, policy: ReplicationPolicy, meanwhile: Callable[[], None]
) -> Takeover:
    """Of a flow that copied `orders`; `meanwhile` happens between the two looks."""
    for cluster, names in (
        (east, ["orders", SYNCS]),
        (west, [policy.format_remote_topic("east", "orders"), POSITIONS]),
    ):
        for name in names:
            cluster.create(name)
    key = encode_source_key(SourceOffsetKey(cluster="east", upstream=TopicPartition("orders", 0)))
    write(west, POSITIONS, key, encode_position(5))
    order = TakeoverRequest(flow=FlowId("east", "west"), policy=policy)
    return Takeover(order, side(east), side(west), sleep=lambda _: meanwhile())


def test_writers_of_their_own_in_a_topic_that_keeps_its_name_are_no_mirror_maker(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    takeover(east, west, IDENTITY, lambda: write(west, "orders")).require_stopped()


def test_a_remote_topic_of_the_flows_own_that_grows_is_named(east: MemoryCluster, west: MemoryCluster) -> None:
    growing = takeover(east, west, DefaultPolicy(), lambda: write(west, "east.orders"))
    with pytest.raises(OriginalDriverActiveError, match=r"east\.orders-0 on cluster west"):
        growing.require_stopped()


@pytest.mark.parametrize("policy", [IDENTITY, DefaultPolicy()])
def test_positions_that_are_still_written_tell_of_a_running_mirror_maker(
    east: MemoryCluster, west: MemoryCluster, policy: ReplicationPolicy
) -> None:
    with pytest.raises(OriginalDriverActiveError, match=rf"{POSITIONS}-0 on cluster west"):
        takeover(east, west, policy, lambda: write(west, POSITIONS)).require_stopped()


def test_offset_syncs_that_are_still_written_tell_of_a_running_mirror_maker(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    with pytest.raises(OriginalDriverActiveError, match=rf"{SYNCS}-0 on cluster east"):
        takeover(east, west, IDENTITY, lambda: write(east, SYNCS)).require_stopped()


def test_members_of_the_group_are_counted(east: MemoryCluster, west: MemoryCluster) -> None:
    west.group("east-mm2").members = 2
    with pytest.raises(OriginalDriverActiveError, match=r"2 member\(s\)"):
        takeover(east, west, IDENTITY, lambda: None).require_stopped()
