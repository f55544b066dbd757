"""The transaction coordinator of a cluster in memory: producer ids, epochs and the partitions of open transactions."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field

from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.memory.partition_log import PartitionLog

FIRST_PRODUCER_ID = 1_000


@dataclass(slots=True)
class TransactionalProducer:
    """One transactional id; the transaction is open while it has partitions."""

    producer_id: int
    epoch: int = -1
    partitions: dict[TopicPartition, PartitionLog] = field(default_factory=dict)


class TransactionCoordinator:
    """Follows Kafka's `TransactionCoordinator`, but writes markers immediately."""

    def __init__(self) -> None:
        self._next_id = itertools.count(FIRST_PRODUCER_ID)
        self._producers: dict[str, TransactionalProducer] = {}

    def init_producer(self, transactional_id: str, now_ms: int) -> TransactionalProducer:
        """The next epoch of the id (InitProducerId); an open transaction is aborted under a separate epoch."""
        producer = self._producers.get(transactional_id)
        if producer is None:
            producer = self._producers[transactional_id] = TransactionalProducer(next(self._next_id))
        if producer.partitions:
            producer.epoch += 1
            self._end(producer, committed=False, now_ms=now_ms)
        producer.epoch += 1
        return producer

    def is_owner(self, transactional_id: str, epoch: int) -> bool:
        producer = self._producers.get(transactional_id)
        return producer is not None and producer.epoch == epoch

    def add(self, transactional_id: str, partitions: Mapping[TopicPartition, PartitionLog]) -> None:
        self._producers[transactional_id].partitions.update(partitions)

    def check_batch(self, transactional_id: str, partition: TopicPartition, epoch: int) -> int:
        """The code for a transactional batch: leaders verify it with the coordinator (KIP-890)."""
        producer = self._producers.get(transactional_id)
        if producer is None or producer.epoch != epoch:
            return Code.INVALID_PRODUCER_EPOCH
        return 0 if partition in producer.partitions else Code.TRANSACTION_ABORTABLE

    def end(self, transactional_id: str, *, committed: bool, now_ms: int) -> int:
        """Commit or abort the open transaction; Code.INVALID_TXN_STATE where there is none."""
        producer = self._producers[transactional_id]
        if not producer.partitions:
            return Code.INVALID_TXN_STATE
        self._end(producer, committed=committed, now_ms=now_ms)
        return 0

    def _end(self, producer: TransactionalProducer, *, committed: bool, now_ms: int) -> None:
        for log in producer.partitions.values():
            log.write_marker(producer.producer_id, producer.epoch, committed=committed, now_ms=now_ms)
        producer.partitions.clear()
