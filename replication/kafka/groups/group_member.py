"""A member of a consumer group that reads topics and commits what it has read."""

from collections.abc import Sequence

from confluent_kafka import Consumer, KafkaException

from replication.domain.plan.slot import ClusterClient
from replication.kafka.client_config import librdkafka_config
from replication.kafka.error_translation import ErrorWatch

_MOST_RECORDS = 10_000
_SESSION_MS = 10_000


class GroupMember:
    """Subscribes when it is created. Raises `replication.domain.errors` as ClusterAdmin does."""

    def __init__(self, cluster: ClusterClient, group: str, topics: Sequence[str]) -> None:
        self._group = group
        self._watch = ErrorWatch(cluster)
        self._consumer = Consumer(
            {
                **librdkafka_config(cluster),
                "error_cb": self._watch.error_cb,
                "group.id": group,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "session.timeout.ms": _SESSION_MS,
            }
        )
        self._consumer.subscribe(list(topics))

    def read(self, timeout_s: float) -> int:
        """Read what arrives in this time and commit it; returns the number of records."""
        try:
            messages = self._consumer.consume(_MOST_RECORDS, timeout_s)
            read = sum(message.error() is None for message in messages)
            if read:
                self._consumer.commit(asynchronous=False)
        except KafkaException as error:
            raise self._watch.translate(error, f"read as a member of the group {self._group}") from error
        return read

    def close(self) -> None:
        """Leave the group."""
        self._consumer.close()
