"""Single behaviours of MirrorMaker's source task that a consumer of the copy, or MirrorMaker itself, relies on."""

import json
import struct
import time
import uuid
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import NewPartitions
from kafka import KafkaProducer

from replication.domain.control.orders import Reset, ToOffset
from tests.support.engine.slots import SlotLab, level, until
from tests.support.eventually import eventually
from tests.support.kafka.kafka_records import (
    Seen,
    admin,
    create_topic,
    delete_topic,
    digest,
    end_offsets,
    produce,
    read_all,
)

pytestmark = pytest.mark.kafka

CLEANING_S = 90.0
STEP_S = 20.0


def named(name: str) -> str:
    return f"{name}-{uuid.uuid4().hex[:6]}"


def numbered(start: int, count: int) -> list[dict[str, bytes]]:
    return [{"key": str(n).encode(), "value": b"v"} for n in range(start, start + count)]


def syncs(lab: SlotLab, topic: str) -> list[tuple[int, int]]:
    """Upstream and downstream offset of each sync of the topic, in the order of the log; decoded here."""
    found: list[tuple[int, int]] = []
    for record in read_all(lab.source_bootstrap, lab.syncs_topic)[0]:
        key = record.key or b""
        (length,) = struct.unpack_from(">h", key)
        if key[2 : 2 + length].decode() == topic:
            assert (key[2 + length :], record.headers) == (bytes(4), ())
            upstream, downstream = struct.unpack(">qq", record.value or b"")
            found.append((upstream, downstream))
    return found


def positions(lab: SlotLab, topic: str) -> list[tuple[int, Seen]]:
    """Each position record of the topic with its partition."""
    found = enumerate(read_all(lab.target_bootstrap, lab.positions_topic, 5))
    return [
        (number, each) for number, log in found for each in log if f'"topic":"{topic}"'.encode() in (each.key or b"")
    ]


def keys(records: Sequence[Seen]) -> list[bytes | None]:
    return [record.key for record in records]


def copy_in_steps(lab: SlotLab, topic: str, sizes: Sequence[int], **changes: Any) -> None:
    """So slowly that the syncs of a step are written before the next one comes: of those that wait the newest wins."""
    with lab.running(lab.spec({topic: 1}, **changes)) as handle:
        for first, size in zip(accumulate(sizes, initial=0), sizes, strict=False):
            produce(lab.source_bootstrap, topic, numbered(first, size))
            until(handle, level(first + size))
            wait_for_syncs(lab)


def wait_for_syncs(lab: SlotLab) -> None:
    """Until no sync was written for as long as two rounds of writing take."""
    seen: list[list[int]] = []

    def is_quiet() -> bool:
        seen.append(end_offsets(lab.source_bootstrap, lab.syncs_topic, 1))
        time.sleep(0.5)
        return seen[-1] == end_offsets(lab.source_bootstrap, lab.syncs_topic, 1)

    eventually(is_quiet, STEP_S, "the syncs of a step are written")


def test_syncs_stand_where_mirrormaker_puts_them_and_the_last_record_has_one_at_the_end(lab: SlotLab) -> None:
    topic = lab.topic(named("cadence"))

    copy_in_steps(lab, topic, (1, 100, 101, 1, 100, 40))

    assert syncs(lab, topic) == [(0, 0), (101, 101), (202, 202), (303, 303), (342, 342)]


def test_every_record_has_a_sync_where_no_lag_is_allowed(lab: SlotLab) -> None:
    topic = lab.topic(named("eager"))

    copy_in_steps(lab, topic, (1,) * 6, offset_lag_max=0)

    assert syncs(lab, topic) == [(n, n) for n in range(6)]


def test_syncs_of_a_fast_stream_are_some_of_mirrormakers_and_the_newest_is_never_missing(lab: SlotLab) -> None:
    topic = lab.topic(named("fast"))
    produce(lab.source_bootstrap, topic, numbered(0, 5_000), batch_num_messages=50)

    lab.copy_until(lab.spec({topic: 1}), level(5_000))

    found = syncs(lab, topic)
    assert found[-1] == (4_999, 4_999)
    assert found == sorted(found)
    assert {up % 101 for up, _ in found[:-1]} == {0}
    assert found[-2] == (4_949, 4_949)


def test_a_restarted_task_begins_with_a_sync(lab: SlotLab) -> None:
    topic = lab.topic(named("again"))
    produce(lab.source_bootstrap, topic, numbered(0, 10))
    lab.copy_until(lab.spec({topic: 1}), level(10))
    produce(lab.source_bootstrap, topic, numbered(10, 10))

    lab.copy_until(lab.spec({topic: 1}), level(10))

    assert (10, 10) in syncs(lab, topic)
    assert syncs(lab, topic)[-1] == (19, 19)


