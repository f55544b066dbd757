"""Every adapter reads back what a flow records in the target, in memory and from a real broker."""

import pytest

from replication.codecs.gap_records import encode_gap
from replication.codecs.mm2_records import OffsetSync, encode_offset_sync
from replication.codecs.offset_runs import encode_key, encode_value
from replication.codecs.producer_registry import encode_producer
from replication.domain.errors import TopicMissingError
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.leader_epochs import EpochStart
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.domain.offsets.positions import Position
from replication.domain.produce.producer_registry import RegisteredProducer
from replication.ports.offsets.target_history import LastRun
from replication.ports.produce.record_appender import OutgoingRecord
from tests.contract.data_plane_ports import DataPlane

ORDERS, OTHERS = TopicPartition("orders", 0), TopicPartition("others", 3)


def test_positions_are_read_back_as_they_were_committed(plane: DataPlane, topic: str, slot_id: str) -> None:
    positions = f"mm2-offsets.{topic}.internal"
    plane.create(positions, 3, cleanup_policy="compact")
    slot = plane.slot()
    whole = Position(
        next_offset=9,
        topic_id=bytes(range(16)),
        leader_epoch=4,
        downstream_next=7,
        generation=2,
        reset_ids=("r1",),
        epochs=(EpochStart(0, 0), EpochStart(4, 6)),
        runs=(OffsetRun(1, 0, 3), OffsetRun(6, 4, 3)),
    )

    async def committing() -> None:
        await slot.transactions.fence(slot_id)
        for offset in (1, 5):
            found = {ORDERS: Position(next_offset=offset), OTHERS: Position(next_offset=offset)}
            await slot.positions.commit(positions, "a", found, transactional=True)
        await slot.positions.commit(positions, "a", {ORDERS: whole}, transactional=False)
        await slot.positions.commit(positions, "c", {ORDERS: Position(next_offset=77)}, transactional=True)

    plane.run(committing)

    assert plane.run(lambda: slot.positions.read(positions, "a")) == {ORDERS: whole, OTHERS: Position(next_offset=5)}
    slot.positions.forget()
    assert plane.run(lambda: slot.positions.read(positions, "c")) == {ORDERS: Position(next_offset=77)}


def test_a_missing_positions_topic_reads_as_empty_and_cannot_be_written(
    plane: DataPlane, topic: str, slot_id: str
) -> None:
    slot = plane.slot()

    assert plane.run(lambda: slot.positions.read(topic, "a")) == {}
    plane.run(lambda: slot.transactions.fence(slot_id))
    with pytest.raises(TopicMissingError):
        plane.run(lambda: slot.positions.commit(topic, "a", {ORDERS: Position(next_offset=1)}, transactional=True))


def test_small_records_are_appended_and_a_missing_topic_is_told(plane: DataPlane, topic: str) -> None:
    plane.create(topic, 2)
    appender = plane.appender()
    records = [OutgoingRecord(b"k", b"v%d" % number, [("h", b"1")], partition=number) for number in range(4)]

    assert plane.run(lambda: appender.append(topic, records)) > 0

    read = list(plane.control.log.read_to_end(topic))
    assert {(record.partition, record.value) for record in read} == {(0, b"v0"), (0, b"v2"), (1, b"v1"), (1, b"v3")}
    assert {record.headers for record in read} == {(("h", b"1"),)}
    with pytest.raises(TopicMissingError):
        plane.run(lambda: appender.append(f"{topic}-missing", records))


def test_offset_runs_are_read_back_in_order_with_removed_ones_as_none(plane: DataPlane, topic: str) -> None:
    plane.create(topic)
    history, appender = plane.history(), plane.appender()
    first, second = (RunSegment("orders", 0, bytes(16), (OffsetRun(at, at + 2, 5),)) for at in (0, 10))
    other = RunSegment("others", 3, bytes(16), first.runs)
    written = [OutgoingRecord(encode_key(each), encode_value(each)) for each in (first, other, second)]
    taken: list[tuple[bytes, RunSegment | None]] = []
    plane.run(lambda: appender.append(topic, [*written, OutgoingRecord(encode_key(first), None)]))

    def give(key: bytes, segment: RunSegment | None) -> None:
        taken.append((key, segment))

    plane.run(lambda: history.read_runs(topic, [ORDERS], give))

    assert taken == [(encode_key(first), first), (encode_key(second), second), (encode_key(first), None)]
    assert plane.run(lambda: history.last_runs(topic, [ORDERS])) == {ORDERS: LastRun(bytes(16), 15, 17)}


def test_the_newest_version_of_a_segment_that_grew_is_the_last_run(plane: DataPlane, topic: str) -> None:
    plane.create(topic)
    history, appender = plane.history(), plane.appender()
    run = OffsetRun(0, 2, 5)
    grown = [
        RunSegment("orders", 0, bytes(16), runs) for runs in ((run,), (OffsetRun(0, 2, 9),), (run, OffsetRun(20, 9, 4)))
    ]
    written = [OutgoingRecord(encode_key(each, "boot"), encode_value(each)) for each in grown]
    plane.run(lambda: appender.append(topic, written))
    newest: dict[bytes, RunSegment | None] = {}
    plane.run(lambda: history.read_runs(topic, [ORDERS], newest.__setitem__))

    assert newest == {encode_key(run_segment, "boot"): grown[2] for run_segment in grown}
    assert plane.run(lambda: history.last_runs(topic, [ORDERS])) == {ORDERS: LastRun(bytes(16), 24, 13)}


def test_the_newest_offset_sync_and_the_newest_gap_of_a_partition_count(plane: DataPlane, topic: str) -> None:
    plane.create(topic)
    plane.create(f"{topic}-gaps")
    history, appender = plane.history(), plane.appender()
    gaps = [
        Gap(
            source="a",
            target="b",
            topic="orders",
            topic_id=bytes(16),
            partition=0,
            cause="out_of_range",
            from_offset=at,
            to_offset=at + 5,
            count=5,
            detected_ms=1,
            policy="stop",
        )
        for at in (10, 20)
    ]
    syncs = [
        OutgoingRecord(*encode_offset_sync(OffsetSync(upstream=ORDERS, upstream_offset=at, downstream_offset=at)))
        for at in (3, 8)
    ]
    plane.run(lambda: appender.append(topic, syncs))
    plane.run(lambda: appender.append(f"{topic}-gaps", [OutgoingRecord(*encode_gap(gap)) for gap in gaps]))

    assert plane.run(lambda: history.last_syncs(topic, [ORDERS, OTHERS])) == {ORDERS: 8}
    assert plane.run(lambda: history.last_gaps(f"{topic}-gaps", [ORDERS, OTHERS])) == {ORDERS: gaps[1]}


def test_registered_producers_are_read_back(plane: DataPlane, topic: str) -> None:
    if PRODUCERS_TOPIC not in plane.control.admin.list_topics():
        plane.create(PRODUCERS_TOPIC, cleanup_policy="compact")
    registry, appender = plane.registry(), plane.appender()
    entry = RegisteredProducer(source=topic, target="b", slot=3, producer_id=77, since_ms=1)
    plane.run(lambda: appender.append(PRODUCERS_TOPIC, [OutgoingRecord(*encode_producer(entry))]))

    assert [each for each in plane.run(registry.read) if each.source == topic] == [entry]
