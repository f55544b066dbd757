"""Checks that a fetch answer that names its topics is about the topics that are copied.

Brokers before Kafka 3.1 are asked by topic name. A re-created topic answers under the same name, and its offsets and
leader epochs may fit. So nothing of such an answer is believed before the same broker, asked after it, says that the
name still belongs to the topic that is copied: a broker hears of a topic's end before it serves the next one.
"""

from collections.abc import Mapping, Sequence

from replication.domain.errors import Cause, ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.offsets.positions import NO_TOPIC_ID
from replication.ports.fetch.batch_fetcher import FetchedPartition
from replication.tasks.slot_context import SlotContext


class TopicIdentity:
    """Asks once per answer that brings something. Answers that hold topic ids need no check."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context

    async def doubts(self, node: int, partitions: Sequence[FetchedPartition]) -> Mapping[TopicPartition, Cause]:
        """Return the partitions of an answer that must not be believed, and why.

        A cluster without topic ids is believed.
        """
        copied = self._to_check(partitions)
        if not copied:
            return {}
        context = self._context
        try:
            topics = await context.ports.source.describe(sorted({upstream.topic for upstream in copied}), node)
        except ReplicationError as error:
            return dict.fromkeys(copied, Cause.of(error, context.ports.loop.now_ms()))
        ids = {name: topic.topic_id for name, topic in topics.items() if topic.error is None}
        return {
            upstream: self._cause(upstream)
            for upstream, topic_id in copied.items()
            if ids.get(upstream.topic) not in (topic_id, NO_TOPIC_ID)
        }

    def _to_check(self, partitions: Sequence[FetchedPartition]) -> dict[TopicPartition, bytes]:
        """Return the ids that the answer's partitions had when it came."""
        copied: dict[TopicPartition, bytes] = {}
        for fetched in partitions:
            if _has_effect(fetched):
                copy = self._context.roster.copies.get(TopicPartition(fetched.topic, fetched.partition))
                if copy is not None and copy.cursor.topic_id != NO_TOPIC_ID:
                    copied[copy.upstream] = copy.cursor.topic_id
        return copied

    def _cause(self, upstream: TopicPartition) -> Cause:
        return Cause(
            code="topic_recreated",
            text=f"source topic {upstream.topic} is gone, or another one than was copied so far; nothing of it is read",
            topic=upstream.topic,
            partition=upstream.partition,
            since_ms=self._context.ports.loop.now_ms(),
        )


def _has_effect(fetched: FetchedPartition) -> bool:
    """True when it would move the partition, or make a gap."""
    is_out_of_range = fetched.error_code == KafkaErrorCode.OFFSET_OUT_OF_RANGE
    return bool(fetched.records) or fetched.diverging is not None or is_out_of_range
