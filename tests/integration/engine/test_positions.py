"""Positions live in the target cluster, Kafka fences a slot, and nothing is lost or passed over."""

import json
import time
import uuid
from itertools import pairwise
from typing import Any

import pytest
from confluent_kafka import TopicPartition

from replication.codecs import offset_runs
from replication.codecs.mm2_records import decode_offset_sync
from replication.domain.errors import FencedError
from replication.wire.network import cluster_link
from tests.support.engine.slots import SlotLab, level, until
from tests.support.kafka.kafka_records import Seen, admin, create_topic, delete_topic, produce, read_all, topic_id

pytestmark = pytest.mark.kafka


def numbered(count: int, start: int = 0, partitions: int = 1) -> list[dict[str, Any]]:
    return [
        {"key": str(number), "value": f"value {number}", "partition": number % partitions}
        for number in range(start, start + count)
    ]


def committed(lab: SlotLab, topic: str) -> dict[int, Seen]:
    """The newest position record per partition of a topic, as any consumer reads it."""
    newest: dict[int, Seen] = {}
    for partition in read_all(lab.target_bootstrap, lab.positions_topic, 5):
        for record in partition:
            _connector, place = json.loads(record.key or b"")
            if place["topic"] == topic:
                newest[place["partition"]] = record
    return newest


def stored_offsets(lab: SlotLab, topic: str) -> dict[int, int]:
    return {number: json.loads(record.value or b"")["offset"] for number, record in committed(lab, topic).items()}


def gaps(lab: SlotLab) -> list[dict[str, Any]]:
    return [json.loads(record.value or b"") for record in read_all(lab.target_bootstrap, lab.gaps_topic)[0]]


def test_after_a_clean_stop_the_position_is_the_end_and_nothing_comes_twice(lab: SlotLab) -> None:
    topic = lab.topic(f"resume-{uuid.uuid4().hex[:6]}", 2)
    produce(lab.source_bootstrap, topic, numbered(1_000, partitions=2))
    lab.copy_until(lab.spec({topic: 2}), level(1_000))
    assert stored_offsets(lab, topic) == {0: 499, 1: 499}

    produce(lab.source_bootstrap, topic, numbered(500, 1_000, partitions=2))
    lab.copy_until(lab.spec({topic: 2}), level(500))

    target = read_all(lab.target_bootstrap, lab.remote(topic), 2)
    assert [len(partition) for partition in target] == [750, 750]
    assert stored_offsets(lab, topic) == {0: 749, 1: 749}


