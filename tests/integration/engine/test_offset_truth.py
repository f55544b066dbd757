"""Every offset sync and every offset run that is written says the truth, checked against what consumers see.

The source has all that bends offsets: commit and abort markers, aborted records, deleted records, a batch that is cut
in two on its way, and a restart of the task. The tests decode syncs and runs without the engine's codecs.
"""

import struct
import uuid
from collections.abc import Iterator
from dataclasses import replace

import pytest
from confluent_kafka import Producer, TopicPartition

from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.kafka_records import admin, create_topic, end_offsets, produce, read_all

pytestmark = pytest.mark.kafka

SMALL_BATCH_BYTES = 20_000
_OFFSETS = struct.Struct(">qq")


def transactions(bootstrap: str, topic: str, first: int) -> int:
    """Four transactions of 50 records, every other one aborted; returns the next number."""
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": uuid.uuid4().hex})
    producer.init_transactions(30)
    for number in range(4):
        producer.begin_transaction()
        for key in range(first, first + 50):
            producer.produce(topic, key=str(key), value="x" * 100)
        producer.flush(10)
        if number % 2:
            producer.abort_transaction(30)
        else:
            producer.commit_transaction(30)
        first += 50
    return first


def plain(bootstrap: str, topic: str, first: int, count: int, size: int = 100) -> int:
    produce(
        bootstrap,
        topic,
        ({"key": str(n), "value": bytes([n % 250]) * size} for n in range(first, first + count)),
        linger_ms=100,
    )
    return first + count


def offsets_by_key(bootstrap: str, topic: str) -> dict[bytes | None, int]:
    return {record.key: record.offset for record in read_all(bootstrap, topic, 1, "read_committed")[0]}


def syncs(lab: SlotLab, on_target: bool, topic_name: str, syncs_topic: str) -> list[tuple[int, int]]:
    """Upstream and downstream offset of each sync of the topic (MirrorMaker's `OffsetSync`)."""
    found: list[tuple[int, int]] = []
    for record in read_all(lab.target_bootstrap if on_target else lab.source_bootstrap, syncs_topic)[0]:
        key = record.key or b""
        (length,) = struct.unpack_from(">h", key)
        if key[2 : 2 + length].decode() == topic_name:
            upstream, downstream = _OFFSETS.unpack(record.value or b"")
            found.append((upstream, downstream))
    return found


def _numbers(data: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield (value >> 1) ^ -(value & 1)
            value = shift = 0


def run_pairs(lab: SlotLab, topic_name: str) -> dict[int, int]:
    """Every pair of offsets that the runs of the topic claim (docs/contracts/offset-runs.md)."""
    pairs: dict[int, int] = {}
    for partition in read_all(lab.target_bootstrap, lab.runs_topic, 4):
        for record in partition:
            if (record.key or b"").split(b"\0")[0].decode() != topic_name:
                continue
            numbers = list(_numbers((record.value or b"")[17:]))
            upstream = downstream = 0
            for up, down, length in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
                upstream, downstream = upstream + up, downstream + down
                pairs |= {upstream + n: downstream + n for n in range(length)}
                upstream, downstream = upstream + length, downstream + length
    return pairs


@pytest.mark.parametrize("location", ["source", "target"])
@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_every_sync_and_every_run_is_true(lab: SlotLab, location: str, delivery: str) -> None:
    topic, on_target = f"truth-{uuid.uuid4().hex[:6]}", location == "target"
    create_topic(lab.source_bootstrap, topic)
    create_topic(lab.target_bootstrap, lab.remote(topic), 1, max_message_bytes=str(SMALL_BATCH_BYTES))
    syncs_topic = f"mm2-offset-syncs.{lab.source.alias}.internal" if on_target else lab.syncs_topic
    if on_target:
        create_topic(lab.target_bootstrap, syncs_topic)
    spec = lab.spec(
        {topic: 1},
        delivery=delivery,
        isolation_level="read_committed",
        offset_syncs_on_target=on_target,
    )
    planned = replace(spec.partitions[0], max_message_bytes=SMALL_BATCH_BYTES)
    spec = replace(spec, partitions=(planned,), offset_syncs_topic=syncs_topic)

    number = plain(lab.source_bootstrap, topic, 0, 150)
    number = transactions(lab.source_bootstrap, topic, number)
    lab.copy_until(spec, lambda live: live.get("lag_offsets") == 0 and live["records_total"] >= 250)
    number = plain(lab.source_bootstrap, topic, number, 60, size=1_000)  # one batch, too large for the remote topic
    number = plain(lab.source_bootstrap, topic, number, 100)
    seen = offsets_by_key(lab.source_bootstrap, topic)
    (end,) = end_offsets(lab.source_bootstrap, topic, 1)
    at = TopicPartition(topic, 0, end - 120)  # inside the large batch: copying begins in its middle
    admin(lab.source_bootstrap).delete_records([at])[at].result(10)
    with lab.running(spec) as handle:
        until(handle, lambda live: live.get("lag_offsets") == 0 and live["records_total"] >= 120)
        transactions(lab.source_bootstrap, topic, number)
        until(handle, lambda live: live.get("lag_offsets") == 0 and live["records_total"] >= 220)

    seen |= offsets_by_key(lab.source_bootstrap, topic)
    downstream = offsets_by_key(lab.target_bootstrap, lab.remote(topic))
    claimed = run_pairs(lab, topic)
    assert claimed == {offset: downstream[key] for key, offset in seen.items() if key in downstream}
    assert len(claimed) == 250 + 220
    emitted = syncs(lab, on_target, topic, syncs_topic)
    assert emitted
    assert all(claimed[up] == down for up, down in emitted)
