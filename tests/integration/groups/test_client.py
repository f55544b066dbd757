"""The client for other people's programs, on real brokers and a topic that a slot has copied."""

import uuid

import pytest
from confluent_kafka import Consumer
from confluent_kafka import TopicPartition as KafkaTopicPartition

from replication.client import DefaultPolicy, TopicPartition, assign_at, commit_at, connect
from replication.codecs.mm2_records import Checkpoint, encode_checkpoint
from replication.domain.names.internal_topics import CHECKPOINTS
from tests.support.engine.slots import SlotLab
from tests.support.kafka.kafka_records import admin, create_topic, produce

pytestmark = pytest.mark.kafka


def reader(bootstrap: str, group: str) -> Consumer:
    return Consumer({"bootstrap.servers": bootstrap, "group.id": group, "enable.auto.commit": False})


def test_a_consumer_continues_at_the_first_record_that_its_group_has_not_read(lab: SlotLab) -> None:
    topic, group = f"client-{uuid.uuid4().hex[:6]}", f"app-{uuid.uuid4().hex[:6]}"
    create_topic(lab.source_bootstrap, topic)
    create_topic(lab.target_bootstrap, lab.remote(topic))
    produce(lab.source_bootstrap, topic, ({"value": b"%d" % number} for number in range(300)))
    lab.copy_until(lab.spec({topic: 1}), lambda live: live.get("lag_offsets") == 0 and live["records_total"] >= 300)
    if CHECKPOINTS.name(lab.source.alias) not in admin(lab.target_bootstrap).list_topics(timeout=10).topics:
        create_topic(lab.target_bootstrap, CHECKPOINTS.name(lab.source.alias))
    source, remote = lab.source.alias, TopicPartition(lab.remote(topic), 0)
    checkpoint = Checkpoint(group=group, remote=remote, upstream_offset=120, downstream_offset=101, metadata="note")
    key, value = encode_checkpoint(checkpoint)
    produce(lab.target_bootstrap, CHECKPOINTS.name(source), [{"key": key, "value": value, "partition": 0}])

    with connect(lab.target_bootstrap, alias=lab.target.alias, policy=DefaultPolicy()) as client:
        assert remote.topic in client.remote_topics(source)
        assert CHECKPOINTS.name(source) in client.checkpoint_topics()
        assert client.remote_consumer_offsets(group, source)[remote].offset == 101
        offsets = client.translated_offsets(group, source)
    assert (offsets[remote].offset, offsets[remote].kind, offsets[remote].rereads) == (120, "exact", 0)

    consumer = reader(lab.target_bootstrap, group)
    commit_at(consumer, offsets)
    (found,) = consumer.committed([KafkaTopicPartition(remote.topic, 0)], timeout=20)
    assert (found.offset, found.metadata) == (120, "note")

    assign_at(consumer, offsets)
    message = consumer.poll(20)
    consumer.close()
    assert message is not None
    assert message.value() == b"120"
