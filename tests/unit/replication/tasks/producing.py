"""A producing slot without clusters: queued batches, a virtual clock, and a broker that checks sequences."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.positions import Position
from replication.domain.record import Record
from replication.domain.slot import ClusterClient, PlannedPartition, SlotSpec
from replication.tasks.entry import Entry
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.source_positions import SourcePositions
from replication.tasks.source_produce import SourceProduce
from replication.tasks.source_transactions import SourceTransactions
from replication.wire.batch_opener import WireBatchOpener
from replication.wire.record_codec import build_batch
from tests.support.idempotent_broker import Fault, IdempotentBroker
from tests.support.virtual_loop import VirtualLoop, VirtualTask

TOPIC_ID = bytes([1] * 16)
TARGET_NODE = 1


class _Ports:
    """Only what producing uses; anything else is a mistake of the test."""

    def __init__(self, loop: VirtualLoop, writer: IdempotentBroker) -> None:
        self.loop, self.writer, self.opener = loop, writer, WireBatchOpener()


class ProducingSlot:
    """`feed` queues records as source batches; a rewound partition is fed again from its position, as fetching does."""

    def __init__(self, *, faults: Sequence[Fault] = (), partitions: int = 1, **changes: Any) -> None:
        self.loop = VirtualLoop()
        self.broker = IdempotentBroker(self.loop, faults)
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
        self.context = SlotContext(
            spec=replace(spec, **changes),
            ports=cast("Any", _Ports(self.loop, self.broker)),
            driver="d",
            boot="b",
            stop_signal=self.loop.signal(),
            refresh_signal=self.loop.signal(),
            work_signal=self.loop.signal(),
            control_signal=self.loop.signal(),
        )
        self.done: list[tuple[int, Entry]] = []
        self.stopped: list[PartitionCopy] = []
        self._fed: dict[TopicPartition, list[tuple[int, ...]]] = {}
        self.produce = SourceProduce(self.context, self._finished, lambda _: None, self.stopped.append)
        self.transactions: SourceTransactions | None = None
        if self.context.spec.delivery == "exactly_once":
            positions = SourcePositions(self.context, cast("Any", None))
            self.transactions = SourceTransactions(
                self.context, positions, self.produce, self._done, self._renewed, self._rewound
            )
        self._running: list[VirtualTask] = []
        self.produce.become(self.broker.identity)
        for number in range(partitions):
            planned = PlannedPartition(upstream=TopicPartition("t", number), remote_topic="a.t", topic_id=TOPIC_ID)
            copy = PartitionCopy(planned, Position(next_offset=0, topic_id=TOPIC_ID), offset_lag_max=100)
            copy.target_leader = TARGET_NODE
            self.context.copies[copy.upstream] = copy

    @property
    def copies(self) -> list[PartitionCopy]:
        return list(self.context.copies.values())

    def feed(self, *batches: int) -> None:
        """Batches of so many records for every partition."""
        for copy in self.copies:
            self._fed.setdefault(copy.upstream, []).append(batches)
            self._queue(copy, [size for call in self._fed[copy.upstream] for size in call])
            self.produce.offer(copy)

    def _queue(self, copy: PartitionCopy, sizes: Sequence[int]) -> None:
        first = 0
        for size in sizes:
            if first >= copy.fetch_offset:
                records = [
                    Record(n, 1_000, b"k", f"{copy.upstream.partition}:{first + n}".encode(), ()) for n in range(size)
                ]
                entry = Entry(first, first + size, 0)
                entry.data = memoryview(build_batch(records))
                entry.records, entry.size_bytes = size, len(entry.data)
                entry.runs = ((first, 0, size),)
                copy.enqueue(entry)
            first += size

    def _rewound(self, copy: PartitionCopy) -> None:
        self._queue(copy, [size for call in self._fed[copy.upstream] for size in call])
        self.produce.offer(copy)

    async def _renewed(self, identity: Any) -> None:
        self.produce.become(identity)

    def _finished(self, copy: PartitionCopy, entry: Entry, now_ms: int) -> None:
        if self.transactions is not None:
            self.transactions.hold(copy, entry, now_ms)
        else:
            self._done(copy, entry, now_ms)

    def _done(self, copy: PartitionCopy, entry: Entry, _now_ms: int) -> None:
        copy.done_next = entry.next
        self.done.append((copy.upstream.partition, entry))

    def run_until_done(self, records: int, limit_s: float = 300) -> None:
        """Until every partition is done with so many source offsets; raises what made the task fail."""
        if not self._running:
            parts: list[Any] = [self.produce] if self.transactions is None else [self.produce, self.transactions]
            self._running = [self.loop.spawn(part.run()) for part in parts]

        def finished() -> bool:
            if self.context.failure is not None:
                raise self.context.failure
            for task in self._running:
                if task.error is not None:
                    raise task.error
            return all(copy.done_next >= records or copy.given_up for copy in self.copies)

        self.loop.run_until(finished, limit_s)

    def expected(self, partition: int, records: int) -> list[bytes]:
        return [f"{partition}:{number}".encode() for number in range(records)]
