"""The checkpoint connector on real brokers: its topic, its groups and tasks, and the records that it writes."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest
from confluent_kafka import Consumer
from confluent_kafka import TopicPartition as KafkaTopicPartition

from replication.connectors.groups.group_planner import GroupPlanner
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.errors import FencedError
from replication.domain.plan.plan_document import PlanDocument
from replication.kafka.record_log import KafkaRecordLog
from replication.ports.record_log import LogRecord
from replication.tasks.groups.checkpoint_task import CheckpointTask
from replication.wire.groups.group_admin import WireGroupAdmin
from replication.worker.jobs.task_group import CheckpointSlotOrder
from replication.worker.wiring import KafkaClients, connected_checkpoints
from tests.integration.connectors.conftest import Planning
from tests.support.kafka.kafka_records import produce

pytestmark = pytest.mark.kafka
ROUND_MS = 60_000
RECORDS = 20


@dataclass(slots=True)
class Checkpoints:
    """A flow that copies `topic`, its plan with groups, and rounds of its checkpoint tasks."""

    planning: Planning
    topic: str
    flow: DesiredFlow
    plan: PlanDocument
    now_ms: int = 1_790_000_000_000
    tasks: list[CheckpointTask] = field(default_factory=list)
    admins: list[WireGroupAdmin] = field(default_factory=list)
    clients: KafkaClients = field(default_factory=KafkaClients)

    def name(self, group: str) -> str:
        return f"{group}-{self.planning.mark}"

    def commit(self, group: str, offset: int, topic: str = "", metadata: str = "") -> str:
        """Commit on the source by a client without membership; librdkafka adds a NUL to metadata."""
        servers = ",".join(self.planning.source_client.bootstrap)
        consumer = Consumer({"bootstrap.servers": servers, "group.id": group, "log_level": 0})
        place = KafkaTopicPartition(topic or self.topic, 0, offset, metadata=metadata)
        consumer.commit(offsets=[place], asynchronous=False)
        consumer.close()
        return group

    def planner(self) -> GroupPlanner:
        self.admins.append(WireGroupAdmin(self.planning.source_client))
        return GroupPlanner(self.flow, self.admins[-1])

    def plan_groups(self) -> tuple[tuple[str, ...], ...]:
        self.plan = self.planner().run_once(self.plan, self.now_ms)
        return self.plan.groups.slots

    def task(self, slot: int = 0) -> CheckpointTask:
        order = CheckpointSlotOrder(
            flow=self.flow,
            target_alias=self.planning.target_client.alias,
            source=self.planning.source_client,
            target=self.planning.target_client,
            slot=slot,
            plan=self.plan,
        )
        self.tasks.append(connected_checkpoints(self.clients, order, "lab", "boot"))
        return self.tasks[-1]

    def round(self, task: CheckpointTask) -> None:
        self.now_ms += ROUND_MS
        assert task.run_once(self.now_ms).problem is None

    def records(self) -> list[LogRecord]:
        """As Java's readers see them."""
        log = KafkaRecordLog(self.planning.target_client)
        found = list(log.read_to_end(f"{self.planning.source_client.alias}.checkpoints.internal"))
        log.close()
        return found

    def close(self) -> None:
        for task in self.tasks:
            task.close()
        for admin in self.admins:
            admin.close()
        self.clients.close()


@pytest.fixture
def flow(planning: Planning) -> Iterator[Checkpoints]:
    """20 records are copied; offsets are the same on both sides."""
    topic = planning.create(f"orders-{planning.mark}")
    produce(",".join(planning.source_client.bootstrap), topic, [{"value": str(each)} for each in range(RECORDS)])
    wanted = replace(
        planning.flow(topic, tasks_max=2, settings={"checkpoints.topic.replication.factor": "1"}),
        groups=NamePatterns(allow=(f".*{planning.mark}.*",), deny=("console-consumer-.*", "connect-.*", "__.*")),
    )
    made = Checkpoints(planning, topic, wanted, planning.copy(wanted, RECORDS))
    yield made
    made.close()


def test_the_checkpoints_topic_is_compacted_and_has_one_partition(flow: Checkpoints) -> None:
    name = f"{flow.planning.source_client.alias}.checkpoints.internal"

    described = flow.planning.target.describe_topics([name])[name]

    assert described.partitions == 1
    assert flow.planning.chosen(name) == {"cleanup.policy": "compact"}


def test_groups_with_a_commit_on_an_allowed_topic_are_divided_into_tasks(flow: Checkpoints) -> None:
    other = flow.planning.create(f"private-{flow.planning.mark}")
    groups = [flow.commit(flow.name(letter), 5) for letter in "abc"]
    flow.commit(flow.name("private"), 0, topic=other)
    flow.commit(flow.name("console-consumer-1"), 5)
    flow.commit("unnamed", 5)

    slots = flow.plan_groups()

    assert len(slots) == 2
    assert sorted(name for slot in slots for name in slot) == groups
    assert [each.group for each in flow.plan.groups.skipped] == [flow.name("private")]


