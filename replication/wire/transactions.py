"""The slot's producer: fencing, and the small transactions that carry positions (KIP-98, versions before KIP-890)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from kafka.protocol.metadata import FindCoordinatorRequest
from kafka.protocol.producer import AddPartitionsToTxnRequest, EndTxnRequest, InitProducerIdRequest

from replication.domain.errors import FatalError, RetriableError
from replication.domain.identifiers import TopicPartition
from replication.ports.target_writer import OutgoingBatch, ProducerIdentity
from replication.wire.cluster_link import ClusterLink
from replication.wire.errors import is_retriable
from replication.wire.loop import EngineLoop
from replication.wire.produce import NEWEST_VERSION, PRODUCE_TIMEOUT_MS, ProduceAnswer, ProduceRequest
from replication.wire.record_codec import Record, build_batch

TRANSACTION_TIMEOUT_MS = 60_000
FENCE_PATIENCE_S = 60.0
COMMIT_PATIENCE_S = 50.0  # below the transaction's time-out: later the coordinator would have fenced us itself
FIRST_PAUSE_S = 0.02
LONGEST_PAUSE_S = 1.0
_TRANSACTION_COORDINATOR = 1
_ADD_PARTITIONS_VERSION = 3
_END_VERSION = 3
_INIT_VERSION = 4
_DUPLICATE_SEQUENCE = 46


class SlotTransactions:
    """The transactional producer of one slot on its own link. One transaction at a time."""

    def __init__(self, loop: EngineLoop, link: ClusterLink) -> None:
        self._loop = loop
        self._link = link
        self._transactional_id = ""
        self._identity = ProducerIdentity(-1, -1)
        self._coordinator: int | None = None
        self._sequences: dict[TopicPartition, int] = {}

    async def fence(self, transactional_id: str) -> ProducerIdentity:
        """Take the id over; the answer's epoch is the only one Kafka accepts from now on."""
        self._transactional_id = transactional_id
        self._coordinator = None
        request = InitProducerIdRequest(
            transactional_id=transactional_id,
            transaction_timeout_ms=TRANSACTION_TIMEOUT_MS,
            producer_id=-1,
            producer_epoch=-1,
            max_version=_INIT_VERSION,
        )
        response = await self._ask(request, f"taking over {transactional_id}", FENCE_PATIENCE_S)
        self._identity = ProducerIdentity(response.producer_id, response.producer_epoch)
        self._sequences.clear()
        return self._identity

    async def write(self, topic: str, records: Mapping[int, Sequence[Record]], leaders: Mapping[int, int]) -> None:
        """Write records by partition in one transaction and commit it; FencedError when the slot has a new owner."""
        await self._add_partitions(topic, sorted(records))
        for partition, members in records.items():
            await self._produce(TopicPartition(topic, partition), members, leaders[partition], transactional=True)
        request = EndTxnRequest(
            transactional_id=self._transactional_id,
            producer_id=self._identity.producer_id,
            producer_epoch=self._identity.epoch,
            committed=True,
            max_version=_END_VERSION,
        )
        await self._ask(request, "committing positions", COMMIT_PATIENCE_S)

    async def write_plainly(
        self, topic: str, records: Mapping[int, Sequence[Record]], leaders: Mapping[int, int]
    ) -> None:
        """Write the same records outside of any transaction, still as the slot's producer."""
        for partition, members in records.items():
            await self._produce(TopicPartition(topic, partition), members, leaders[partition], transactional=False)

    async def _add_partitions(self, topic: str, partitions: Sequence[int]) -> None:
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self._transactional_id,
            v3_and_below_producer_id=self._identity.producer_id,
            v3_and_below_producer_epoch=self._identity.epoch,
            v3_and_below_topics=[
                AddPartitionsToTxnRequest.AddPartitionsToTxnTopic(name=topic, partitions=list(partitions))
            ],
            max_version=_ADD_PARTITIONS_VERSION,
        )
        await self._ask(request, "opening a transaction", COMMIT_PATIENCE_S)

    async def _produce(
        self, partition: TopicPartition, records: Sequence[Record], leader: int, *, transactional: bool
    ) -> None:
        sequence = self._sequences.get(partition, 0)
        batch = build_batch(
            records,
            transactional=transactional,
            producer_id=self._identity.producer_id,
            producer_epoch=self._identity.epoch,
            base_sequence=sequence,
        )
        doing = f"writing positions to {partition}"
        request = ProduceRequest(
            NEWEST_VERSION,
            [OutgoingBatch(partition.topic, partition.partition, bytes(batch))],
            timeout_ms=PRODUCE_TIMEOUT_MS,
            transactional_id=self._transactional_id if transactional else None,
        )
        node = leader

        async def attempt() -> int:
            nonlocal node
            try:
                answer: ProduceAnswer = await self._link.send(request, node, doing=doing)
            except RetriableError:
                node = await self._leader(partition, node)
                raise
            code = answer.results[0].error_code
            if is_retriable(code):
                node = await self._leader(partition, node)
            return 0 if code == _DUPLICATE_SEQUENCE else code

        await self._retry(attempt, doing, COMMIT_PATIENCE_S)
        self._sequences[partition] = (sequence + len(records)) % 2**31

    async def _leader(self, partition: TopicPartition, known: int) -> int:
        """Who leads the partition now; the one we knew while nobody does."""
        described = await self._link.describe([partition.topic])
        leader = described[partition.topic].leaders.get(partition.partition, -1)
        return leader if leader >= 0 else known

    async def _ask(self, request: Any, doing: str, patience_s: float) -> Any:
        response: Any = None

        async def attempt() -> int:
            nonlocal response
            if self._coordinator is None:
                self._coordinator = await self._find_coordinator()
            try:
                response = await self._link.send(request, self._coordinator, doing=doing)
            except RetriableError:
                self._coordinator = None
                raise
            code = _error_code(response)
            if is_retriable(code) and code != 51:  # 51: the last transaction is still being completed, same coordinator
                self._coordinator = None
            return code

        await self._retry(attempt, doing, patience_s)
        return response

    async def _find_coordinator(self) -> int:
        request = FindCoordinatorRequest(key=self._transactional_id, key_type=_TRANSACTION_COORDINATOR, max_version=3)
        response = await self._link.send(request, doing="looking for the transaction coordinator")
        self._link.check(response.error_code, "looking for the transaction coordinator")
        return int(response.node_id)

    async def _retry(self, attempt: Callable[[], Awaitable[int]], doing: str, patience_s: float) -> None:
        """Repeat until the code is 0; the last failure is raised when patience ends, an unretriable one at once."""
        deadline = self._loop.monotonic_s() + patience_s
        pause = FIRST_PAUSE_S
        while True:
            out_of_time = self._loop.monotonic_s() > deadline
            try:
                code = await attempt()
            except RetriableError:
                if out_of_time:
                    raise
            else:
                if code == 0:
                    return
                if out_of_time or not is_retriable(code):
                    self._link.check(code, doing)
            await self._loop.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)


def _error_code(response: Any) -> int:
    """The one error an answer carries: its own, or that of its first failed partition."""
    code = getattr(response, "error_code", None)
    if code is not None:
        return int(code)
    for topic in response.results_by_topic_v3_and_below:
        for partition in topic.results_by_partition:
            if partition.partition_error_code:
                return int(partition.partition_error_code)
    if response is None:
        raise FatalError("no answer")
    return 0
