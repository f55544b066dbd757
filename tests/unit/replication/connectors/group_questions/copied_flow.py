"""A flow east->west in memory whose topic has been copied, with the records in which the flow tells how."""

from dataclasses import replace
from typing import Any

from replication.codecs.connect_offsets import SourceOffsetKey, encode_position, encode_source_key
from replication.codecs.mm2_records import Checkpoint, OffsetSync, encode_checkpoint, encode_offset_sync
from replication.codecs.offset_runs import encode_key, encode_value
from replication.connectors.group_questions.answers import GroupAnswer, answer_about_groups
from replication.connectors.group_questions.group_ports import GroupPorts
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.groups.consumer_group import Commit
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.copy_topics import CopyTopics
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.questions.question import Question, QuestionKind
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryProducer
from tests.support.engine.planning import connect
from tests.support.groups.memory_ports import memory_group_ports

Answer = GroupAnswer
UNSYNCED = DesiredFlow(source="east", topics=NamePatterns(allow=("orders",)), groups=NamePatterns(allow=(".*",)))
FLOW = replace(UNSYNCED, connectors=ConnectorSettings(checkpoint={"sync.group.offsets.enabled": "true"}))
NOW_MS = 1_800_000_000_000
RECORDS = 100
UP = (TopicPartition("orders", 0), TopicPartition("orders", 1))
REMOTE = (TopicPartition("east.orders", 0), TopicPartition("east.orders", 1))
CHECKPOINTS = "east.checkpoints.internal"


class CopiedFlow:
    """Partition 0: the records from 20 on are copied to 0, and from 70 on to 51, behind a foreign record at 50.

    Partition 1: all records are copied to the same offsets; only MirrorMaker's position and one offset sync (10 to
    10) say so.
    """

    def __init__(self) -> None:
        self.east, self.west = MemoryCluster("east"), MemoryCluster("west")
        self.east.create("orders", partitions=2)
        self.others: tuple[PlanDocument, ...] = ()
        self.plan: PlanDocument = connect(self.east, self.west, FLOW).run_once(None, 0)
        self._write(self.east, "orders", 0, range(RECORDS))
        self._write(self.east, "orders", 1, range(RECORDS))
        self._write(self.west, "east.orders", 0, [*range(20, 70), -1, *range(70, RECORDS)])
        self._write(self.west, "east.orders", 1, range(RECORDS))
        self.topics = CopyTopics.of(FlowId("east", "west"), separator=".", syncs_on_target=False)
        topic_id = self.east.topics["orders"].topic_id
        segment = RunSegment("orders", 0, topic_id, (OffsetRun(20, 0, 50), OffsetRun(70, 51, 30)))
        self.tell(self.west, self.topics.runs, encode_key(segment), encode_value(segment))
        key = encode_source_key(SourceOffsetKey(cluster="east", upstream=UP[1]))
        self.tell(self.west, self.topics.positions, key, encode_position(RECORDS) or b"")
        sync = OffsetSync(upstream=UP[1], upstream_offset=10, downstream_offset=10)
        self.tell(self.east, self.topics.syncs, *encode_offset_sync(sync))

    def request(self, *, most_names: int = 100, flow: DesiredFlow = FLOW) -> FlowRequest:
        return FlowRequest(
            id=FlowId("east", "west"),
            flow=flow,
            plan=self.plan,
            others=self.others,
            source=MemoryAdmin(self.east),
            target=MemoryAdmin(self.west),
            open_groups=self.ports,
            now_ms=NOW_MS,
            most_names=most_names,
        )

    def ask(self, kind: QuestionKind, *, desired: DesiredFlow = FLOW, most_names: int = 100, **question: Any) -> Answer:
        """Answer a question as a control worker does."""
        asked = Question(id="q", kind=kind, target="west", sources=("east",), document="", asked_ms=0, **question)
        return answer_about_groups(asked, self.request(most_names=most_names, flow=desired))

    def ports(self, topics: CopyTopics, reverse: CopyTopics) -> GroupPorts:
        return memory_group_ports(self.east, self.west, topics, reverse)

    def commit(self, group: str, *offsets: int) -> None:
        """Commit on the source, in the order of the partitions."""
        for upstream, offset in zip(UP, offsets, strict=False):
            self.east.group(group).commits[upstream] = Commit(offset, "m")

    def on_target(self, group: str) -> list[int | None]:
        commits = self.west.group(group).commits
        return [commits[each].offset if each in commits else None for each in REMOTE]

    def checkpoint(self, group: str, partition: int, upstream: int, downstream: int) -> None:
        checkpoint = Checkpoint(
            group=group,
            remote=REMOTE[partition],
            upstream_offset=upstream,
            downstream_offset=downstream,
            metadata="",
        )
        self.tell(self.west, CHECKPOINTS, *encode_checkpoint(checkpoint))

    def tell(self, cluster: MemoryCluster, topic: str, key: bytes, value: bytes) -> None:
        if topic not in cluster.topics:
            cluster.create(topic)
        producer = MemoryProducer(cluster)
        producer.send(topic, key=key, value=value, partition=0, timestamp_ms=NOW_MS - 5_000)
        producer.flush()

    def _write(self, cluster: MemoryCluster, topic: str, partition: int, values: "range | list[int]") -> None:
        producer = MemoryProducer(cluster)
        for value in values:
            producer.send(topic, key=None, value=b"%d" % value, partition=partition, timestamp_ms=1_000 + value)
        producer.flush()
