"""One flow between real brokers: a topic that the engine copies, and the rounds of its checkpoint task."""

import time
from contextlib import closing
from dataclasses import dataclass, field

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, KafkaException, TopicPartition

from replication.connectors.group_questions.answers import answer_about_groups
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.groups.group_summary import GroupSummary
from replication.domain.identifiers import FlowId
from replication.domain.plan.plan_document import PlanDocument, PlanGroups, PlanTopic
from replication.domain.questions.question import Question
from replication.tasks.groups.checkpoint_task import CheckpointTask
from replication.worker.jobs.task_group import CheckpointSlotOrder
from replication.worker.wiring import connected_checkpoints, connected_flow_ports
from tests.support.engine.slots import SlotLab
from tests.support.eventually import eventually
from tests.support.kafka.kafka_records import admin, create_topic, produce, topic_id

ROUND_MS = 60_000
DELETED = 3  # records at the start of the source topic
JOIN_S = 40.0


@dataclass(slots=True)
class OutcomeLab:
    """The first records of the source were deleted before the flow began, so that offsets differ on both sides."""

    slots: SlotLab
    topic: str
    group: str
    task: CheckpointTask | None = None
    now_ms: int = field(default_factory=lambda: time.time_ns() // 1_000_000)

    def __post_init__(self) -> None:
        self.slots.topic(self.topic)
        create_topic(self.slots.target_bootstrap, self.checkpoints_topic, cleanup_policy="compact")
        self.fill(DELETED)
        deleted = TopicPartition(self.topic, 0, DELETED)
        admin(self.slots.source_bootstrap).delete_records([deleted])[deleted].result(10)

    @property
    def remote(self) -> str:
        return self.slots.remote(self.topic)

    @property
    def checkpoints_topic(self) -> str:
        return f"{self.slots.source.alias}.checkpoints.internal"

    @property
    def flow(self) -> DesiredFlow:
        return DesiredFlow(
            source=self.slots.source.alias,
            topics=NamePatterns(allow=(".*",)),
            groups=NamePatterns(allow=(".*",)),
            connectors=ConnectorSettings(checkpoint={"sync.group.offsets.enabled": "true"}),
        )

    def fill(self, records: int) -> None:
        produce(self.slots.source_bootstrap, self.topic, [{"value": str(number)} for number in range(records)])

    def copy(self) -> None:
        """Copy all that the source has."""
        with self.slots.running(self.slots.spec({self.topic: 1})) as handle:
            self.slots.wait_committed(handle, self.topic, 1)

    def plan(self) -> PlanDocument:
        topic = PlanTopic(
            upstream=self.topic,
            remote=self.remote,
            topic_id=topic_id(self.slots.source_bootstrap, self.topic),
            partitions=1,
            max_message_bytes=1_048_588,
            timestamp_type="CreateTime",
        )
        return PlanDocument(
            target=self.slots.target.alias,
            source=self.slots.source.alias,
            generation=1,
            version=1,
            desired_revision=1,
            planned_ms=1,
            tasks_max=1,
            topics=(topic,),
            slots=(((0, 0),),),
            groups=PlanGroups(slots=((self.group,),), most_slots=1),
        )

    def order(self) -> CheckpointSlotOrder:
        return CheckpointSlotOrder(
            flow=self.flow,
            target_alias=self.slots.target.alias,
            source=self.slots.source,
            target=self.slots.target,
            slot=0,
            plan=self.plan(),
        )

    def round(self, *, after_ms: int = ROUND_MS) -> GroupSummary:
        """Let a period pass, translate, and set offsets; return the group."""
        if self.task is None:
            self.task = connected_checkpoints(self.order(), "lab", "boot-1")
        else:
            self.task.take(self.order().work())
        self.now_ms += after_ms
        report = self.task.run_once(self.now_ms)
        assert report.problem is None, report.problem
        (found,) = report.summary.groups
        return found

    def ask(self, **question: object) -> object:
        """Answer a question as a control worker does."""
        ports = connected_flow_ports(self.slots.source, self.slots.target)
        flow_id = FlowId(self.slots.source.alias, self.slots.target.alias)
        asked = Question(
            id="q",
            target=flow_id.target,
            sources=(flow_id.source,),
            document="",
            asked_ms=0,
            **question,  # type: ignore[arg-type]
        )
        try:
            request = FlowRequest(
                id=flow_id,
                flow=self.flow,
                plan=self.plan(),
                source=ports.source,
                target=ports.target,
                open_groups=ports.open_groups,
                now_ms=self.now_ms,
            )
            return answer_about_groups(asked, request)
        finally:
            ports.close()

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
        if self.task is not None:
            self.task.close()


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
