"""One flow `east->west` on clusters in memory, whose copying is told by offset runs, and its checkpoint task."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from replication.codecs.mm2_records import Checkpoint, decode_checkpoint
from replication.codecs.offset_runs import encode_key, encode_value
from replication.domain.batches.record import Record
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.groups.consumer_group import Commit
from replication.domain.groups.group_summary import GroupSummary
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import OFFSET_RUNS, POSITIONS
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.domain.plan.plan_document import PlanDocument, PlanGroups, PlanTopic
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryRecordLog
from replication.tasks.groups.checkpoint_order import CheckpointOrder
from replication.tasks.groups.checkpoint_task import CheckpointTask
from replication.tasks.groups.round_report import RoundReport, TaskRun
from replication.wire.batches.record_codec import build_batch
from tests.support.groups.memory_ports import memory_ports

FLOW = DesiredFlow(
    source="east",
    topics=NamePatterns(allow=(".*",)),
    groups=NamePatterns(allow=(".*",)),
    connectors=ConnectorSettings(checkpoint={"sync.group.offsets.enabled": "true"}),
)
ORDERS, REMOTE = "orders", "east.orders"
CHECKPOINTS = "east.checkpoints.internal"
SHIFT = 5  # records that were on the remote topic before
RUN = TaskRun(driver="d1", boot="b1")


@dataclass(slots=True)
class Lab:
    """`orders` has one partition, whose offset n is n + 5 on the target."""

    source: MemoryCluster = field(default_factory=lambda: MemoryCluster("east"))
    target: MemoryCluster = field(default_factory=lambda: MemoryCluster("west"))
    flow: DesiredFlow = FLOW
    groups: tuple[str, ...] = ("app",)
    now_ms: int = 1_000_000
    copied: int = 0
    shift: int = SHIFT

    def __post_init__(self) -> None:
        self.source.create(ORDERS)
        self.target.create(REMOTE)
        self.target.create(CHECKPOINTS, configs={"cleanup.policy": "compact"})
        for name in (OFFSET_RUNS.name("east"), POSITIONS.name("east")):
            self.target.create(name)
        fill(self.target, REMOTE, SHIFT)

    def copy(self, records: int, *, produce: int | None = None) -> None:
        """Produce records to the source, by default as many as are copied, and copy some of those that are left."""
        fill(self.source, ORDERS, records if produce is None else produce)
        fill(self.target, REMOTE, records)
        first, self.copied = self.copied, self.copied + records
        segment = RunSegment(
            topic=ORDERS,
            partition=0,
            topic_id=self.source.topics[ORDERS].topic_id,
            runs=(OffsetRun(first, first + self.shift, records),),
        )
        write(self.target, OFFSET_RUNS.name("east"), encode_key(segment), encode_value(segment))

    def commit(self, group: str, offset: int, topic: str = ORDERS, partition: int = 0, metadata: str = "") -> None:
        self.source.group(group).commits[TopicPartition(topic, partition)] = Commit(offset, metadata)

    def plan(self, groups: tuple[str, ...] | None = None) -> PlanDocument:
        topic = PlanTopic(
            upstream=ORDERS,
            remote=REMOTE,
            topic_id=self.source.topics[ORDERS].topic_id,
            partitions=1,
            max_message_bytes=1_048_588,
            timestamp_type="CreateTime",
        )
        return PlanDocument(
            target="west",
            source="east",
            generation=1,
            version=1,
            desired_revision=1,
            planned_ms=1,
            tasks_max=1,
            topics=(topic,),
            slots=(((0, 0),),),
            groups=PlanGroups(slots=(self.groups if groups is None else groups,), most_slots=1),
        )

    def order(self, groups: tuple[str, ...] | None = None) -> CheckpointOrder:
        return CheckpointOrder(flow=self.flow, target="west", slot=0, plan=self.plan(groups))

    def task(self) -> CheckpointTask:
        order = self.order()
        ports = memory_ports(self.source, self.target, order)
        return CheckpointTask(order, ports, RUN, clock_ms=lambda: self.now_ms)

    def round(self, task: CheckpointTask, after_ms: int = 60_000) -> RoundReport:
        """Let time pass, and run what is due."""
        self.now_ms += after_ms
        return task.run_once(self.now_ms)

    def checkpoints(self) -> list[Checkpoint]:
        found = MemoryRecordLog(self.target).read_to_end(CHECKPOINTS)
        return [decode_checkpoint(record.key, record.value) for record in found]

    def set_settings(self, **values: str) -> None:
        given = {key.replace("_", "."): value for key, value in values.items()}
        own = {**self.flow.connectors.checkpoint, **given}
        self.flow = replace(self.flow, connectors=ConnectorSettings(checkpoint=own))


def fill(cluster: MemoryCluster, topic: str, records: int) -> None:
    for _ in range(records):
        write(cluster, topic, b"k", b"v")


def write(cluster: MemoryCluster, topic: str, key: bytes, value: bytes) -> None:
    cluster.topics[topic].append(0, bytes(build_batch([Record(0, 1, key, value, ())])))


def by_name(report: RoundReport) -> Mapping[str, GroupSummary]:
    return {each.group: each for each in report.summary.groups}
