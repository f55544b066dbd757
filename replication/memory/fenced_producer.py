"""FencedProducer in memory."""

import time
from collections.abc import Sequence

from replication.domain.batches.record import Record
from replication.domain.errors import FencedError, TopicMissingError
from replication.domain.identifiers import TopicPartition
from replication.memory.broker import MemoryCluster
from replication.memory.coordinator import TransactionalProducer
from replication.ports.fenced_producer import NewRecord, not_owned
from replication.wire.batches.record_codec import build_batch


class MemoryFencedProducer:
    """An owner of a transactional id of a MemoryCluster."""

    def __init__(self, cluster: MemoryCluster, transactional_id: str) -> None:
        self._cluster = cluster
        self._id = transactional_id
        self._epoch: int | None = None

    def fence(self) -> None:
        self._epoch = self._take(self._id).epoch

    def fence_others(self, transactional_ids: Sequence[str]) -> None:
        for transactional_id in transactional_ids:
            self._take(transactional_id)

    def write(self, records: Sequence[NewRecord]) -> None:
        if not records:
            return
        if self._epoch is None:
            raise not_owned(self._cluster.alias, self._id)
        self._cluster.check()
        with self._cluster.lock:
            if not self._cluster.coordinator.is_owner(self._id, self._epoch):
                text = f"cluster {self._cluster.alias}: another task has taken the transactional id {self._id}"
                raise FencedError(text, cluster=self._cluster.alias, topic=records[0].topic)
            missing = [each for each in records if self._cluster.find(_place(each)) is None]
            if missing:
                text = f"cluster {self._cluster.alias} refused to write to {missing[0].topic}: there is no such topic"
                raise TopicMissingError(text, cluster=self._cluster.alias, topic=missing[0].topic)
            for each in records:
                record = Record(0, each.timestamp_ms, each.key, each.value, ())
                self._cluster.topics[each.topic].append(each.partition, bytes(build_batch([record])))

    def close(self) -> None:
        """Nothing is open."""

    def _take(self, transactional_id: str) -> TransactionalProducer:
        self._cluster.check()
        with self._cluster.lock:
            return self._cluster.coordinator.init_producer(transactional_id, int(time.time() * 1000))


def _place(record: NewRecord) -> TopicPartition:
    return TopicPartition(record.topic, record.partition)
