"""A target of one broker that checks sequences as Kafka's `ProducerAppendInfo` does, and fails when it is told to."""

from collections import defaultdict, deque
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from replication.codecs.record_batch import read_header
from replication.domain.errors import ClusterUnreachableError, FencedError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition
from replication.ports.target_writer import OutgoingBatch, Produced, ProduceResult, ProducerIdentity
from replication.wire.record_codec import decode_records
from tests.support.virtual_loop import VirtualLoop

REMEMBERED = 5
ROUND_TRIP_S = 0.004
Fault = str | int | None  # "lost request" | "lost answer" | an error code | a code with "written ..." before it


class IdempotentBroker:
    """The `TargetWriter` as far as producing needs it. `faults` are used up by requests in their order."""

    def __init__(self, loop: VirtualLoop, faults: Sequence[Fault] = ()) -> None:
        self._loop = loop
        self._faults = deque(faults)
        self.identity = ProducerIdentity(7, 0)
        self.bad_values: set[bytes] = set()
        self.values: dict[TopicPartition, list[bytes]] = defaultdict(list)
        self.requests = 0
        self.most_in_flight = 0
        self._in_flight = 0
        self.connections: dict[TopicPartition, int] = {}  # the last one that a partition's batches came on
        self._next: dict[TopicPartition, int] = {}
        self._epochs: dict[TopicPartition, int] = {}
        self._recent: dict[TopicPartition, deque[tuple[int, int, int]]] = defaultdict(lambda: deque(maxlen=REMEMBERED))
        self.members: set[TopicPartition] = set()
        self.denied: set[TopicPartition] = set()
        self.open: dict[TopicPartition, list[bytes]] = defaultdict(list)
        self.committed: dict[TopicPartition, list[bytes]] = defaultdict(list)
        self.positions: dict[TopicPartition, int] = {}
        self.commits = 0
        self.aborts = 0
        self.has_new_owner = False  # of the transactional id
        self.commit_failures: deque[Exception] = deque()

    async def widen(self, connections: int) -> int:
        return connections

    async def produce(
        self, node: int, batches: Sequence[OutgoingBatch], *, transactional: bool, connection: int = 0
    ) -> Produced:
        self.requests += 1
        self.connections.update({TopicPartition(batch.topic, batch.partition): connection for batch in batches})
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        fault = self._faults.popleft() if self._faults else None
        results = [] if fault == "lost request" else [self._append(batch, fault, transactional) for batch in batches]
        await self._loop.sleep(ROUND_TRIP_S)
        self._in_flight -= 1
        if isinstance(fault, str) and fault.startswith("lost"):
            raise ClusterUnreachableError("the connection broke")
        return Produced(results)

    def _append(self, batch: OutgoingBatch, fault: Fault, transactional: bool) -> ProduceResult:
        place = TopicPartition(batch.topic, batch.partition)
        if isinstance(fault, int):
            return ProduceResult(batch.topic, batch.partition, fault, -1, None)
        code, base = self._write(place, batch, transactional)
        if isinstance(fault, str) and fault.startswith("written "):
            code = int(fault.removeprefix("written "))
        return ProduceResult(batch.topic, batch.partition, code, base, None)

    def _write(self, place: TopicPartition, batch: OutgoingBatch, transactional: bool) -> tuple[int, int]:
        header = read_header(memoryview(batch.data), 0)
        assert header.is_transactional == transactional
        if header.producer_epoch < self._epochs.get(place, 0) or header.producer_epoch < self.identity.epoch:
            return 47, -1
        if transactional and place not in self.members:
            return 48, -1
        first, last = header.base_sequence, header.base_sequence + header.records - 1
        is_new = header.producer_epoch > self._epochs.get(place, -1)
        for known_first, known_last, base in () if is_new else self._recent[place]:
            if (first, last) == (known_first, known_last):
                return 0, base
        if first != (0 if is_new and place in self._epochs else self._next.get(place, first)):
            return 45, -1
        values = [record.value or b"" for record in decode_records(batch.data)]
        if self.bad_values & set(values):
            return 87, -1
        if is_new:
            self._recent[place].clear()
        base = len(self.values[place])
        self.values[place] += values
        if transactional:
            self.open[place] += values
        self._epochs[place], self._next[place] = header.producer_epoch, last + 1
        self._recent[place].append((first, last, base))
        return 0, base

    def forget(self, place: TopicPartition) -> None:
        """Its topic is deleted and made anew."""
        for known in (self.values, self._next, self._epochs, self._recent):
            known.pop(place, None)

    async def join_transaction(self, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        await self._loop.sleep(ROUND_TRIP_S)
        self.members |= set(partitions) - self.denied
        return dict.fromkeys(self.denied & set(partitions), 29)

    async def abort_transaction(self) -> None:
        await self._loop.sleep(ROUND_TRIP_S)
        if self.has_new_owner:
            raise FencedError("the slot has a new owner")
        self.aborts += bool(self.members)
        self.members.clear()
        self.open.clear()

    async def renew(self) -> ProducerIdentity:
        assert not self._in_flight, "a batch of the old epoch may arrive after the new one begins"
        self.identity = ProducerIdentity(self.identity.producer_id, self.identity.epoch + 1)
        return self.identity

    async def commit_positions(
        self, topic: str, source: str, positions: Mapping[TopicPartition, Any], *, transactional: bool
    ) -> None:
        await self._loop.sleep(ROUND_TRIP_S)
        assert not self._in_flight, "a transaction may only end when every batch of it was answered"
        if self.commit_failures:
            await self.abort_transaction()
            raise self.commit_failures.popleft()
        for place, values in self.open.items():
            self.committed[place] += values
        self.positions |= {upstream: position.next_offset for upstream, position in positions.items()}
        self.members.clear()
        self.open.clear()
        self.commits += 1


ABORTED = TransactionAbortedError("the coordinator lost it")
