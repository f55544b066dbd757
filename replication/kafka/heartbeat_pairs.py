"""Reads which flows have written heartbeats into a cluster lately, MirrorMaker's and ours."""

import time
from collections.abc import Iterator, Mapping

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from replication.codecs.mm2_records import decode_heartbeat
from replication.domain.errors import ClusterUnreachableError, MalformedRecordError
from replication.domain.identifiers import FlowId
from replication.domain.names.internal_topics import HEARTBEATS_TOPIC
from replication.domain.plan.slot import ClusterClient
from replication.kafka.client_config import librdkafka_config
from replication.kafka.error_translation import ErrorWatch
from replication.kafka.messages import is_group_refusal

_RECORDS_BACK = 5_000  # per partition: more than an hour of heartbeats of one flow, more than a minute of fifty
_CHUNK = 1_000
_POLL_S = 0.2


def heartbeat_pairs(cluster: ClusterClient, *, deadline_s: float) -> Mapping[FlowId, int]:
    """Return the time of the newest heartbeat in ms by the flow that its key names; empty without the topic.

    Blocks, at most about `deadline_s` seconds. Raises `replication.domain.errors` as ClusterAdmin does.
    """
    watch = ErrorWatch(cluster)
    consumer = Consumer(
        {
            **librdkafka_config(cluster),
            "error_cb": watch.error_cb,
            "group.id": "srm-heartbeat-pairs",  # librdkafka wants one; it is never joined
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "allow.auto.create.topics": False,
        }
    )
    ends_s = time.monotonic() + deadline_s
    pairs: dict[FlowId, int] = {}
    try:
        for message in _records(consumer, cluster, ends_s):
            _note(pairs, message)
    except KafkaException as error:
        consumer.poll(0)
        raise watch.translate(error, f"read {HEARTBEATS_TOPIC}", topic=HEARTBEATS_TOPIC) from error
    finally:
        consumer.close()
    return pairs


def _note(pairs: dict[FlowId, int], message: Message) -> None:
    try:
        found = decode_heartbeat(_bytes(message.key()), _bytes(message.value()))
    except MalformedRecordError:
        return
    pair = FlowId(found.source, found.target)
    pairs[pair] = max(found.timestamp_ms, pairs.get(pair, found.timestamp_ms))


def _records(consumer: Consumer, cluster: ClusterClient, ends_s: float) -> Iterator[Message]:
    """Yield the last records of each partition."""
    starts = _starts(consumer, ends_s)
    waiting = {start.partition for start in starts}
    consumer.assign(starts)
    while waiting:
        if time.monotonic() > ends_s:
            text = f"cluster {cluster.alias} did not deliver {HEARTBEATS_TOPIC} in time"
            raise ClusterUnreachableError(text, cluster=cluster.alias, topic=HEARTBEATS_TOPIC)
        for message in consumer.consume(_CHUNK, _POLL_S):
            error = message.error()
            if error is None:
                yield message
            elif is_group_refusal(message):
                continue
            elif error.code() == KafkaError._PARTITION_EOF:
                waiting.discard(message.partition() or 0)
            else:
                raise KafkaException(error)


def _starts(consumer: Consumer, ends_s: float) -> list[TopicPartition]:
    """The partitions that hold records, with the offset from which to read."""
    found = consumer.list_topics(HEARTBEATS_TOPIC, timeout=_left_s(ends_s)).topics.get(HEARTBEATS_TOPIC)
    starts: list[TopicPartition] = []
    for partition in sorted(found.partitions) if found is not None else ():
        place = TopicPartition(HEARTBEATS_TOPIC, partition)
        marks = consumer.get_watermark_offsets(place, timeout=_left_s(ends_s), cached=False)
        if marks is None:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
        low, high = marks
        if high > low:
            starts.append(TopicPartition(HEARTBEATS_TOPIC, partition, max(low, high - _RECORDS_BACK)))
    return starts


def _left_s(ends_s: float) -> float:
    return max(0.1, ends_s - time.monotonic())


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value
