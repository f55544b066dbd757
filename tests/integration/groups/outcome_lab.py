"""One flow between real brokers: a topic that the engine copies, and the rounds of its checkpoint task."""

import time
from contextlib import closing
from dataclasses import dataclass, field

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, KafkaException, TopicPartition

from replication.codecs.mm2_records import Checkpoint
from replication.connectors.group_questions.answers import GroupAnswer
from replication.domain.groups.group_summary import GroupSummary
from replication.domain.plan.plan_document import PlanGroups
from replication.domain.questions.question import QuestionKind
from tests.support.engine.slots import SlotLab
from tests.support.eventually import eventually
from tests.support.groups.checkpointing import ROUND_MS, Checkpointing
from tests.support.kafka.kafka_records import admin, produce

DELETED = 3  # records at the start of the source topic
JOIN_S = 40.0


@dataclass(slots=True)
class OutcomeLab:
    """The first records of the source were deleted before the flow began, so that offsets differ on both sides."""

    slots: SlotLab
    topic: str
    group: str
    work: Checkpointing = field(init=False)

    def __post_init__(self) -> None:
        self.slots.topic(self.topic)
        self.work = Checkpointing(
            self.slots,
            [self.topic],
            {"sync.group.offsets.enabled": "true"},
            groups=PlanGroups(slots=((self.group,),), most_slots=1),
        )
        self.fill(DELETED)
        deleted = TopicPartition(self.topic, 0, DELETED)
        admin(self.slots.source_bootstrap).delete_records([deleted])[deleted].result(10)

    @property
    def remote(self) -> str:
        return self.slots.remote(self.topic)

    def fill(self, records: int) -> None:
        produce(self.slots.source_bootstrap, self.topic, [{"value": str(number)} for number in range(records)])

    def copy(self) -> None:
        """Copy all that the source has."""
        with self.slots.running(self.slots.spec({self.topic: 1})) as handle:
            self.slots.wait_committed(handle, self.topic, 1)

    def round(self, *, after_ms: int = ROUND_MS) -> GroupSummary:
        """Let a period pass, translate, and set offsets; return the group."""
        (found,) = self.work.round(after_ms=after_ms)
        return found

    def ask(self, kind: QuestionKind, **question: object) -> GroupAnswer:
        """Answer a question as a control worker does."""
        return self.work.ask(kind, **question)

    def checkpoints(self) -> list[Checkpoint]:
        """Every one, in the order written."""
        return self.work.written()

    def commit(self, offset: int) -> None:
        """Set the group's offset on the source."""
        set_offset(self.slots.source_bootstrap, self.group, self.topic, offset)

    def commit_on_target(self, offset: int) -> None:
        set_offset(self.slots.target_bootstrap, self.group, self.remote, offset)

    def on_target(self) -> int | None:
        return committed(self.slots.target_bootstrap, self.group, self.remote)

    def delete_group(self, bootstrap: str) -> None:
        def delete() -> bool:
            try:
                admin(bootstrap).delete_consumer_groups([self.group])[self.group].result(10)
            except KafkaException:
                return False
            return True

        eventually(delete, 30, f"{self.group} is deleted")

    def close(self) -> None:
        self.work.close()


def set_offset(bootstrap: str, group: str, topic: str, offset: int) -> None:
    wanted = ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 0, offset)])
    for future in admin(bootstrap).alter_consumer_group_offsets([wanted]).values():
        found = future.result(30)
        assert all(each.error is None for each in found.topic_partitions)


def committed(bootstrap: str, group: str, topic: str) -> int | None:
    """The committed offset as a consumer sees it; None without one."""
    with closing(Consumer({"bootstrap.servers": bootstrap, "group.id": group, "log_level": 0})) as consumer:
        (found,) = consumer.committed([TopicPartition(topic, 0)], timeout=20)
    return found.offset if found.offset >= 0 else None


def joined(bootstrap: str, group: str, topic: str) -> Consumer:
    """A member that has its partition."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "enable.auto.commit": False,
            "auto.offset.reset": "latest",
            "log_level": 0,
        }
    )
    consumer.subscribe([topic])
    deadline = time.monotonic() + JOIN_S
    while not consumer.assignment():
        assert time.monotonic() < deadline, "the member gets no partition"
        consumer.poll(0.2)
    return consumer