def test_positions_have_connects_bytes_and_stand_where_javas_partitioner_puts_them(lab: SlotLab) -> None:
    topic = lab.topic(named("places"), 12)
    produce(lab.source_bootstrap, topic, [{"value": b"v", "partition": n % 12} for n in range(24)])

    lab.copy_until(lab.spec({topic: 12}), level(24))

    yardstick = named("yardstick")
    create_topic(lab.target_bootstrap, yardstick, 5)
    expected = [
        f'["MirrorSourceConnector",{{"cluster":"{lab.source.alias}","partition":{n},"topic":"{topic}"}}]'.encode()
        for n in range(12)
    ]
    by_java = [{"key": key} for key in expected]
    produce(
        lab.target_bootstrap, yardstick, by_java, partitioner="murmur2_random"
    )  # the partitioner of Java's producer
    wanted = {
        (number, each.key) for number, log in enumerate(read_all(lab.target_bootstrap, yardstick, 5)) for each in log
    }
    found = positions(lab, topic)
    assert {(number, record.key) for number, record in found} == wanted
    assert {record.value for _, record in found[-1:]} == {b'{"offset":1}'}


def test_records_without_a_timestamp_or_with_one_of_long_ago_arrive(lab: SlotLab) -> None:
    topic = named("times")
    for bootstrap, name in ((lab.source_bootstrap, topic), (lab.target_bootstrap, lab.remote(topic))):
        create_topic(bootstrap, name, retention_ms="-1")  # else brokers delete what is that old
    sender = KafkaProducer(bootstrap_servers=lab.source_bootstrap, acks="all")
    for number, stamp in enumerate((-1, 0, 1_700_000_000_000)):
        sender.send(topic, value=b"v", key=str(number).encode(), timestamp_ms=stamp).get(10)
    sender.close()

    lab.copy_until(lab.spec({topic: 1}), level(3))

    source = read_all(lab.source_bootstrap, topic)[0]
    target = read_all(lab.target_bootstrap, lab.remote(topic))[0]
    assert [record.timestamp for record in source] == [-1, 0, 1_700_000_000_000]
    assert digest(target) == digest(source)


@pytest.mark.slow
def test_holes_of_a_compacted_topic_are_gone_over_and_every_sync_stays_true(lab: SlotLab) -> None:
    topic = named("compacted")
    create_topic(
        lab.source_bootstrap,
        topic,
        cleanup_policy="compact",
        segment_ms="500",
        min_cleanable_dirty_ratio="0.01",
        max_compaction_lag_ms="500",
        delete_retention_ms="100",
    )
    create_topic(lab.target_bootstrap, lab.remote(topic))
    for turn in range(6):  # each turn overwrites two keys of three
        records = [{"key": f"{n if n % 3 else f'{n}.{turn}'}", "value": f"{turn}"} for n in range(60)]
        produce(lab.source_bootstrap, topic, records, batch_num_messages=20)
        time.sleep(0.6)  # a segment is rolled by time

    def has_holes() -> bool:
        produce(lab.source_bootstrap, topic, [{"key": "roll", "value": "x"}])
        (end,) = end_offsets(lab.source_bootstrap, topic, 1)
        return len(read_all(lab.source_bootstrap, topic)[0]) < end - 150

    eventually(has_holes, CLEANING_S, "the broker compacts the topic")
    copied = len(read_all(lab.source_bootstrap, topic)[0])

    lab.copy_until(
        lab.spec({topic: 1}, offset_lag_max=0),
        lambda live: live.get("lag_offsets") == 0 and live.get("records_total", 0) > 0,
    )

    source = read_all(lab.source_bootstrap, topic)[0]
    target = read_all(lab.target_bootstrap, lab.remote(topic))[0]
    newest = {record.key: record.content for record in source}
    assert len(target) >= copied - 1
    assert {record.key: record.content for record in target} == newest
    (end,) = end_offsets(lab.source_bootstrap, topic, 1)
    assert json.loads(positions(lab, topic)[-1][1].value or b"")["offset"] == end - 1
    downstream = {record.offset: record for record in target}
    upstream = {record.offset: record for record in source}
    checked = [(up, down) for up, down in syncs(lab, topic) if up in upstream]
    assert checked
    assert all(upstream[up].content == downstream[down].content for up, down in checked)


def test_a_remote_topic_deleted_and_re_created_gets_what_comes_next_and_the_source_is_not_rewound(lab: SlotLab) -> None:
    topic = lab.topic(named("remade"))
    produce(lab.source_bootstrap, topic, numbered(0, 50))
    with lab.running(lab.spec({topic: 1})) as handle:
        until(handle, level(50))
        lab.wait_committed(handle, topic, 1)
        delete_topic(lab.target_bootstrap, lab.remote(topic))
        create_topic(lab.target_bootstrap, lab.remote(topic))
        produce(lab.source_bootstrap, topic, numbered(50, 30))
        until(handle, lambda live: live.get("records_total", 0) >= 80 and live.get("lag_offsets") == 0)

    target = read_all(lab.target_bootstrap, lab.remote(topic))[0]
    assert keys(target) == [str(n).encode() for n in range(50, 80)]
    assert (50, 0) in syncs(lab, topic)
    assert json.loads(positions(lab, topic)[-1][1].value or b"")["offset"] == 79


