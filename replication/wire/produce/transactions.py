"""The slot's producer: fencing, and its transactions (KIP-98, request versions before KIP-890's second part)."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

import structlog
from kafka.protocol.metadata import FindCoordinatorRequest
from kafka.protocol.producer import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    EndTxnRequest,
    InitProducerIdRequest,
)

from replication.domain.errors import (
    AuthorizationError,
    FatalError,
    FencedError,
    RetriableError,
    TransactionAbortedError,
)
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.domain.kafka_errors import (
    PARTITION_CODES,
    TRANSACTION_TIMEOUT_MS,
    ErrorClass,
    error_class,
    error_name,
    is_retriable,
)
from replication.ports.produce.batch_producer import OutgoingBatch
from replication.ports.produce.transactions import ProducerIdentity
from replication.wire.batches.record_codec import Record, build_batch
from replication.wire.network.cluster_link import ClusterLink
from replication.wire.network.loop import EngineLoop
from replication.wire.produce.produce_request import NEWEST_VERSION, PRODUCE_TIMEOUT_MS, ProduceAnswer, ProduceRequest

log = structlog.get_logger(__name__)

FENCE_PATIENCE_S = 60.0
COMMIT_PATIENCE_S = 45.0  # from its first partition on: past its time-out the coordinator ends it and takes the epoch
FIRST_PAUSE_S = 0.005  # after a commit the coordinator is busy with its markers for a few ms
LONGEST_PAUSE_S = 1.0
PARTITIONS_AT_ONCE = 2_000  # the coordinator keeps those of a transaction in one record
BETWEEN_OWNERS = Code.UNKNOWN_SERVER_ERROR  # a coordinator that is fencing us fails so; a moment later it says it
_TRANSACTION_COORDINATOR = 1
_ADD_PARTITIONS_VERSION = 3
_END_VERSION = 3
_INIT_VERSION = 4


class SlotTransactions:
    """The transactional producer of one slot on its own link. One transaction at a time."""

    def __init__(self, loop: EngineLoop, link: ClusterLink) -> None:
        self._loop = loop
        self._link = link
        self.transactional_id = ""
        self._identity = ProducerIdentity(-1, -1)
        self._coordinator: int | None = None
        self._sequences: dict[TopicPartition, int] = {}
        self._members: set[TopicPartition] = set()  # of the open transaction, as the coordinator knows it
        self._opened_s: float | None = None  # when the coordinator was first asked to open it
        self._is_expired = False  # the coordinator ended it on timeout, and our epoch with it

    async def fence(self, transactional_id: str) -> ProducerIdentity:
        """Take the id over; the answer's epoch is the only one Kafka accepts from now on."""
        self.transactional_id = transactional_id
        self._coordinator = None
        return await self._init(ProducerIdentity(-1, -1), f"taking over {transactional_id}")

    async def renew(self) -> ProducerIdentity:
        """The next epoch of our own id (KIP-360); sequences begin at 0. FencedError when the id has a new owner."""
        return await self._init(self._identity, f"renewing {self.transactional_id}")

    async def seal(self, partitions: Collection[TopicPartition]) -> ProducerIdentity:
        """An abort marker in each partition carries our epoch there; the renewal is answered when all are written."""
        ordered = sorted(partitions)
        for at in range(0, len(ordered), PARTITIONS_AT_ONCE):
            refused = await self.add_partitions(ordered[at : at + PARTITIONS_AT_ONCE])
            await self.abort()
            for partition, code in refused.items():
                if code != Code.UNKNOWN_TOPIC_OR_PARTITION:
                    raise self._not_sealed(partition, code)
        return await self.renew() if ordered else self._identity

    def _not_sealed(self, partition: TopicPartition, code: int) -> AuthorizationError:
        return AuthorizationError(
            f"cluster {self._link.alias}: {self.transactional_id} cannot be fenced on {partition}: {error_name(code)}; "
            f"grant WRITE on the topic {partition.topic} to who runs this",
            cluster=self._link.alias,
            topic=partition.topic,
            partition=partition.partition,
        )

    async def fence_other(self, transactional_id: str, partitions: Collection[TopicPartition]) -> ProducerIdentity:
        """As the owner of that id, and no longer than this call."""
        other = SlotTransactions(self._loop, self._link)
        await other.fence(transactional_id)
        return await other.seal(partitions)

    async def _init(self, known: ProducerIdentity, doing: str) -> ProducerIdentity:
        request = InitProducerIdRequest(
            transactional_id=self.transactional_id,
            transaction_timeout_ms=TRANSACTION_TIMEOUT_MS,
            producer_id=known.producer_id,
            producer_epoch=known.epoch,
            max_version=_INIT_VERSION,
        )
        response = await self._ask(request, doing, FENCE_PATIENCE_S)
        self._identity = ProducerIdentity(response.producer_id, response.producer_epoch)
        self._sequences.clear()
        self._ended()
        self._is_expired = False
        return self._identity

    async def add_partitions(self, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Make the partitions part of the transaction; the first ones open it. Returns the codes of those refused.

        Raises FencedError when the slot has a new owner, TransactionAbortedError when the open one counts no more.
        """
        if self._is_expired:
            await self._recover()
        try:
            return await self._add(partitions)
        except FencedError as error:
            self._raise_if_expired(error)
            raise

    async def _recover(self) -> None:
        """Another epoch after an expired transaction; a new owner's epoch makes Kafka refuse it with FencedError."""
        before = self._identity
        renewed = await self.renew()
        log.warning("producer renewed", transactional_id=self.transactional_id, epoch=renewed.epoch)
        if renewed.producer_id != before.producer_id:
            text = f"cluster {self._link.alias}: {self.transactional_id} has another producer id; the task restarts"
            raise FatalError(text, cluster=self._link.alias)

    async def _add(self, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        new = set(partitions) - self._members
        if self._opened_s is None:
            self._opened_s = self._loop.monotonic_s()
        refused: dict[TopicPartition, int] = {}
        while new:
            response = await self._ask(self._addition(new), "opening a transaction", self._time_left())
            bad = {place: code for place, code in _codes(response).items() if code in PARTITION_CODES}
            if not bad:
                self._members |= new
            refused |= bad
            new = new - bad.keys() if bad else set()
        return refused

    def _addition(self, partitions: Collection[TopicPartition]) -> AddPartitionsToTxnRequest:
        by_topic: dict[str, list[int]] = defaultdict(list)
        for partition in sorted(partitions):
            by_topic[partition.topic].append(partition.partition)
        topic_type = AddPartitionsToTxnRequest.AddPartitionsToTxnTopic
        return AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.transactional_id,
            v3_and_below_producer_id=self._identity.producer_id,
            v3_and_below_producer_epoch=self._identity.epoch,
            v3_and_below_topics=[topic_type(name=name, partitions=numbers) for name, numbers in by_topic.items()],
            max_version=_ADD_PARTITIONS_VERSION,
        )

    async def write(self, topic: str, records: Mapping[int, Sequence[Record]], leaders: Mapping[int, int]) -> None:
        """Write records by partition as the last part of the transaction and commit it.

        Raises FencedError when the slot has a new owner, TransactionAbortedError when nothing of it counts.
        """
        try:
            refused = await self.add_partitions([TopicPartition(topic, number) for number in records])
            for partition, code in refused.items():
                self._link.check(code, f"writing positions to {partition}")
            await self._produce(topic, records, leaders, transactional=True)
            await self._end(committed=True)
        except FencedError as error:
            self._raise_if_expired(error)
            raise
        except TransactionAbortedError as error:
            log.warning("transaction aborted", transactional_id=self.transactional_id, error=str(error))
            await self.abort()
            raise

    async def abort(self) -> None:
        """End the open transaction, if there is one, as if it had never been."""
        if self._is_expired:
            return
        try:
            await self._end(committed=False)
        except TransactionAbortedError:
            self._ended()  # the coordinator knows of no open transaction: it ended it itself, or none began
        except FencedError:
            if not self._note_expiry():
                raise

    async def _end(self, *, committed: bool) -> None:
        request = EndTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=self._identity.producer_id,
            producer_epoch=self._identity.epoch,
            committed=committed,
            max_version=_END_VERSION,
        )
        patience_s = self._time_left() if committed else COMMIT_PATIENCE_S
        await self._ask(request, "committing" if committed else "aborting a transaction", patience_s)
        self._ended()

    def _ended(self) -> None:
        self._members.clear()
        self._opened_s = None

    def _age_s(self) -> float:
        return 0.0 if self._opened_s is None else self._loop.monotonic_s() - self._opened_s

    def _time_left(self) -> float:
        """Everything in a transaction shares one deadline; what is asked after it is asked once."""
        return max(0.0, COMMIT_PATIENCE_S - self._age_s())

    def _note_expiry(self) -> bool:
        """Past its time-out the coordinator ends a transaction and answers as if another owner had come (KIP-588).

        Then it counts as aborted, and whether there is another owner shows when the producer is renewed.
        """
        has_expired = self._age_s() * 1000 > TRANSACTION_TIMEOUT_MS
        if has_expired:
            self._ended()
            self._is_expired = True
        return has_expired

    def _raise_if_expired(self, error: FencedError) -> None:
        if self._note_expiry():
            text = f"{error.text}, or the transaction expired"
            raise TransactionAbortedError(text, cluster=error.cluster) from error

    async def write_outside_transaction(
        self, topic: str, records: Mapping[int, Sequence[Record]], leaders: Mapping[int, int]
    ) -> None:
        """Write the same records outside of any transaction, still as the slot's producer."""
        await self._produce(topic, records, leaders, transactional=False)

    async def _produce(
        self, topic: str, records: Mapping[int, Sequence[Record]], leaders: Mapping[int, int], *, transactional: bool
    ) -> None:
        """Send one batch per partition until each is known to be written or refused: no sequence stays in doubt."""
        waiting = {number: self._batch(topic, number, members, transactional) for number, members in records.items()}
        nodes = {number: leaders[number] for number in waiting}
        deadline = self._loop.monotonic_s() + (self._time_left() if transactional else COMMIT_PATIENCE_S)
        pause, lost, identity = FIRST_PAUSE_S, 0, self._identity
        while waiting:
            out_of_time = self._loop.monotonic_s() > deadline
            for number, code in (await self._send_each(topic, waiting, nodes, transactional, out_of_time)).items():
                if code in (Code.NONE, Code.DUPLICATE_SEQUENCE_NUMBER):
                    self._written(TopicPartition(topic, number), len(records[number]), identity)
                elif code == Code.INVALID_TXN_STATE and not transactional and not out_of_time:
                    continue  # the marker of the transaction that was just committed is still on its way there
                elif error_class(code) is ErrorClass.ABORTABLE:
                    lost = code
                elif out_of_time or not is_retriable(code):
                    self._link.check(code, f"writing positions to {topic}-{number}")
                else:
                    continue
                del waiting[number]
            if waiting:
                await self._loop.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE_S)
                nodes = await self._leaders(topic, nodes)
        if lost:
            raise self._aborted(lost, f"writing positions to {topic}")

    async def _send_each(
        self, topic: str, batches: Mapping[int, bytes], nodes: Mapping[int, int], transactional: bool, last_try: bool
    ) -> dict[int, int]:
        """One request to each leader: the codes by partition. The last try raises where one does not answer."""
        codes: dict[int, int] = {}
        for node, numbers in _by_node(nodes, batches).items():
            try:
                codes |= await self._send(node, topic, {number: batches[number] for number in numbers}, transactional)
            except RetriableError:
                if last_try:
                    raise
        return codes

    def _aborted(self, code: int, doing: str) -> TransactionAbortedError:
        alias = self._link.alias
        return TransactionAbortedError(f"cluster {alias}: {doing} failed: {error_name(code)}", cluster=alias)

    def _batch(self, topic: str, number: int, members: Sequence[Record], transactional: bool) -> bytes:
        return bytes(
            build_batch(
                members,
                transactional=transactional,
                producer_id=self._identity.producer_id,
                producer_epoch=self._identity.epoch,
                base_sequence=self._sequences.get(TopicPartition(topic, number), 0),
            )
        )

    def _written(self, partition: TopicPartition, records: int, identity: ProducerIdentity) -> None:
        if identity == self._identity:  # else sequences have begun again
            self._sequences[partition] = (self._sequences.get(partition, 0) + records) % 2**31

    async def _send(self, node: int, topic: str, batches: Mapping[int, bytes], transactional: bool) -> dict[int, int]:
        request = ProduceRequest(
            NEWEST_VERSION,
            [OutgoingBatch(topic, number, data) for number, data in batches.items()],
            timeout_ms=PRODUCE_TIMEOUT_MS,
            transactional_id=self.transactional_id if transactional else None,
        )
        answer: ProduceAnswer = await self._link.send(request, node, doing=f"writing positions to {topic}")
        return {result.partition: result.error_code for result in answer.results}

    async def _leaders(self, topic: str, known: Mapping[int, int]) -> dict[int, int]:
        """The leaders of the partitions now; the known ones where there is none, or no broker answers."""
        try:
            described = (await self._link.describe([topic]))[topic]
        except RetriableError:
            return dict(known)
        found = {number: described.leaders.get(number, -1) for number in known}
        return {number: leader if leader >= 0 else known[number] for number, leader in found.items()}

    async def _ask(self, request: Any, doing: str, patience_s: float) -> Any:
        """Ask the coordinator; TransactionAbortedError where it says that the transaction cannot be committed."""
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
            if error_class(code) is ErrorClass.ABORTABLE:
                raise self._aborted(code, doing)
            if is_retriable(code) and code != Code.CONCURRENT_TRANSACTIONS:  # that one is the coordinator's own answer
                self._coordinator = None
            return code

        await self._retry(attempt, doing, patience_s)
        return response

    async def _find_coordinator(self) -> int:
        request = FindCoordinatorRequest(key=self.transactional_id, key_type=_TRANSACTION_COORDINATOR, max_version=3)
        response = await self._link.send(request, doing="looking for the transaction coordinator")
        self._link.check(response.error_code, "looking for the transaction coordinator")
        return int(response.node_id)

    async def _retry(self, attempt: Callable[[], Awaitable[int]], doing: str, patience_s: float) -> None:
        """Repeat until the code is 0; raises the last failure at the deadline, an unretriable one immediately."""
        deadline = self._loop.monotonic_s() + patience_s
        pause = FIRST_PAUSE_S
        while True:
            out_of_time = self._loop.monotonic_s() > deadline
            try:
                code = await attempt()
            except TransactionAbortedError:
                raise
            except RetriableError:
                if out_of_time:
                    raise
            else:
                if code == Code.NONE:
                    return
                if out_of_time or not (is_retriable(code) or code == BETWEEN_OWNERS):
                    self._link.check(code, doing)
            await self._loop.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)


def _by_node(nodes: Mapping[int, int], wanted: Collection[int]) -> dict[int, list[int]]:
    grouped: dict[int, list[int]] = defaultdict(list)
    for number in wanted:
        grouped[nodes[number]].append(number)
    return grouped


def _error_code(response: Any) -> int:
    """The one error an answer carries: its own, or that of its first failed partition.

    An answer of AddPartitionsToTxn before version 4 has no top-level error, yet decodes with one that is 0.
    """
    if isinstance(response, AddPartitionsToTxnResponse):
        codes = _codes(response).values()
        failed = [code for code in codes if code not in (Code.NONE, Code.OPERATION_NOT_ATTEMPTED)]
        return next((code for code in failed if code not in PARTITION_CODES), 0) if failed else max(codes, default=0)
    return int(response.error_code)


def _codes(response: Any) -> dict[TopicPartition, int]:
    """Return the code of each partition in an answer of AddPartitionsToTxn."""
    return {
        TopicPartition(topic.name, partition.partition_index): int(partition.partition_error_code)
        for topic in response.results_by_topic_v3_and_below
        for partition in topic.results_by_partition
    }
