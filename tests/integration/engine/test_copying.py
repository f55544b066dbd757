"""The copy equals the source, record by record."""

import time
import uuid
from typing import Any

import pytest
from confluent_kafka import Producer

from tests.support.engine.slots import SlotLab, level, until
from tests.support.kafka.kafka_records import create_topic, digest, produce, read_all

pytestmark = pytest.mark.kafka


def records(count: int, partitions: int) -> list[dict[str, Any]]:
    """Keys, null keys, null values, empty values, repeated and null headers, old timestamps."""
    now_ms = int(time.time() * 1000)
    shapes: list[dict[str, Any]] = [
        {"key": b"k", "value": b"v" * 300, "headers": [("a", b"1"), ("a", b"2"), ("null", None), ("empty", b"")]},
        {"key": None, "value": b"no key"},
        {"key": b"tombstone", "value": None},
        {"key": b"", "value": b""},
    ]
    return [
        {**shapes[number % 4], "partition": number % partitions, "timestamp": now_ms - 86_400_000 + number}
        for number in range(count)
    ]


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_records_are_identical_per_partition_for_every_codec(lab: SlotLab, codec: str) -> None:
    topic = lab.topic(f"codec-{codec}-{uuid.uuid4().hex[:6]}", 3)
    produce(lab.source_bootstrap, topic, records(6_000, 3), compression_type=codec)

    lab.copy_until(lab.spec({topic: 3}), level(6_000))

    source = read_all(lab.source_bootstrap, topic, 3)
    target = read_all(lab.target_bootstrap, lab.remote(topic), 3)
    assert [digest(partition) for partition in source] == [digest(partition) for partition in target]
    assert sum(map(len, target)) == 6_000


def test_a_read_committed_flow_leaves_aborted_transactions_out(lab: SlotLab) -> None:
    topic = lab.topic(f"transactions-{uuid.uuid4().hex[:6]}", 2)
    producer = Producer(
        {"bootstrap.servers": lab.source_bootstrap, "transactional.id": uuid.uuid4().hex, "linger.ms": 5}
    )
    producer.init_transactions(30)
    for transaction in range(12):
        producer.begin_transaction()
        for number in range(100):
            producer.produce(topic, key=f"{transaction}", value=f"{transaction}-{number}", partition=number % 2)
        producer.flush(10)  # also the aborted ones must really be in the log
        if transaction % 3 == 0:
            producer.abort_transaction(30)
        else:
            producer.commit_transaction(30)

    lab.copy_until(lab.spec({topic: 2}, isolation_level="read_committed"), level(800))

    source = read_all(lab.source_bootstrap, topic, 2, "read_committed")
    target = read_all(lab.target_bootstrap, lab.remote(topic), 2, "read_uncommitted")
    assert [digest(partition) for partition in source] == [digest(partition) for partition in target]
    assert sum(map(len, target)) == 800


def test_a_read_uncommitted_flow_copies_aborted_records_as_mirror_maker_does(lab: SlotLab) -> None:
    topic = lab.topic(f"dirty-{uuid.uuid4().hex[:6]}")
    producer = Producer({"bootstrap.servers": lab.source_bootstrap, "transactional.id": uuid.uuid4().hex})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, value=b"aborted")
    producer.flush(10)
    producer.abort_transaction(30)
    produce(lab.source_bootstrap, topic, [{"value": b"plain"}])

    lab.copy_until(lab.spec({topic: 1}), level(2))

    target = read_all(lab.target_bootstrap, lab.remote(topic))[0]
    assert [record.value for record in target] == [b"aborted", b"plain"]


def test_append_times_become_create_times_on_the_remote_topic(lab: SlotLab) -> None:
    topic = lab.topic(f"append-time-{uuid.uuid4().hex[:6]}", message_timestamp_type="LogAppendTime")
    produce(lab.source_bootstrap, topic, records(500, 1), compression_type="lz4")

    lab.copy_until(lab.spec({topic: 1}), level(500))

    source = read_all(lab.source_bootstrap, topic)[0]
    target = read_all(lab.target_bootstrap, lab.remote(topic))[0]
    assert digest(source) == digest(target)


def test_a_batch_larger_than_the_remote_topic_takes_is_split(lab: SlotLab) -> None:
    topic = f"large-{uuid.uuid4().hex[:6]}"
    create_topic(lab.source_bootstrap, topic)
    create_topic(lab.target_bootstrap, lab.remote(topic), 1, max_message_bytes="20000")
    produce(lab.source_bootstrap, topic, ({"value": bytes([n % 250]) * 1_000} for n in range(300)), linger_ms=200)
    spec = lab.spec({topic: 1})
    limited = spec.partitions[0]
    planned = type(limited)(
        upstream=limited.upstream,
        remote_topic=limited.remote_topic,
        topic_id=limited.topic_id,
        max_message_bytes=20_000,
    )

    lab.copy_until(lab.spec({topic: 1}, partitions=(planned,)), level(300))

    assert digest(read_all(lab.source_bootstrap, topic)[0]) == digest(
        read_all(lab.target_bootstrap, lab.remote(topic))[0]
    )


def test_a_rejected_record_stops_its_partition_and_no_other(lab: SlotLab) -> None:
    good = lab.topic(f"good-{uuid.uuid4().hex[:6]}")
    bad = f"bad-{uuid.uuid4().hex[:6]}"
    create_topic(lab.source_bootstrap, bad)
    create_topic(lab.target_bootstrap, lab.remote(bad), 1, cleanup_policy="compact")
    produce(lab.source_bootstrap, bad, [{"key": None, "value": b"a compacted topic takes no null keys"}])

    with lab.running(lab.spec({good: 1, bad: 1})) as handle:
        until(handle, lambda live: live.get("states", {}).get("failed") == 1)
        produce(lab.source_bootstrap, good, records(100, 1))
        until(handle, lambda live: live.get("records_total") == 100)
        cause = handle.live()["cause"]

    assert cause["code"] == "batch_refused"
    assert cause["topic"] == bad
    assert "offset 0" in cause["text"]
