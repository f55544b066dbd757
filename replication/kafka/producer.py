"""Single records over confluent-kafka, by a producer with a handle of librdkafka."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from replication.domain.errors import ReplicationError, RetriableError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.certificates import CertificateWatch
from replication.kafka.client_config import librdkafka_config
from replication.kafka.error_translation import ErrorWatch

_DELIVERY_TIMEOUT_MS = 10_000
OnDelivery = Callable[[KafkaError | None, Message], None]
_POLL_S = 0.1


class _Handle:
    """Thread-safe; calls back in any thread that polls."""

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


@dataclass(slots=True)
class _Deliveries:
    """The records that one producer sent since it last gave some up, and the first failure since its last flush."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    pending: int = 0
    failure: tuple[KafkaError, str] | None = None

    def sent(self) -> None:
        with self.lock:
            self.pending += 1

    def not_sent(self) -> None:
        with self.lock:
            self.pending -= 1

    def delivered(self, error: KafkaError | None, message: Message) -> None:
        with self.lock:
            self.pending -= 1
            if error is not None:
                self.failure = self.failure or (error, message.topic() or "")

    def take_failure(self) -> tuple[KafkaError, str] | None:
        with self.lock:
            failure, self.failure = self.failure, None
        return failure


class ConfluentRecordProducer:
    """The `RecordProducer` of one caller, with separate threads."""

    def __init__(self, cluster: ClusterClient) -> None:
        self._handle = _Handle(cluster)
        self._deliveries = _Deliveries()
        self._topic = ""

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
        deliveries = self._deliveries
        deliveries.sent()
        try:
            self._handle.produce(
                topic,
                key=key,
                value=value,
                partition=partition,
                timestamp_ms=timestamp_ms,
                headers=headers,
                on_delivery=deliveries.delivered,
            )
        except Exception:
            deliveries.not_sent()
            raise
        self._topic = topic

    def flush(self, timeout_s: float = 10.0) -> None:
        deadline_s = time.monotonic() + timeout_s
        while self._deliveries.pending and time.monotonic() < deadline_s:
            self._handle.poll(_POLL_S)
        self._handle.poll(0)
        failure = self._deliveries.take_failure()
        if self._deliveries.pending:
            failure = failure or self._give_up()
        if failure is not None:
            raise self._handle.translated(*failure)

    def _give_up(self) -> tuple[KafkaError, str]:
        """Later flushes report about later records only."""
        self._deliveries = _Deliveries()
        self._handle.purge()
        return KafkaError(KafkaError._MSG_TIMED_OUT), self._topic

    def close(self) -> None:
        """Give up what is queued; call flush first to keep it."""
        self._handle.purge()
