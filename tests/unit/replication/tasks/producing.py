"""A producing slot: queued batches, a virtual clock, and a target in memory."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from replication.codecs.position_records import read_position
from replication.codecs.record_batch import is_abort_marker
from replication.domain.batches.record import Record
from replication.domain.errors import TransactionAbortedError
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.internal_topics import POSITIONS
from replication.domain.offsets.positions import Position
from replication.domain.plan.slot import ClusterClient, PlannedPartition, SlotSpec
from replication.memory.broker import MemoryCluster, ProduceFault
from replication.memory.transactions import MemoryPositionStore
from replication.ports.produce.transactions import ProducerIdentity
from replication.tasks.offsets.position_committer import PositionCommitter
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.produce.producer_renewal import ProducerRenewal
from replication.tasks.produce.sender import Sender
from replication.tasks.produce.transactions import Transactions
from replication.tasks.rejected_records.rejected_log import RejectedLog
from replication.tasks.reporting.gauge import SlotGauge
from replication.tasks.slot_context import SlotContext, SlotPorts
from replication.wire.batches.record_codec import build_batch
from tests.support.engine.memory_ports import SYNCS_TOPIC, create_internal_topics, slot_ports
from tests.support.engine.virtual_loop import VirtualLoop, VirtualTask
from tests.support.engine.watched_producing import WatchedProducer, WatchedTransactions
from tests.unit.replication.tasks.noted_events import NotedEvents

TOPIC_ID = bytes([1] * 16)
TARGET_NODE = 1
ROUND_TRIP_S = 0.004
TRANSACTIONAL_ID = "srm.b.a.0"
POSITIONS_TOPIC = POSITIONS.name("a")
LOST_REQUEST = ProduceFault(is_lost=True)
LOST_ANSWER = ProduceFault(is_lost=True, is_written=True)
ABORTED = TransactionAbortedError("the coordinator lost it")


def failing(code: int, *, is_written: bool = False) -> ProduceFault:
    """A request that is answered with this code."""
    return ProduceFault(code=code, is_written=is_written)


class ProducingSlot(NotedEvents):
    """`feed` queues records as source batches; a rewound partition is fed again from its position, as fetching does."""

    def __init__(
        self,
        *,
        faults: Sequence[ProduceFault | None] = (),
        partitions: int = 1,
        remotes: Sequence[str] = ("a.t",),
        **changes: Any,
    ) -> None:
        super().__init__()
        self.loop = VirtualLoop()
        source, self.target = MemoryCluster("a"), MemoryCluster("b")
        create_internal_topics(source, self.target)
        for remote in remotes:
            self.create(remote, partitions)
        self.ports = self._watched_ports(source)
        self.without_key: set[int] = set()  # source offsets whose records the target rejects: it is compacted
        spec = SlotSpec(
            flow=FlowId("a", "b"),
            slot=0,
            generation=1,
            plan_version=1,
            source=ClusterClient(alias="a", bootstrap=("a:1",)),
            target=ClusterClient(alias="b", bootstrap=("b:1",)),
            partitions=(),
            offset_syncs_topic=SYNCS_TOPIC,
        )
        self.context = SlotContext(spec=replace(spec, **changes), ports=self.ports, driver="d", boot="b")
        self.finished_entries: list[tuple[int, Entry]] = []
        self._fed: dict[TopicPartition, list[tuple[int, ...]]] = {}
        self.gauge, self.rejected_log = SlotGauge(self.context), RejectedLog()
        self.sender = Sender(self.context, self, self.gauge, self.rejected_log)
        self.transactions: Transactions | None = None
        if self.context.spec.delivery == "exactly_once":
            positions = PositionCommitter(self.context, cast("Any", None))
            self.transactions = Transactions(self.context, self, positions, self.sender)
        self.renewal = ProducerRenewal(
            self.context, self, self.sender, PositionCommitter(self.context, cast("Any", None))
        )
        self._running: list[VirtualTask] = []
        self._take_over()
        self.target.produce_faults.extend(faults)
        for number in range(partitions):
            self._add(number, remotes[number % len(remotes)])

    def _watched_ports(self, source: MemoryCluster) -> SlotPorts:
        self.owner = transactions = WatchedTransactions(self.loop, self.target, ROUND_TRIP_S)
        self.producer = transactions.producer = WatchedProducer(self.loop, self.target, transactions, ROUND_TRIP_S)
        return replace(
            slot_ports(self.loop, source, self.target),
            producer=self.producer,
            transactions=transactions,
            positions=MemoryPositionStore(self.loop, self.target, transactions),
        )

    def _take_over(self) -> None:
        async def fence() -> None:
            self.sender.set_producer(await self.ports.transactions.fence(TRANSACTIONAL_ID))

        fencing = self.loop.spawn(fence())
        self.loop.run_until(lambda: fencing.done)
        assert fencing.error is None

    def _add(self, number: int, remote: str) -> None:
        planned = PlannedPartition(upstream=TopicPartition("t", number), remote_topic=remote, topic_id=TOPIC_ID)
        copy = PartitionCopy(planned, Position(next_offset=0, topic_id=TOPIC_ID), offset_lag_max=100)
        copy.queue.set_leader(TARGET_NODE)
        self.context.roster.add(copy)

    def create(self, remote: str, partitions: int) -> None:
        """Create a remote topic, or re-create it without its records."""
        self.target.create(remote, partitions=partitions, configs={"cleanup.policy": "compact"})

    def lose_slot(self) -> None:
        """Let another driver take the slot over."""
        self.target.coordinator.init_producer(TRANSACTIONAL_ID, self.loop.now_ms())

    def values(self, copy: PartitionCopy, *, committed: bool = False) -> list[bytes]:
        """The values in a remote partition; with `committed` those of committed transactions only."""
        log = self.target.log(copy.remote.topic, copy.remote.partition)
        return [record.value or b"" for record in log.records(committed=committed)]

    def committed_position(self, copy: PartitionCopy) -> int | None:
        """The committed position as a reader of the target finds it."""
        found = None
        for record in self.target.log(POSITIONS_TOPIC).records(committed=True):
            read = read_position(record, "a")
            if read is not None and read[0] == copy.upstream:
                found = None if read[1] is None else read[1].next_offset
        return found

    @property
    def commits(self) -> int:
        """The committed transactions: each holds positions."""
        return self._markers(TopicPartition(POSITIONS_TOPIC, 0), are_aborts=False)

    @property
    def aborts(self) -> int:
        """The aborted transactions of the partition that has most."""
        return max(self._markers(copy.remote, are_aborts=True) for copy in self.copies)

    def _markers(self, partition: TopicPartition, *, are_aborts: bool) -> int:
        stored = [
            each for each in self.target.log(partition.topic, partition.partition).batches if each.header.is_control
        ]
        return sum(is_abort_marker(memoryview(data), 0, header) == are_aborts for header, data in stored)

    @property
    def copies(self) -> list[PartitionCopy]:
        return list(self.context.roster.copies.values())

    def feed(self, *batches: int) -> None:
        """Batches of so many records for every partition."""
        for copy in self.copies:
            self._fed.setdefault(copy.upstream, []).append(batches)
            self._queue(copy, [size for call in self._fed[copy.upstream] for size in call])
            self.sender.schedule_send(copy)

    def _queue(self, copy: PartitionCopy, sizes: Sequence[int]) -> None:
        first = 0
        for size in sizes:
            if first >= copy.cursor.offset:
                records = [self._record(copy, first, n) for n in range(size)]
                data = memoryview(build_batch(records))
                copy.queue.append(Entry(first, first + size, 0, data, records=size, runs=((first, 0, size),)))
            first += size

    def _record(self, copy: PartitionCopy, first: int, number: int) -> Record:
        key = None if first + number in self.without_key else b"k"
        return Record(number, 1_000, key, f"{copy.upstream.partition}:{first + number}".encode(), ())

    def filled(self, copy: PartitionCopy) -> None:
        self.sender.schedule_send(copy)

    def rewound(self, copy: PartitionCopy) -> None:
        self._queue(copy, [size for call in self._fed[copy.upstream] for size in call])
        self.sender.schedule_send(copy)

    async def renewed(self, identity: ProducerIdentity) -> None:
        self.sender.set_producer(identity)

    def sequences_lost(self, copy: PartitionCopy) -> None:
        if self.transactions is not None:
            self.transactions.demand_abort("sequences lost")
        else:
            self.renewal.demand(copy)

    def transaction_lost(self, reason: str) -> None:
        if self.transactions is not None:
            self.transactions.demand_abort(reason)

    def finished(self, copy: PartitionCopy, entry: Entry, now_ms: int) -> None:
        if self.transactions is not None:
            copy.progress.hold(entry)
        else:
            self.done(copy, entry, now_ms)

    def done(self, copy: PartitionCopy, entry: Entry, now_ms: int) -> None:
        super().done(copy, entry, now_ms)
        self.finished_entries.append((copy.upstream.partition, entry))

    def run_until_done(self, records: int, limit_s: float = 300) -> None:
        """Until every partition is done with so many source offsets; raises what made the task fail."""
        if not self._running:
            parts: list[Any] = [self.sender, self.renewal if self.transactions is None else self.transactions]
            self._running = [self.loop.spawn(part.run()) for part in parts]

        def finished() -> bool:
            if self.context.failure is not None:
                raise self.context.failure
            for task in self._running:
                if task.error is not None:
                    raise task.error
            return all(copy.progress.next_offset >= records or copy.queue.is_closed for copy in self.copies)

        self.loop.run_until(finished, limit_s)

    def expected(self, partition: int, records: int) -> list[bytes]:
        return [f"{partition}:{number}".encode() for number in range(records)]
