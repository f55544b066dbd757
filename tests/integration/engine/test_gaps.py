"""The gap policies when the source or its positions changed; no flow silently restarts from the beginning."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from confluent_kafka import TopicPartition as KafkaPartition

from replication.domain.control.orders import Reset, ToOffset
from replication.domain.plan.slot import SlotSpec
from replication.worker.engine.data_engine import WireSlotHandle
from tests.support.engine.slots import SlotLab, level, until
from tests.support.kafka.kafka_records import admin, create_topic, delete_topic, produce, read_all

pytestmark = pytest.mark.kafka


def numbered(count: int, start: int = 0) -> list[dict[str, Any]]:
    return [{"key": str(number), "value": f"value {number}"} for number in range(start, start + count)]


def keys(lab: SlotLab, topic: str) -> list[int]:
    return [int(record.key or b"") for record in read_all(lab.target_bootstrap, topic)[0]]


def gaps(lab: SlotLab) -> list[tuple[Any, ...]]:
    records = [json.loads(record.value or b"") for record in read_all(lab.target_bootstrap, lab.gaps_topic)[0]]
    return [(gap["cause"], gap["from_offset"], gap["to_offset"], gap["policy"]) for gap in records]


def empty(lab: SlotLab, internal: str, partitions: int) -> None:
    """Damages an internal topic as an operator's mistake or a broken disk does."""
    delete_topic(lab.target_bootstrap, internal)
    create_topic(lab.target_bootstrap, internal, partitions, cleanup_policy="compact")


def retention_eats(lab: SlotLab, topic: str, up_to: int) -> None:
    admin(lab.source_bootstrap).delete_records([KafkaPartition(topic, 0, up_to)])[
        KafkaPartition(topic, 0, up_to)
    ].result(10)


@contextmanager
def stopped_at_a_gap(lab: SlotLab, spec: SlotSpec, code: str) -> Iterator[WireSlotHandle]:
    with lab.running(spec) as handle:
        until(handle, lambda live: live.get("states") == {"gap": 1})
        cause = handle.live()["cause"]
        assert (cause["code"], cause["partition"]) == (code, 0)
        assert handle.live()["open_gaps"] == 1
        yield handle


def to_offset(spec: SlotSpec, offset: int) -> SlotSpec:
    upstream = spec.partitions[0].upstream
    reset = Reset(id=uuid.uuid4().hex, topic=upstream.topic, partition=upstream.partition, to=ToOffset(offset=offset))
    return replace(spec, resets=(reset,))


