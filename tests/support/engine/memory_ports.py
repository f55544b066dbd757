"""The ports of a slot on two clusters in memory, as the data engine puts them together on sockets."""

from replication.domain.names.internal_topics import GAPS, OFFSET_RUNS, POSITIONS, PRODUCERS_TOPIC, RAW_METRICS
from replication.memory.broker import MemoryCluster
from replication.memory.fetch import MemoryBatchFetcher
from replication.memory.history import MemoryProducerRegistry, MemoryTargetHistory
from replication.memory.metadata import MemoryLink
from replication.memory.produce import MemoryBatchProducer, MemoryRecordAppender
from replication.memory.transactions import MemoryOwnerLog, MemoryPositionStore, MemoryTransactions
from replication.ports.loop import Loop
from replication.tasks.slot_context import SlotPorts
from replication.wire.batches.batch_opener import WireBatchOpener
from replication.wire.batches.record_path import WireRecordPath

SYNCS_TOPIC = "syncs"


def slot_ports(loop: Loop, source: MemoryCluster, target: MemoryCluster, round_trip_s: float = 0.0) -> SlotPorts:
    """Every adapter of a slot that keeps its offset syncs in the source."""
    links = MemoryLink(loop, source, round_trip_s=round_trip_s), MemoryLink(loop, target, round_trip_s=round_trip_s)
    transactions = MemoryTransactions(loop, target, round_trip_s)
    return SlotPorts(
        loop=loop,
        connections=links,
        source=links[0],
        target=links[1],
        fetcher=MemoryBatchFetcher(loop, source),
        producer=MemoryBatchProducer(loop, target, transactions, round_trip_s),
        transactions=transactions,
        positions=MemoryPositionStore(loop, target, transactions),
        history=MemoryTargetHistory(loop, target, source),
        records=MemoryRecordAppender(loop, target),
        syncs=MemoryRecordAppender(loop, source),
        opener=WireBatchOpener(),
        record_path=WireRecordPath(),
        producers=MemoryProducerRegistry(loop, source),
        owners=MemoryProducerRegistry(loop, target),
        claims=MemoryOwnerLog(loop, target, transactions),
    )


def create_internal_topics(source: MemoryCluster, target: MemoryCluster) -> None:
    """Create the topics that the planner creates for a flow, with one partition each."""
    for topic in (POSITIONS, OFFSET_RUNS, GAPS, RAW_METRICS):
        target.create(topic.name(source.alias))
    target.create(PRODUCERS_TOPIC)
    source.create(SYNCS_TOPIC)
