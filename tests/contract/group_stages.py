"""The two families of adapters behind GroupAdmin, with what brings groups into each state."""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager

from confluent_kafka import Consumer, Producer
from confluent_kafka import TopicPartition as KafkaTopicPartition

from replication.domain.groups.consumer_group import Commit, GroupType
from replication.domain.identifiers import TopicPartition
from replication.memory.broker import MemoryCluster
from replication.memory.groups import MemoryGroupAdmin
from replication.ports.groups.group_admin import GroupAdmin
from tests.support.eventually import eventually
from tests.support.kafka import kafka_records

EndTransaction = Callable[[bool], None]
JOINED_S = 30.0


class GroupStage(ABC):
    """One cluster whose groups a test arranges, and the admin that is asked about them."""

    admin: GroupAdmin

    @abstractmethod
    def create(self, topic: str, partitions: int = 1) -> None: ...

    @abstractmethod
    def member(self, group: str, topic: str, group_type: GroupType = "classic") -> AbstractContextManager[None]:
        """A member of the group while the context lasts; it commits nothing."""

    @abstractmethod
    def transaction(self, group: str, offsets: Mapping[TopicPartition, int]) -> EndTransaction:
        """Commit offsets in a transaction that stays open; the result ends it, True commits."""

    @abstractmethod
    def delete(self, group: str) -> None: ...


class MemoryStage(GroupStage):
    """A cluster in memory."""

    def __init__(self) -> None:
        self._cluster = MemoryCluster("here")
        self.admin: GroupAdmin = MemoryGroupAdmin(self._cluster)

    def create(self, topic: str, partitions: int = 1) -> None:
        self._cluster.create(topic, partitions=partitions)

    @contextlib.contextmanager
    def member(self, group: str, topic: str, group_type: GroupType = "classic") -> Iterator[None]:
        joined = self._cluster.group_coordinator.join(group, topic)
        joined.type = group_type
        yield
        joined.members = 0

    def transaction(self, group: str, offsets: Mapping[TopicPartition, int]) -> EndTransaction:
        found = self._cluster.group(group)
        found.pending |= {each: Commit(offset) for each, offset in offsets.items()}
        return lambda committed: found.end_transaction(committed=committed)

    def delete(self, group: str) -> None:
        del self._cluster.group_coordinator.groups[group]


class KafkaStage(GroupStage):
    """A real broker; members and transactions are confluent-kafka's."""

    def __init__(self, admin: GroupAdmin, bootstrap: str) -> None:
        self.admin = admin
        self._bootstrap = bootstrap

    def create(self, topic: str, partitions: int = 1) -> None:
        kafka_records.create_topic(self._bootstrap, topic, partitions)

    @contextlib.contextmanager
    def member(self, group: str, topic: str, group_type: GroupType = "classic") -> Iterator[None]:
        consumer = self._consumer(group, **{"group.protocol": group_type})
        consumer.subscribe([topic])

        def has_joined() -> bool:
            consumer.poll(0.1)
            return bool(consumer.assignment())

        try:
            eventually(has_joined, JOINED_S, f"a member of {group} has partitions of {topic}")
            yield
        finally:
            consumer.close()

    def transaction(self, group: str, offsets: Mapping[TopicPartition, int]) -> EndTransaction:
        producer = Producer({"bootstrap.servers": self._bootstrap, "transactional.id": f"tx-{group}", "log_level": 0})
        producer.init_transactions(30)
        producer.begin_transaction()
        consumer = self._consumer(group)
        metadata = consumer.consumer_group_metadata()
        wanted = [KafkaTopicPartition(each.topic, each.partition, offset) for each, offset in offsets.items()]
        producer.send_offsets_to_transaction(wanted, metadata, 30)
        consumer.close()

        def end(committed: bool) -> None:
            if committed:
                producer.commit_transaction(30)
            else:
                producer.abort_transaction(30)

        return end

    def delete(self, group: str) -> None:
        kafka_records.admin(self._bootstrap).delete_consumer_groups([group])[group].result(10)

    def _consumer(self, group: str, **more: str) -> Consumer:
        return Consumer(
            {
                "bootstrap.servers": self._bootstrap,
                "group.id": group,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "log_level": 0,
                **more,
            }
        )