def test_a_position_says_which_topic_it_is_for(lab: SlotLab) -> None:
    topic = lab.topic(f"headers-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(10))

    lab.copy_until(lab.spec({topic: 1}), level(10))

    headers = dict(committed(lab, topic)[0].headers)
    assert headers["srm.topic_id"] == topic_id(lab.source_bootstrap, topic)
    assert int.from_bytes(headers["srm.downstream_next"] or b"", "big") == 10
    assert int.from_bytes(headers["srm.generation"] or b"", "big") == 1


def test_a_second_owner_of_the_slot_fences_the_first(lab: SlotLab) -> None:
    topic = lab.topic(f"fence-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(100))
    first = lab.start(lab.spec({topic: 1}))
    until(first, level(100))

    with lab.running(lab.spec({topic: 1})) as second:
        until(second, lambda live: live.get("lag_offsets") == 0)
        produce(lab.source_bootstrap, topic, numbered(100, 100))
        assert first.wait(20), "the first owner continues"
        until(second, lambda live: live.get("lag_offsets") == 0 and live.get("records_total", 0) >= 100)

    assert isinstance(first.error(), FencedError)
    keys = [record.key for record in read_all(lab.target_bootstrap, lab.remote(topic))[0]]
    assert sorted(set(keys), key=lambda key: int(key or b"")) == [str(number).encode() for number in range(200)]


def test_a_topic_re_created_while_running_is_copied_from_its_start_and_a_gap_is_kept(lab: SlotLab) -> None:
    topic = lab.topic(f"again-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(50))
    with lab.running(lab.spec({topic: 1})) as handle:
        until(handle, level(50))
        delete_topic(lab.source_bootstrap, topic)
        create_topic(lab.source_bootstrap, topic)
        produce(lab.source_bootstrap, topic, numbered(80, 1_000))  # more than the old topic had
        until(handle, lambda live: live.get("records_total") == 130)

    values = [record.key for record in read_all(lab.target_bootstrap, lab.remote(topic))[0]]
    assert values[50:] == [str(number).encode() for number in range(1_000, 1_080)]
    assert [(gap["cause"], gap["from_offset"], gap["to_offset"]) for gap in gaps(lab)] == [
        ("topic_recreated", 50, None)
    ]
    assert stored_offsets(lab, topic) == {0: 79}


def test_a_topic_re_created_while_stopped_is_noticed_by_its_id(lab: SlotLab) -> None:
    topic = lab.topic(f"later-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(50))
    lab.copy_until(lab.spec({topic: 1}), level(50))
    delete_topic(lab.source_bootstrap, topic)
    create_topic(lab.source_bootstrap, topic)
    produce(lab.source_bootstrap, topic, numbered(80, 1_000))

    lab.copy_until(lab.spec({topic: 1}), level(80))

    keys = [record.key for record in read_all(lab.target_bootstrap, lab.remote(topic))[0]]
    assert keys[50:] == [str(number).encode() for number in range(1_000, 1_080)]
    assert [gap["cause"] for gap in gaps(lab)] == ["topic_recreated"]


def test_records_deleted_before_they_were_read_become_a_gap(lab: SlotLab) -> None:
    topic = lab.topic(f"retention-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(50))
    lab.copy_until(lab.spec({topic: 1}), level(50))
    produce(lab.source_bootstrap, topic, numbered(100, 50), linger_ms=200)
    admin(lab.source_bootstrap).delete_records([TopicPartition(topic, 0, 90)])[TopicPartition(topic, 0, 90)].result(10)

    lab.copy_until(lab.spec({topic: 1}), level(60))  # 90 lies inside a batch: only its later records are copied

    keys = [record.key for record in read_all(lab.target_bootstrap, lab.remote(topic))[0]]
    assert keys[50:] == [str(number).encode() for number in range(90, 150)]
    assert [(gap["cause"], gap["from_offset"], gap["to_offset"], gap["count"]) for gap in gaps(lab)] == [
        ("retention", 50, 90, 40)
    ]


def test_gap_policy_stop_keeps_the_partition_where_it_is(lab: SlotLab) -> None:
    topic = lab.topic(f"stops-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(50))
    lab.copy_until(lab.spec({topic: 1}), level(50))
    produce(lab.source_bootstrap, topic, numbered(50, 50))
    admin(lab.source_bootstrap).delete_records([TopicPartition(topic, 0, 90)])[TopicPartition(topic, 0, 90)].result(10)

    with lab.running(lab.spec({topic: 1}, gap_policy="stop")) as handle:
        until(handle, lambda live: live.get("states", {}).get("gap") == 1)
        cause = handle.live()["cause"]

    assert cause["code"] == "retention"
    assert stored_offsets(lab, topic) == {0: 49}


def test_offset_runs_and_syncs_translate_exactly_also_through_a_gap(lab: SlotLab) -> None:
    topic = lab.topic(f"runs-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(300))
    lab.copy_until(lab.spec({topic: 1}), level(300))
    produce(lab.source_bootstrap, topic, numbered(300, 300))
    admin(lab.source_bootstrap).delete_records([TopicPartition(topic, 0, 400)])[TopicPartition(topic, 0, 400)].result(
        10
    )
    lab.copy_until(lab.spec({topic: 1}), level(200))

    target = {record.key: record.offset for record in read_all(lab.target_bootstrap, lab.remote(topic))[0]}
    segments = [
        offset_runs.decode(record.key or b"", record.value or b"")
        for partition in read_all(lab.target_bootstrap, lab.runs_topic, 4)
        for record in partition
    ]
    runs = [run for segment in segments for run in segment.runs]
    for upstream in (*range(300), *range(400, 600)):
        translated = {found for run in runs if (found := run.translate(upstream)) is not None}
        assert translated == {target[str(upstream).encode()]}  # a segment begins with the last run of the one before
    syncs = [
        decode_offset_sync(record.key, record.value) for record in read_all(lab.source_bootstrap, lab.syncs_topic)[0]
    ]
    assert syncs[0].upstream_offset == 0
    assert any(sync.upstream_offset == 400 for sync in syncs)
    assert all(target[str(sync.upstream_offset).encode()] == sync.downstream_offset for sync in syncs)


def test_raw_metrics_cover_every_offset_once(lab: SlotLab) -> None:
    topic = lab.topic(f"metrics-{uuid.uuid4().hex[:6]}", 2)
    with lab.running(lab.spec({topic: 2})) as handle:
        for start in range(0, 1_500, 500):
            produce(lab.source_bootstrap, topic, numbered(500, start, partitions=2))
            until(handle, level(start + 500))
            time.sleep(1.2)  # longer than a period: each of the three has its report, and the ranges must join

    everything = [
        json.loads(record.value or b"")
        for partition in read_all(lab.target_bootstrap, lab.metrics_topic, 4)
        for record in partition
    ]
    documents = [document for document in everything if document["kind"] == "task"]
    assert len({document["seq"] for document in documents}) == len(documents) >= 3
    for number in range(2):
        rows = [row for document in documents for row in document["parts"] if row[1] == number]
        edges = [(row[4], row[5]) for row in rows if row[5] > row[4]]
        assert edges[0][0] == 0
        assert all(left[1] == right[0] for left, right in pairwise(edges))
        assert edges[-1][1] == 750
        assert sum(row[9] for row in rows) == 750
        assert sum(row[13][0] + row[13][4] for row in rows if row[13]) == 750


def test_a_flow_from_an_unreachable_cluster_says_so_and_starts_when_it_can(
    lab: SlotLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_link, "BOOTSTRAP_TIMEOUT_MS", 5_000)
    topic = lab.topic(f"away-{uuid.uuid4().hex[:6]}")
    spec = lab.spec({topic: 1})
    dead = type(spec.source)(alias="dead", bootstrap=("127.0.0.1:1",))

    with lab.running(lab.spec({topic: 1}, slot=1)) as alive:
        broken = lab.engine.start_slot(
            type(spec)(
                flow=spec.flow,
                slot=2,
                generation=1,
                plan_version=1,
                source=dead,
                target=spec.target,
                partitions=spec.partitions,
                offset_syncs_topic=spec.offset_syncs_topic,
            ),
            driver="lab",
            boot="boot-1",
        )
        until(broken, lambda live: (live.get("cause") or {}).get("code") == "cluster_unreachable")
        produce(lab.source_bootstrap, topic, numbered(10))
        until(alive, level(10))
        broken.stop()
        assert broken.wait(15)


def test_partitions_join_and_leave_a_running_slot(lab: SlotLab) -> None:
    first, second = (lab.topic(f"{name}-{uuid.uuid4().hex[:6]}") for name in ("stays", "comes"))
    produce(lab.source_bootstrap, first, numbered(100))
    produce(lab.source_bootstrap, second, numbered(50))
    with lab.running(lab.spec({first: 1})) as handle:
        until(handle, level(100))

        handle.update(lab.spec({first: 1, second: 1}, plan_version=2))
        until(handle, level(150))
        handle.update(lab.spec({second: 1}, plan_version=3))
        until(handle, lambda live: live.get("plan_version") == 3 and live.get("partitions") == 1)
        produce(lab.source_bootstrap, first, numbered(10, 100))
        produce(lab.source_bootstrap, second, numbered(10, 50))
        until(handle, lambda live: live.get("records_total") == 60)

    assert stored_offsets(lab, first) == {0: 99}
    assert stored_offsets(lab, second) == {0: 59}
    assert len(read_all(lab.target_bootstrap, lab.remote(first))[0]) == 100