def test_a_new_group_joins_and_no_other_changes_its_task(flow: Checkpoints) -> None:
    for letter in "abc":
        flow.commit(flow.name(letter), 5)
    before = flow.plan_groups()
    version = (flow.plan.generation, flow.plan.version)

    new = flow.commit(flow.name("d"), 5)
    after = flow.plan_groups()

    assert [name for slot in after for name in slot if name not in {each for old in before for each in old}] == [new]
    assert all(set(old) <= set(now) for old, now in zip(before, after, strict=True))
    assert (flow.plan.generation, flow.plan.version) == version


def test_a_checkpoint_has_mirrormakers_bytes_in_partition_0_and_the_time_of_its_round(flow: Checkpoints) -> None:
    group = flow.commit(flow.name("a"), 7, metadata="host 1")
    flow.plan_groups()

    flow.round(flow.task())

    found = [each for each in flow.records() if group.encode() in (each.key or b"")]
    remote = flow.planning.remote(flow.topic).encode()
    name, metadata = group.encode(), b"host 1\0"
    key = struct.pack(">h", len(name)) + name + struct.pack(">h", len(remote)) + remote + struct.pack(">i", 0)
    value = struct.pack(">hqq", 0, 7, 7) + struct.pack(">h", len(metadata)) + metadata
    assert [(each.partition, each.key, each.value, each.headers) for each in found] == [(0, key, value, ())]
    assert found[0].timestamp_ms == flow.now_ms


def test_only_progress_and_rewinds_are_written_also_after_a_restart(flow: Checkpoints) -> None:
    group = flow.commit(flow.name("a"), 7)
    flow.plan_groups()
    first = flow.task()
    flow.round(first)
    flow.round(first)
    flow.commit(group, 9)
    flow.round(flow.task())
    written, name = flow.records(), f"{flow.planning.source_client.alias}.checkpoints.internal"
    produce(
        ",".join(flow.planning.target_client.bootstrap), name, [{"key": (written[-1].key or b"")[:3], "value": b"?"}]
    )
    flow.round(flow.task())
    flow.commit(group, 3)
    flow.round(flow.task())

    values = [each.value or b"" for each in flow.records() if group.encode() in (each.key or b"")]

    assert [struct.unpack_from(">qq", value, 2) for value in values] == [(7, 7), (9, 9), (3, 3)]


def test_a_task_that_was_replaced_writes_nothing_any_more(flow: Checkpoints) -> None:
    group = flow.commit(flow.name("a"), 9)
    flow.plan_groups()
    frozen = flow.task()
    flow.round(frozen)
    flow.commit(group, 12)
    flow.round(flow.task())
    written = len(flow.records())

    flow.commit(group, 3)
    with pytest.raises(FencedError):
        flow.round(frozen)

    assert len(flow.records()) == written


def test_a_slot_that_no_longer_exists_is_fenced_by_the_one_that_has_its_groups(flow: Checkpoints) -> None:
    for letter in "ab":
        flow.commit(flow.name(letter), 5)
    slots = flow.plan_groups()
    former = flow.task(slot=1)
    flow.round(former)

    flow.flow = replace(flow.flow, tasks_max=1)
    assert len(flow.plan_groups()) == 1
    flow.round(flow.task())
    flow.commit(slots[1][0], 3)

    with pytest.raises(FencedError):
        flow.round(former)


def test_without_checkpoints_or_offset_syncs_no_group_is_planned(flow: Checkpoints) -> None:
    flow.commit(flow.name("a"), 5)
    source = flow.flow.connectors.source

    for connectors in (
        ConnectorSettings(source=source, checkpoint={"emit.checkpoints.enabled": "false"}),
        ConnectorSettings(source={**source, "emit.offset-syncs.enabled": "false"}),
    ):
        flow.flow = replace(flow.flow, connectors=connectors)
        assert flow.plan_groups() == ()


def test_groups_stay_those_of_the_start_where_refreshing_is_off(flow: Checkpoints) -> None:
    flow.commit(flow.name("a"), 5)
    settings = ConnectorSettings(source=flow.flow.connectors.source, checkpoint={"refresh.groups.enabled": "false"})
    flow.flow = replace(flow.flow, connectors=settings)
    planner = flow.planner()
    plan = planner.run_once(flow.plan, flow.now_ms)

    flow.commit(flow.name("b"), 5)

    assert planner.run_once(plan, flow.now_ms + 86_400_000) is plan
