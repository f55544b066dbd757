"""Offset runs of copies that are deleted go away; what audits and a lost position need of them stays."""

import uuid

import pytest
from confluent_kafka import TopicPartition as KafkaPartition

from replication.codecs import offset_runs
from replication.domain.offsets.offset_run import RunSegment
from replication.tasks.offsets import offset_run_cleanup as run_tidying
from tests.support.engine.slots import SlotLab, level, until
from tests.support.kafka.kafka_records import admin, produce, read_all

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


@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_runs_below_the_log_start_of_the_remote_topic_are_removed(
    lab: SlotLab, monkeypatch: pytest.MonkeyPatch, delivery: str
) -> None:
    topic = lab.topic(f"tidy-{uuid.uuid4().hex[:6]}")
    spec = lab.spec({topic: 1}, delivery=delivery)
    for _ in range(4):  # each clean stop closes a segment
        produce(lab.source_bootstrap, topic, [{"value": b"v"}] * 10)
        lab.copy_until(spec, level(10))
    assert kept(lab) == [(0, 10), (10, 20), (20, 30), (30, 40)]
    first_left = KafkaPartition(lab.remote(topic), 0, segments(lab)[2].runs[0].downstream + 5)
    admin(lab.target_bootstrap).delete_records([first_left])[first_left].result(10)

    monkeypatch.setattr(run_tidying, "FIRST_AFTER_S", 0.1)
    with lab.running(spec) as handle:
        until(handle, lambda _: kept(lab) == [(20, 30), (30, 40)])