@pytest.mark.parametrize("policy", ["record_and_continue", "restart_generation"])
def test_overtaken_by_retention_the_flow_continues_and_keeps_a_gap_record(lab: SlotLab, policy: str) -> None:
    topic = lab.topic(f"retention-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(20))
    spec = lab.spec({topic: 1}, gap_policy=policy)
    lab.copy_until(spec, level(20))
    produce(lab.source_bootstrap, topic, numbered(80, 20))
    retention_eats(lab, topic, 70)

    lab.copy_until(spec, level(30))

    assert keys(lab, lab.remote(topic)) == [*range(20), *range(70, 100)]
    assert gaps(lab) == [("retention", 20, 70, policy)]


def test_with_the_policy_stop_a_gap_waits_for_a_reset_while_the_neighbour_continues(lab: SlotLab) -> None:
    topic = lab.topic(f"stop-{uuid.uuid4().hex[:6]}")
    other = lab.topic(f"other-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(20))
    spec = lab.spec({topic: 1, other: 1}, gap_policy="stop")
    lab.copy_until(spec, level(20))
    produce(lab.source_bootstrap, topic, numbered(80, 20))
    retention_eats(lab, topic, 70)
    with lab.running(spec) as handle:
        until(handle, lambda live: live.get("states", {}).get("gap") == 1)
    with lab.running(spec) as handle:
        until(handle, lambda live: live.get("states", {}).get("gap") == 1)
        assert handle.live()["cause"]["code"] == "retention"
        produce(lab.source_bootstrap, other, numbered(10))
        until(handle, lambda live: live["records_total"] == 10)
        assert len(keys(lab, lab.remote(topic))) == 20

        handle.update(to_offset(spec, 90))
        until(handle, lambda live: live["states"] == {"caught_up": 2})
    assert keys(lab, lab.remote(topic)) == [*range(20), *range(90, 100)]
    assert gaps(lab) == [("retention", 20, 70, "stop"), ("skipped", 20, 90, "stop")]


def test_a_topic_re_created_waits_under_the_policy_stop_and_a_reset_takes_the_new_one(lab: SlotLab) -> None:
    topic = lab.topic(f"again-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(20))
    spec = lab.spec({topic: 1}, gap_policy="stop")
    lab.copy_until(spec, level(20))
    delete_topic(lab.source_bootstrap, topic)
    create_topic(lab.source_bootstrap, topic)
    produce(lab.source_bootstrap, topic, numbered(30, 100))

    with stopped_at_a_gap(lab, spec, "topic_recreated") as handle:
        handle.update(to_offset(spec, 0))
        until(handle, level(30))
    assert keys(lab, lab.remote(topic)) == [*range(20), *range(100, 130)]


def test_lost_positions_are_found_again_in_the_offset_runs(lab: SlotLab) -> None:
    topic = lab.topic(f"lost-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(50))
    lab.copy_until(lab.spec({topic: 1}), level(50))
    empty(lab, lab.positions_topic, 5)
    produce(lab.source_bootstrap, topic, numbered(10, 50))

    lab.copy_until(lab.spec({topic: 1}), level(10))

    assert keys(lab, lab.remote(topic)) == list(range(60))


def test_lost_positions_without_a_trace_wait_for_a_person(lab: SlotLab) -> None:
    topic = lab.topic(f"gone-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(50))
    lab.copy_until(lab.spec({topic: 1}), level(50))
    empty(lab, lab.positions_topic, 5)
    empty(lab, lab.runs_topic, 4)
    produce(lab.source_bootstrap, topic, numbered(10, 50))
    spec = lab.spec({topic: 1})

    for _ in range(2):  # also the second start must not take the stop of the first for a position
        with stopped_at_a_gap(lab, spec, "positions_lost") as handle:
            assert "srm.start.offsets" in handle.live()["cause"]["text"]
    assert keys(lab, lab.remote(topic)) == list(range(50))

    with stopped_at_a_gap(lab, spec, "positions_lost") as handle:
        handle.update(to_offset(spec, 50))
        until(handle, level(10))
    assert keys(lab, lab.remote(topic)) == list(range(60))
    assert gaps(lab) == [("positions_lost", 50, None, "record_and_continue")]


def test_lost_positions_start_again_only_where_the_policy_says_so(lab: SlotLab) -> None:
    topic = lab.topic(f"again-{uuid.uuid4().hex[:6]}")
    produce(lab.source_bootstrap, topic, numbered(20))
    lab.copy_until(lab.spec({topic: 1}), level(20))
    empty(lab, lab.positions_topic, 5)
    empty(lab, lab.runs_topic, 4)

    lab.copy_until(lab.spec({topic: 1}, gap_policy="restart_generation"), level(20))

    assert keys(lab, lab.remote(topic)) == [*range(20), *range(20)]
    assert gaps(lab) == [("positions_lost", 0, 0, "restart_generation")]


def keeping_its_name(lab: SlotLab, records: int) -> tuple[str, SlotSpec]:
    """A topic that others wrote five records to in the target."""
    topic = f"same-{uuid.uuid4().hex[:6]}"
    create_topic(lab.source_bootstrap, topic)
    create_topic(lab.target_bootstrap, topic)
    produce(lab.target_bootstrap, topic, numbered(5, 1_000))
    produce(lab.source_bootstrap, topic, numbered(records))
    spec = lab.spec({topic: 1})
    return topic, replace(spec, partitions=(replace(spec.partitions[0], remote_topic=topic),))


def test_records_of_others_in_a_topic_of_the_same_name_are_no_lost_position(lab: SlotLab) -> None:
    topic, spec = keeping_its_name(lab, 20)

    lab.copy_until(spec, level(20))

    assert keys(lab, topic) == [*range(1_000, 1_005), *range(20)]
    assert gaps(lab) == []


def test_lost_positions_of_a_topic_that_keeps_its_name_are_told_by_its_offset_syncs(lab: SlotLab) -> None:
    topic, spec = keeping_its_name(lab, 20)
    lab.copy_until(spec, level(20))
    empty(lab, lab.positions_topic, 5)
    empty(lab, lab.runs_topic, 4)

    for _ in range(2):
        with stopped_at_a_gap(lab, spec, "positions_lost") as handle:
            assert "at least to offset 20" in handle.live()["cause"]["text"]

    assert keys(lab, topic) == [*range(1_000, 1_005), *range(20)]
    assert gaps(lab) == [("positions_lost", 20, None, "record_and_continue")]
