"""One idempotent producer of librdkafka, which any number of record producers may share."""

from collections.abc import Callable, Sequence

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from replication.domain.errors import ReplicationError, RetriableError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.certificates import CertificateWatch
from replication.kafka.client_config import librdkafka_config
from replication.kafka.error_translation import ErrorWatch

_DELIVERY_TIMEOUT_MS = 10_000
OnDelivery = Callable[[KafkaError | None, Message], None]


class ProducerHandle:
    """Thread-safe. Callbacks of all record producers are called by any of them that polls."""

    def __init__(self, cluster: ClusterClient) -> None:
        self._cluster = cluster
        self._watch = ErrorWatch(cluster)
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

    def produce(
        self,
        topic: str,
        *,
        key: bytes | None,
        value: bytes | None,
        partition: int | None,
        timestamp_ms: int | None,
        headers: Sequence[tuple[str, bytes]],
        on_delivery: OnDelivery,
    ) -> None:
        """Queue a record. Raises RetriableError when the queue is full."""
        try:
            self._client.produce(
                topic,
                key=key,
                value=value,
                partition=-1 if partition is None else partition,
                timestamp=0 if timestamp_ms is None else timestamp_ms,
                headers=list(headers),
                on_delivery=on_delivery,
            )
        except BufferError as error:
            text = f"cluster {self._cluster.alias}: the queue of records to send is full"
            raise RetriableError(text, cluster=self._cluster.alias, topic=topic) from error
        except KafkaException as error:
            raise self._watch.translate(error, f"take records for {topic}", topic=topic) from error
        self._client.poll(0)

    def poll(self, timeout_s: float) -> None:
        """Deliver callbacks; waits for the first one at most so long. Reads changed certificates while idle."""
        self._client.poll(timeout_s)
        if not len(self._client) and self._certificates.have_changed():
            self._client = self._open()

    def translated(self, error: KafkaError, topic: str) -> ReplicationError:
        return self._watch.translate(error, f"write to {topic}", topic=topic)

    def purge(self) -> None:
        """Give up what is queued."""
        self._client.purge()
        self._client.flush(1.0)

    def close(self) -> None:
        self.purge()
