"""The behaviour of every adapter that follows a flow's own topics, in memory and on a real broker."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pytest

from replication.codecs.connect_offsets import SourceOffsetKey, encode_position, encode_source_key
from replication.codecs.gap_records import encode_gap
from replication.codecs.mm2_records import OffsetSync, encode_offset_sync
from replication.codecs.offset_runs import encode_key, encode_value
from replication.domain.groups.copy_account import CopyAccount
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.copy_topics import CopyTopics
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.domain.offsets.positions import Position
from replication.domain.plan.slot import ClusterClient
from replication.kafka.copy_logs import KafkaCopyLogs
from replication.memory.broker import MemoryCluster
from replication.memory.copy_logs import MemoryCopyLogs
from replication.ports.admin import NewTopic
from replication.ports.groups.copy_logs import CopyLogs
from tests.contract.control_ports import BOTH, ControlPorts, kafka_ports, memory_ports

ORDERS = TopicPartition("orders", 3)
DEAD = "127.0.0.1:1"
Headers = Sequence[tuple[str, bytes]]


class Notes(CopyAccount):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.segments: list[RunSegment | bytes] = []
        self.positions: list[tuple[TopicPartition, int | None]] = []
        self.syncs: list[tuple[TopicPartition, int, int]] = []
        self.gaps: list[Gap] = []

    def add_segment(self, key: bytes, segment: RunSegment | None) -> None:
        self.segments.append(key if segment is None else segment)

    def add_position(self, upstream: TopicPartition, position: Position | None) -> None:
        self.positions.append((upstream, None if position is None else position.next_offset))

    def add_sync(self, upstream: TopicPartition, upstream_offset: int, downstream_offset: int) -> None:
        self.syncs.append((upstream, upstream_offset, downstream_offset))

    def add_gap(self, gap: Gap) -> None:
        self.gaps.append(gap)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A flow's own topics, and the logs of them; the source and the target may be one cluster."""

    ports: ControlPorts
    topics: CopyTopics
    open_logs: Callable[[CopyTopics, bool], CopyLogs]

    def create(self, name: str, partitions: int = 1) -> None:
        topic = NewTopic(name=name, partitions=partitions, replication_factor=1, configs={"cleanup.policy": "compact"})
        assert self.ports.admin.create_topics([topic]) == ()

    def write(self, topic: str, key: bytes, value: bytes | None) -> None:
        self.ports.producer.send(topic, key=key, value=value, partition=0)
        self.ports.producer.flush()

    def write_run(self, segment: RunSegment) -> None:
        self.write(self.topics.runs, encode_key(segment), encode_value(segment))

    def write_position(self, next_offset: int, source: str = "") -> None:
        key = encode_source_key(SourceOffsetKey(cluster=source or self.topics.source, upstream=ORDERS))
        self.write(self.topics.positions, key, encode_position(next_offset))

    def write_sync(self, upstream_offset: int) -> None:
        sync = OffsetSync(upstream=ORDERS, upstream_offset=upstream_offset, downstream_offset=upstream_offset + 1)
        self.write(self.topics.syncs, *encode_offset_sync(sync))


def memory_flow(topics: CopyTopics) -> Flow:
    target = MemoryCluster("target")

    def open_logs(wanted: CopyTopics, is_source_up: bool) -> CopyLogs:
        source = target
        if not is_source_up:
            source = MemoryCluster("source")
            source.is_up = False
        return MemoryCopyLogs(source, target, wanted)

    return Flow(ports=memory_ports(target), topics=topics, open_logs=open_logs)


def kafka_flow(topics: CopyTopics, bootstrap: str) -> Flow:
    target = ClusterClient(alias="target", bootstrap=(bootstrap,))

    def open_logs(wanted: CopyTopics, is_source_up: bool) -> CopyLogs:
        source = ClusterClient(alias="source", bootstrap=(bootstrap if is_source_up else DEAD,))
        return KafkaCopyLogs(source, target, wanted)

    return Flow(ports=kafka_ports("target", bootstrap), topics=topics, open_logs=open_logs)


@pytest.fixture(params=BOTH)
def flow(request: pytest.FixtureRequest) -> Iterator[Flow]:
    flow_id = FlowId(f"s{uuid.uuid4().hex[:6]}", "target")
    topics = CopyTopics.of(flow_id, separator=".", syncs_on_target=True)
    made = (
        memory_flow(topics)
        if request.param == "memory"
        else kafka_flow(topics, request.getfixturevalue("kafka_cluster").bootstrap)
    )
    yield made
    made.ports.close()


@pytest.fixture
def logs(flow: Flow) -> Iterator[CopyLogs]:
    opened = flow.open_logs(flow.topics, True)
    yield opened
    opened.close()


def segment(first: int, length: int = 10) -> RunSegment:
    return RunSegment(ORDERS.topic, ORDERS.partition, bytes([1] * 16), (OffsetRun(first, first + 5, length),))


