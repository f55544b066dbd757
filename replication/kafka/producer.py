"""Single records over confluent-kafka."""

import threading
from collections.abc import Sequence

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from replication.domain.errors import ReplicationError, RetriableError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.certificates import CertificateWatch
from replication.kafka.client_config import librdkafka_config
from replication.kafka.error_translation import ErrorWatch

_DELIVERY_TIMEOUT_MS = 10_000


class ConfluentRecordProducer:
    """The `RecordProducer` of one cluster: an idempotent confluent-kafka producer."""

    def __init__(self, cluster: ClusterClient) -> None:
        self._watch = ErrorWatch(cluster)
        self._cluster = cluster
        self._lock = threading.Lock()
        self._failure: tuple[KafkaError, str] | None = None
        self._certificates = CertificateWatch(cluster)
        self._client = self._open()

    def _open(self) -> Producer:
        return Producer(
            {
                **librdkafka_config(self._cluster),
                "error_cb": self._watch.error_cb,
                "enable.idempotence": True,
                "partitioner": "murmur2_random",  # as Java's, so that Java reads what we write under the same keys
                "delivery.timeout.ms": _DELIVERY_TIMEOUT_MS,
                "allow.auto.create.topics": False,
            }
        )

    def send(
        self,
        topic: str,
        *,
        key: bytes | None,
        value: bytes | None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Sequence[tuple[str, bytes]] = (),
    ) -> None:
        try:
            self._client.produce(
                topic,
                key=key,
                value=value,
                partition=-1 if partition is None else partition,
                timestamp=0 if timestamp_ms is None else timestamp_ms,
                headers=list(headers),
                on_delivery=self._delivered,
            )
        except BufferError as error:
            text = f"cluster {self._cluster.alias}: the queue of records to send is full"
            raise RetriableError(text, cluster=self._cluster.alias, topic=topic) from error
        except KafkaException as error:
            raise self._watch.translate(error, f"take records for {topic}", topic=topic) from error
        self._client.poll(0)

    def flush(self, timeout_s: float = 10.0) -> None:
        left = self._client.flush(timeout_s)
        if left:
            self._client.purge()
            self._client.flush(1.0)
        if self._certificates.have_changed():  # nothing is queued now
            self._client = self._open()
        with self._lock:
            failure, self._failure = self._failure, None
        if failure is not None:
            error, topic = failure
            raise self._translated(error, topic)

    def close(self) -> None:
        """Give up what is queued; call flush first to keep it."""
        self._client.purge()
        self._client.flush(1.0)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            with self._lock:
                self._failure = self._failure or (error, message.topic() or "")

    def _translated(self, error: KafkaError, topic: str) -> ReplicationError:
        return self._watch.translate(error, f"write to {topic}", topic=topic)
