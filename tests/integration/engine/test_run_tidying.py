"""Offset runs of copies that are deleted go away; what audits and a lost position need of them stays."""

import uuid
from functools import partial

import pytest
from confluent_kafka import Producer
from confluent_kafka import TopicPartition as KafkaPartition

from replication.codecs import offset_runs
from replication.domain.offsets import offset_run
from replication.domain.offsets.offset_run import RunSegment
from replication.tasks.offsets import offset_run_cleanup as run_tidying
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.kafka_records import admin, read_all

pytestmark = pytest.mark.kafka


def kept(lab: SlotLab) -> list[tuple[int, int]]:
    """Upstream start and end of each segment, as a compacted topic keeps them."""
    return [(each.first_upstream, each.runs[-1].upstream_end) for each in segments(lab)]


def segments(lab: SlotLab) -> list[RunSegment]:
    newest: dict[bytes, bytes | None] = {}
    for partition in read_all(lab.target_bootstrap, lab.runs_topic, 4):
        newest |= {record.key or b"": record.value for record in partition}
    found = [offset_runs.decode(key, value) for key, value in newest.items() if value is not None]
    return sorted(found, key=lambda each: each.first_upstream)


def produce_in_transaction(bootstrap: str, topic: str, count: int) -> None:
    """Write records and a marker, which ends the run."""
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": uuid.uuid4().hex})
    producer.init_transactions(10)
    producer.begin_transaction()
    for _ in range(count):
        producer.produce(topic, b"v")
    producer.commit_transaction(10)


def is_kept_to(lab: SlotLab, end: int, _state: object) -> bool:
    found = kept(lab)
    return bool(found) and found[-1][1] == end


@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_runs_below_the_log_start_of_the_remote_topic_are_removed(
    lab: SlotLab, monkeypatch: pytest.MonkeyPatch, delivery: str
) -> None:
    topic = lab.topic(f"tidy-{uuid.uuid4().hex[:6]}")
    spec = lab.spec({topic: 1}, delivery=delivery)
    monkeypatch.setattr(offset_run, "MAX_OPEN_RUNS", 1)  # each segment is written once
    monkeypatch.setattr(offset_run, "RUNS_TO_WRITE", 1)
    with lab.running(spec) as handle:
        for number in range(1, 6):
            produce_in_transaction(lab.source_bootstrap, topic, 10)
            until(handle, partial(is_kept_to, lab, 11 * number - 1))
    before = segments(lab)
    first_left = KafkaPartition(lab.remote(topic), 0, before[-1].runs[-1].downstream - 5)
    admin(lab.target_bootstrap).delete_records([first_left])[first_left].result(10)

    monkeypatch.setattr(run_tidying, "FIRST_AFTER_S", 0.1)
    with lab.running(spec) as handle:
        until(handle, lambda _: segments(lab)[0].runs[-1].downstream_end > first_left.offset)
        left = segments(lab)
    assert left == [each for each in before if each.runs[-1].downstream_end > first_left.offset]
    assert 0 < len(left) < len(before)
