"""Log ends as readers of an isolation level see them."""

from collections.abc import Collection, Mapping
from typing import Any, cast

from confluent_kafka import IsolationLevel as KafkaIsolationLevel
from confluent_kafka import KafkaException
from confluent_kafka import TopicPartition as KafkaTopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import ClusterClient
from replication.domain.settings.choices import IsolationLevel
from replication.kafka.client_config import REQUEST_TIMEOUT_S, librdkafka_config
from replication.kafka.error_translation import ErrorWatch

_LEVELS: dict[IsolationLevel, KafkaIsolationLevel] = {
    "read_uncommitted": KafkaIsolationLevel.READ_UNCOMMITTED,
    "read_committed": KafkaIsolationLevel.READ_COMMITTED,
}


def log_ends(
    cluster: ClusterClient, partitions: Collection[TopicPartition], isolation: IsolationLevel
) -> Mapping[TopicPartition, int]:
    """The next offset; under read_committed that of the oldest open transaction. Raises as ClusterAdmin does."""
    if not partitions:
        return {}
    watch = ErrorWatch(cluster)
    config = librdkafka_config(cluster)
    config["error_cb"] = watch.error_cb
    client = AdminClient(config)
    latest = cast("Any", OffsetSpec).latest()  # untyped in the library
    wanted = {KafkaTopicPartition(each.topic, each.partition): latest for each in partitions}
    try:
        futures = client.list_offsets(wanted, isolation_level=_LEVELS[isolation], request_timeout=REQUEST_TIMEOUT_S)
        found = {each: future.result(timeout=REQUEST_TIMEOUT_S + 1.5) for each, future in futures.items()}
    except KafkaException as error:
        client.poll(0)
        raise watch.translate(error, "list offsets") from error
    return {TopicPartition(each.topic, each.partition): info.offset for each, info in found.items()}
