"""Topics read from their beginning to their end, and then what is new, again and again."""

from collections.abc import Iterator

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message
from confluent_kafka import TopicPartition as KafkaTopicPartition

from replication.domain.errors import ClusterUnreachableError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.client_config import REQUEST_TIMEOUT_S, librdkafka_config
from replication.kafka.error_translation import ErrorWatch
from replication.kafka.messages import is_group_refusal

_CHUNK = 5_000
_POLL_S = 0.1  # a chunk that is not full waits so long for more
_STALLED_POLLS = 100
_QUEUE_KBYTES = 16_384  # read ahead of us; librdkafka would take 64 MiB
Place = tuple[str, int]


class TopicTail:
    """One consumer that assigns, never subscribes and never commits; reads only what is committed.

    Raises `replication.domain.errors` as ClusterAdmin does. A missing topic reads as an empty one.
    """

    def __init__(self, cluster: ClusterClient, *topics: str) -> None:
        self._alias = cluster.alias
        self._topics = topics
        self._watch = ErrorWatch(cluster)
        self._next: dict[Place, int] = {}
        self._consumer = Consumer(
            {
                **librdkafka_config(cluster),
                "error_cb": self._watch.error_cb,
                "group.id": "srm-topic-tail",  # librdkafka wants one; it is never joined
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "auto.offset.reset": "earliest",
                "isolation.level": "read_committed",
                "fetch.wait.max.ms": 50,
                "queued.max.messages.kbytes": _QUEUE_KBYTES,
                "allow.auto.create.topics": False,
            }
        )

    def new_records(self) -> Iterator[Message]:
        """Yield what arrived since the last call, up to the current end; in order within a partition."""
        try:
            yield from self._read({place for topic in self._topics for place in self._partitions(topic)})
        except KafkaException as error:
            raise self._failed(error, self._topics[0]) from error

    def close(self) -> None:
        self._consumer.close()

    def _partitions(self, topic: str) -> list[Place]:
        found = self._consumer.list_topics(topic, timeout=REQUEST_TIMEOUT_S).topics.get(topic)
        return [(topic, partition) for partition in sorted(found.partitions)] if found is not None else []

    def _read(self, waiting: set[Place]) -> Iterator[Message]:
        """A partition is through when librdkafka says that its end is reached."""
        if not waiting:
            return
        self._consumer.assign(
            [KafkaTopicPartition(*place, self._next.get(place, OFFSET_BEGINNING)) for place in sorted(waiting)]
        )
        stalled = 0
        while waiting:
            messages = [each for each in self._consumer.consume(_CHUNK, _POLL_S) if not is_group_refusal(each)]
            stalled = 0 if messages else stalled + 1
            if stalled > _STALLED_POLLS:
                topic = min(waiting)[0]
                raise ClusterUnreachableError(
                    f"cluster {self._alias} stopped answering while {topic} was read", cluster=self._alias, topic=topic
                )
            for message in messages:
                topic, partition = message.topic() or "", message.partition()
                if self._is_end(message):
                    waiting.discard((topic, -1 if partition is None else partition))
                elif partition is not None:
                    self._next[topic, partition] = (message.offset() or 0) + 1
                    yield message
        self._consumer.unassign()

    def _is_end(self, message: Message) -> bool:
        error = message.error()
        if error is None:
            return False
        if error.code() == KafkaError._PARTITION_EOF:
            return True
        raise self._failed(error, message.topic() or self._topics[0])

    def _failed(self, error: KafkaError | KafkaException, topic: str) -> Exception:
        return self._watch.translate(error, f"read {topic}", topic=topic)
