"""FencedProducer over a transactional producer of confluent-kafka."""

from collections.abc import Sequence

from confluent_kafka import KafkaError, KafkaException, Producer

from replication.domain.errors import FencedError, ReplicationError, TransactionAbortedError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.client_config import REQUEST_TIMEOUT_S, librdkafka_config
from replication.kafka.error_translation import ErrorWatch
from replication.ports.fenced_producer import NewRecord, not_owned

_TRANSACTION_TIMEOUT_MS = 30_000  # a frozen owner delays readers of committed records so long
_COMMIT_TIMEOUT_S = 20.0
_QUEUE_RECORDS = 100_000
_POLL_EVERY = 1_000
_FENCED = frozenset({KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH})


class ConfluentFencedProducer:
    """librdkafka cannot use a producer after a fatal error: the next `fence` opens another one."""

    def __init__(self, cluster: ClusterClient, transactional_id: str) -> None:
        self._cluster = cluster
        self._id = transactional_id
        self._watch = ErrorWatch(cluster)
        self._client: Producer | None = None

    def fence(self) -> None:
        self.close()
        self._client = self._initialized(self._id)

    def fence_others(self, transactional_ids: Sequence[str]) -> None:
        for transactional_id in transactional_ids:
            _discard(self._initialized(transactional_id))

    def write(self, records: Sequence[NewRecord]) -> None:
        if not records:
            return
        client = self._client
        if client is None:
            raise not_owned(self._cluster.alias, self._id)
        try:
            client.begin_transaction()
            for number, record in enumerate(records):
                self._produce(client, record)
                if number % _POLL_EVERY == 0:
                    client.poll(0)
            client.commit_transaction(_COMMIT_TIMEOUT_S)
        except KafkaException as error:
            raise self._failed(client, error, records[0].topic) from error

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            _discard(client)

    def _produce(self, client: Producer, record: NewRecord) -> None:
        while True:
            try:
                client.produce(
                    record.topic,
                    key=record.key,
                    value=record.value,
                    partition=record.partition,
                    timestamp=record.timestamp_ms,
                )
            except BufferError:
                client.poll(0.1)
            else:
                return

    def _initialized(self, transactional_id: str) -> Producer:
        client = Producer(
            {
                **librdkafka_config(self._cluster),
                "error_cb": self._watch.error_cb,
                "transactional.id": transactional_id,
                "transaction.timeout.ms": _TRANSACTION_TIMEOUT_MS,
                "queue.buffering.max.messages": _QUEUE_RECORDS,
                "linger.ms": 20,
                "allow.auto.create.topics": False,
            }
        )
        try:
            client.init_transactions(REQUEST_TIMEOUT_S)
        except KafkaException as error:
            _discard(client)
            raise self._watch.translate(error, f"give out the transactional id {transactional_id}") from error
        return client

    def _failed(self, client: Producer, error: KafkaException, topic: str) -> ReplicationError:
        """Abort the transaction, or give the producer up where that is impossible."""
        cause = error.args[0]
        if isinstance(cause, KafkaError) and cause.fatal() and cause.code() in _FENCED:
            self.close()
            text = f"cluster {self._cluster.alias}: another task has taken the transactional id {self._id}"
            return FencedError(text, cluster=self._cluster.alias, topic=topic)
        translated = self._watch.translate(error, f"write to {topic}", topic=topic)
        try:
            client.abort_transaction(REQUEST_TIMEOUT_S)
        except KafkaException:
            self.close()  # taking the id again aborts what is open
        if isinstance(cause, KafkaError) and cause.txn_requires_abort():
            text = f"cluster {self._cluster.alias} aborted a transaction of {topic}: {translated.text}"
            return TransactionAbortedError(text, cluster=self._cluster.alias, topic=topic)
        return translated


def _discard(client: Producer) -> None:
    client.purge()
    client.flush(1.0)