def test_a_topic_deleted_at_the_source_stops_no_neighbour_and_its_position_stays(lab: SlotLab) -> None:
    gone, kept = lab.topic(named("gone")), lab.topic(named("kept"))
    produce(lab.source_bootstrap, gone, numbered(0, 20))
    both = lab.spec({gone: 1, kept: 1})
    only_kept = lab.spec({kept: 1}, plan_version=2)
    with lab.running(both) as handle:
        until(handle, level(20))
        lab.wait_committed(handle, gone, 1)
        delete_topic(lab.source_bootstrap, gone)
        produce(lab.source_bootstrap, kept, numbered(0, 30))
        until(handle, lambda live: live.get("records_total", 0) >= 50)
        handle.update(only_kept)
        until(handle, lambda live: live.get("partitions") == 1 and live.get("states") == {"caught_up": 1})

    assert len(read_all(lab.target_bootstrap, lab.remote(gone))[0]) == 20
    assert json.loads(positions(lab, gone)[-1][1].value or b"")["offset"] == 19


def test_a_partition_added_at_the_source_is_copied_from_its_first_record_under_its_own_number(lab: SlotLab) -> None:
    topic = lab.topic(named("grows"), 2)
    produce(lab.source_bootstrap, topic, [{"value": b"old", "partition": n % 2} for n in range(20)])
    with lab.running(lab.spec({topic: 2}, start="latest")) as handle:
        until(handle, lambda live: live.get("lag_offsets") == 0)
        grow(lab, topic, 3)
        produce(lab.source_bootstrap, topic, [{"value": b"new", "partition": 2}] * 7)
        handle.update(lab.spec({topic: 3}, start="latest", plan_version=2))
        until(handle, lambda live: live.get("records_total", 0) >= 7 and live.get("lag_offsets") == 0)

    target = read_all(lab.target_bootstrap, lab.remote(topic), 3)
    assert [len(partition) for partition in target] == [0, 0, 7]


def grow(lab: SlotLab, topic: str, partitions: int) -> None:
    for bootstrap, name in ((lab.source_bootstrap, topic), (lab.target_bootstrap, lab.remote(topic))):
        admin(bootstrap).create_partitions([NewPartitions(name, partitions)])[name].result(10)


def test_a_transaction_that_is_still_open_is_copied_only_where_uncommitted_reads_are_wanted(lab: SlotLab) -> None:
    topic = lab.topic(named("open"))
    produce(lab.source_bootstrap, topic, [{"key": b"plain", "value": b"v"}])
    producer = Producer({"bootstrap.servers": lab.source_bootstrap, "transactional.id": uuid.uuid4().hex})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, key=b"open", value=b"v")
    producer.flush(10)

    with lab.running(lab.spec({topic: 1}, isolation_level="read_committed")) as handle:
        until(handle, lambda live: live.get("records_total", 0) >= 1)
        time.sleep(1.0)  # a moment in which it would arrive
    assert keys(read_all(lab.target_bootstrap, lab.remote(topic))[0]) == [b"plain"]

    lab.copy_until(lab.spec({topic: 1}), level(1))
    assert keys(read_all(lab.target_bootstrap, lab.remote(topic))[0]) == [b"plain", b"open"]
    producer.abort_transaction(30)


def test_a_position_written_by_hand_is_used_with_any_spacing_and_partition(lab: SlotLab) -> None:
    topic = lab.topic(named("by-hand"))
    produce(lab.source_bootstrap, topic, numbered(0, 30))
    place = {"topic": topic, "partition": 0, "cluster": lab.source.alias}
    forged = {"key": json.dumps(["MirrorSourceConnector", place]).encode(), "value": b'{ "offset" : 9 }'}
    produce(lab.target_bootstrap, lab.positions_topic, [forged | {"partition": 4}])

    lab.copy_until(lab.spec({topic: 1}), level(20))

    assert keys(read_all(lab.target_bootstrap, lab.remote(topic))[0]) == [str(n).encode() for n in range(10, 30)]


def test_a_rewind_is_told_by_a_sync_with_a_smaller_upstream_offset(lab: SlotLab) -> None:
    topic = lab.topic(named("rewound"))
    produce(lab.source_bootstrap, topic, numbered(0, 20))
    lab.copy_until(lab.spec({topic: 1}), level(20))
    reset = Reset(id="r1", topic=topic, partition=0, to=ToOffset(offset=5))

    lab.copy_until(lab.spec({topic: 1}, resets=(reset,)), level(15))

    assert (5, 20) in syncs(lab, topic)
    assert syncs(lab, topic)[-1] == (19, 34)


def test_copying_joins_no_group_and_writes_nothing_to_the_source_but_syncs(lab: SlotLab) -> None:
    topic = lab.topic(named("quiet"))
    produce(lab.source_bootstrap, topic, numbered(0, 20))
    groups = {group.group_id for group in admin(lab.source_bootstrap).list_consumer_groups().result(10).valid}
    topics = set(admin(lab.source_bootstrap).list_topics(timeout=10).topics)

    lab.copy_until(lab.spec({topic: 1}), level(20))

    after = admin(lab.source_bootstrap)
    assert {group.group_id for group in after.list_consumer_groups().result(10).valid} == groups
    assert set(after.list_topics(timeout=10).topics) == topics
    assert end_offsets(lab.source_bootstrap, topic, 1) == [20]