def test_topics_that_do_not_exist_are_empty(logs: CopyLogs) -> None:
    assert logs.read_into(Notes()) == 0


def test_runs_positions_and_syncs_are_read_in_their_order(flow: Flow, logs: CopyLogs) -> None:
    for name in (flow.topics.runs, flow.topics.positions, flow.topics.syncs):
        flow.create(name, 2)
    for first in (0, 10, 20):
        flow.write_run(segment(first))
        flow.write_sync(first)
    flow.write_position(30)
    notes = Notes()

    assert logs.read_into(notes) == 7

    assert notes.segments == [segment(0), segment(10), segment(20)]
    assert notes.positions == [(ORDERS, 30)]
    assert notes.syncs == [(ORDERS, first, first + 1) for first in (0, 10, 20)]


def test_gaps_are_read(flow: Flow, logs: CopyLogs) -> None:
    flow.create(flow.topics.gaps)
    skipped = Gap(
        source=flow.topics.source,
        target="target",
        topic=ORDERS.topic,
        topic_id=bytes([1] * 16),
        partition=ORDERS.partition,
        cause="skipped",
        from_offset=5,
        to_offset=9,
        count=4,
        detected_ms=1,
        policy="stop",
    )
    flow.write(flow.topics.gaps, *encode_gap(skipped))
    flow.write(flow.topics.gaps, b"not ours", b"{}")
    flow.write(flow.topics.gaps, b"removed", None)
    notes = Notes()

    assert logs.read_into(notes) == 3
    assert notes.gaps == [skipped]


def test_only_what_is_new_is_read_again(flow: Flow, logs: CopyLogs) -> None:
    flow.create(flow.topics.runs)
    flow.write_run(segment(0))
    logs.read_into(Notes())
    notes = Notes()
    assert logs.read_into(notes) == 0

    flow.write_run(segment(10))

    assert logs.read_into(notes) == 1
    assert notes.segments == [segment(10)]


def test_the_newest_version_of_a_key_is_told_last(flow: Flow, logs: CopyLogs) -> None:
    flow.create(flow.topics.runs)
    flow.create(flow.topics.positions)
    for each in (segment(0, 5), segment(50), segment(0, 9)):
        flow.write_run(each)
    for next_offset in (5, 9):
        flow.write_position(next_offset)
    notes = Notes()

    logs.read_into(notes)

    assert notes.segments[-2:] == [segment(50), segment(0, 9)]
    assert notes.positions[-1] == (ORDERS, 9)


def test_a_removed_segment_and_a_removed_position_are_told(flow: Flow, logs: CopyLogs) -> None:
    flow.create(flow.topics.runs)
    flow.create(flow.topics.positions)
    flow.write_run(segment(0))
    flow.write_position(5)
    logs.read_into(Notes())
    flow.write(flow.topics.runs, encode_key(segment(0)), None)
    flow.write(
        flow.topics.positions, encode_source_key(SourceOffsetKey(cluster=flow.topics.source, upstream=ORDERS)), None
    )
    notes = Notes()

    logs.read_into(notes)

    assert notes.segments == [encode_key(segment(0))]
    assert notes.positions == [(ORDERS, None)]


def test_unreadable_records_and_those_of_other_flows_say_nothing(flow: Flow, logs: CopyLogs) -> None:
    for name in (flow.topics.runs, flow.topics.positions, flow.topics.syncs):
        flow.create(name)
    flow.write(flow.topics.runs, b"orders\0003\0000", b"\x09 of a later version")
    flow.write(flow.topics.runs, b"no key of ours", b"\x01")
    flow.write(flow.topics.positions, b"not json", b"{}")
    flow.write_position(5, source="another")
    flow.write(flow.topics.syncs, b"\0", b"\0")
    flow.write_run(segment(0))
    notes = Notes()

    assert logs.read_into(notes) == 6

    assert (notes.segments, notes.positions, notes.syncs) == ([segment(0)], [], [])


def test_syncs_on_the_source_are_read_from_there(flow: Flow) -> None:
    topics = CopyTopics.of(FlowId(flow.topics.source, "target"), separator=".", syncs_on_target=False)
    elsewhere = Flow(ports=flow.ports, topics=topics, open_logs=flow.open_logs)
    elsewhere.create(topics.syncs)
    elsewhere.write_sync(7)
    logs = flow.open_logs(topics, True)
    notes = Notes()

    assert logs.read_into(notes) == 1
    logs.close()

    assert notes.syncs == [(ORDERS, 7, 8)]


def test_a_source_that_does_not_answer_holds_up_nothing(flow: Flow) -> None:
    topics = CopyTopics.of(FlowId(flow.topics.source, "target"), separator=".", syncs_on_target=False)
    flow.create(topics.runs)
    flow.write_run(segment(0))
    logs = flow.open_logs(topics, False)
    notes = Notes()

    assert logs.read_into(notes) == 1
    logs.close()

    assert notes.segments == [segment(0)]
