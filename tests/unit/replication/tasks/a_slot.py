"""A slot's context on a virtual clock, for parts that ask clusters questions."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.offsets.positions import Position
from replication.domain.plan.slot import ClusterClient, PlannedPartition, SlotSpec
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from tests.support.engine.virtual_loop import VirtualLoop

TOPIC_ID = bytes([7] * 16)


def a_context(loop: VirtualLoop, ports: dict[str, Any], **changes: Any) -> SlotContext:
    """`ports` holds only those the part under test may use."""
    spec = SlotSpec(
        flow=FlowId("a", "b"),
        slot=0,
        generation=1,
        plan_version=1,
        source=ClusterClient(alias="a", bootstrap=("a:1",)),
        target=ClusterClient(alias="b", bootstrap=("b:1",)),
        partitions=(),
        offset_syncs_topic="syncs",
    )
    return SlotContext(
        spec=replace(spec, **changes),
        ports=cast("Any", SimpleNamespace(loop=loop, memory=None, **ports)),
        driver="d",
        boot="b",
    )


def planned(topic: str, partition: int = 0, remote: str | None = None) -> PlannedPartition:
    return PlannedPartition(
        upstream=TopicPartition(topic, partition), remote_topic=remote or f"a.{topic}", topic_id=TOPIC_ID
    )


def a_copy(context: SlotContext, topic: str, partition: int = 0, position: int = 0) -> PartitionCopy:
    copy = PartitionCopy(
        planned(topic, partition),
        Position(next_offset=position, topic_id=TOPIC_ID),
        offset_lag_max=100,
        pace=context.pace,
    )
    copy.cursor.set_leader(1)
    copy.queue.set_leader(1)
    context.roster.add(copy)
    return copy
