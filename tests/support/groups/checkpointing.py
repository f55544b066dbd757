"""The checkpoint tasks of a flow whose topics a slot of the test copies, and questions about its groups.

Planning, tasks and questions are those of a control worker; only leases and Redis are missing.
"""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field

from replication.codecs.mm2_records import Checkpoint, decode_checkpoint
from replication.connectors.group_questions.answers import GroupAnswer, answer_about_groups
from replication.connectors.groups.group_planner import GroupPlanner
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.groups.group_summary import GroupSummary, SyncTimes
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.internal_topics import CHECKPOINTS
from replication.domain.plan.plan_document import NO_GROUPS, PlanDocument, PlanGroups, PlanTopic
from replication.domain.questions.question import Question, QuestionKind
from replication.tasks.groups.checkpoint_task import CheckpointTask
from replication.wire.groups.group_admin import WireGroupAdmin
from replication.worker.jobs.task_group import CheckpointSlotOrder
from replication.worker.wiring import KafkaClients, connected_checkpoints, connected_flow_ports
from tests.support.engine.slots import SlotLab
from tests.support.kafka.kafka_records import create_topic, read_all, topic_id

ROUND_MS = 60_000
EVERY_NAME = 10_000  # names of an answer


@dataclass(slots=True)
class Checkpointing:
    """One flow of a SlotLab with topics of one partition; `settings` are those of its checkpoint connector."""

    slots: SlotLab
    topics: Sequence[str]
    settings: dict[str, str] = field(default_factory=dict)
    allowed: str = ".*"  # groups
    tasks_max: int = 1
    groups: PlanGroups = NO_GROUPS
    now_ms: int = field(default_factory=lambda: time.time_ns() // 1_000_000)
    sync: SyncTimes | None = None  # as reported by the last round
    _tasks: dict[int, CheckpointTask] = field(default_factory=dict)
    _clients: KafkaClients = field(default_factory=KafkaClients)

    def __post_init__(self) -> None:
        create_topic(self.slots.target_bootstrap, self.topic, cleanup_policy="compact")

    @property
    def topic(self) -> str:
        """The checkpoints topic."""
        return CHECKPOINTS.name(self.slots.source.alias)

    @property
    def flow(self) -> DesiredFlow:
        return DesiredFlow(
            source=self.slots.source.alias,
            tasks_max=self.tasks_max,
            topics=NamePatterns(allow=(".*",)),
            groups=NamePatterns(allow=(self.allowed,)),
            connectors=ConnectorSettings(checkpoint=self.settings),
        )

    def plan(self) -> PlanDocument:
        topics = tuple(
            PlanTopic(
                upstream=topic,
                remote=self.slots.remote(topic),
                topic_id=topic_id(self.slots.source_bootstrap, topic),
                partitions=1,
                max_message_bytes=1_048_588,
                timestamp_type="CreateTime",
            )
            for topic in self.topics
        )
        return PlanDocument(
            target=self.slots.target.alias,
            source=self.slots.source.alias,
            generation=1,
            version=1,
            desired_revision=1,
            planned_ms=1,
            tasks_max=self.tasks_max,
            topics=topics,
            slots=(tuple((number, 0) for number in range(len(topics))),),
            groups=self.groups,
        )

    def find_groups(self) -> PlanGroups:
        """Look for the groups of the source, and divide them into slots."""
        with closing(WireGroupAdmin(self.slots.source)) as admin:
            planner = GroupPlanner(self.flow, admin, self.slots.target.alias)
            self.groups = planner.run_once(self.plan(), self.now_ms).groups
        assert planner.problem is None, planner.problem
        return self.groups

    def round(self, *, after_ms: int = ROUND_MS) -> tuple[GroupSummary, ...]:
        """Let a period pass, translate, and set offsets in every slot; return all groups."""
        self.now_ms += after_ms
        found: list[GroupSummary] = []
        plan = self.plan()
        for slot in range(len(self.groups.slots)):
            order = CheckpointSlotOrder(
                flow=self.flow,
                target_alias=self.slots.target.alias,
                source=self.slots.source,
                target=self.slots.target,
                slot=slot,
                plan=plan,
            )
            task = self._tasks.get(slot)
            if task is None:
                task = self._tasks[slot] = connected_checkpoints(self._clients, order, "lab", "boot-1")
            else:
                task.apply_order(order.work())
            report = task.run_once(self.now_ms)
            assert report.problem is None, report.problem
            found += report.summary.groups
            self.sync = report.summary.sync
        return tuple(found)

    def written(self) -> list[Checkpoint]:
        """Every committed checkpoint, in the order written."""
        (records,) = read_all(self.slots.target_bootstrap, self.topic, 1, "read_committed")
        return [decode_checkpoint(record.key, record.value) for record in records]

    def newest(self) -> dict[tuple[str, TopicPartition], Checkpoint]:
        """The newest checkpoint of each group and remote partition."""
        return {(each.group, each.remote): each for each in self.written()}

    def ask(self, kind: QuestionKind, **question: object) -> GroupAnswer:
        """Answer a question as a control worker does."""
        ports = connected_flow_ports(self._clients, self.slots.source, self.slots.target)
        flow_id = FlowId(self.slots.source.alias, self.slots.target.alias)
        asked = Question(
            id="q",
            kind=kind,
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
                most_names=EVERY_NAME,
            )
            return answer_about_groups(asked, request)
        finally:
            ports.close()

    def close(self) -> None:
        for task in self._tasks.values():
            task.close()
        self._clients.close()
