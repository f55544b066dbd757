"""Whether a fetch answer that names its topics speaks of the topics that are copied.

Brokers before Kafka 3.1 are asked by topic name. A topic deleted and created anew answers under the same name, and its
offsets and leader epochs may fit. So nothing of such an answer is believed before the same broker, asked after it, says
that the name still stands for the topic that is copied: a broker hears of a topic's end before it serves the next one.
"""

from collections.abc import Mapping, Sequence

from replication.domain.errors import Cause, ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error import OFFSET_OUT_OF_RANGE
from replication.domain.positions import NO_TOPIC_ID
from replication.ports.source_reader import FetchedPartition
from replication.tasks.slot_context import SlotContext


class NamedAnswers:
    """One question per answer that brings something; none where answers hold topic ids."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context

    async def doubts(self, node: int, partitions: Sequence[FetchedPartition]) -> Mapping[TopicPartition, Cause]:
        """The partitions of an answer that must not be believed, and why. A cluster without topic ids is believed."""
        if not partitions or partitions[0].topic_id:
            return {}  # an answer names all its topics alike
        copied = self._to_prove(partitions)
        if not copied:
            return {}
        context = self._context
        try:
            ids = await context.ports.reader.topic_ids(node, sorted({upstream.topic for upstream in copied}))
        except ReplicationError as error:
            return dict.fromkeys(copied, Cause.of(error, context.loop.now_ms()))
        return {
            upstream: self._cause(upstream)
            for upstream, topic_id in copied.items()
            if ids.get(upstream.topic) not in (topic_id, NO_TOPIC_ID)
        }

    def _to_prove(self, partitions: Sequence[FetchedPartition]) -> dict[TopicPartition, bytes]:
        """The ids that the answer's partitions had when it came."""
        copied: dict[TopicPartition, bytes] = {}
        for fetched in partitions:
            if _says_something(fetched):
                copy = self._context.copies.get(TopicPartition(fetched.topic, fetched.partition))
                if copy is not None and copy.topic_id != NO_TOPIC_ID:
                    copied[copy.upstream] = copy.topic_id
        return copied

    def _cause(self, upstream: TopicPartition) -> Cause:
        return Cause(
            code="topic_recreated",
            text=f"source topic {upstream.topic} is gone, or another one than was copied so far; nothing of it is read",
            topic=upstream.topic,
            partition=upstream.partition,
            since_ms=self._context.loop.now_ms(),
        )


def _says_something(fetched: FetchedPartition) -> bool:
    """It would move the partition on, or make a gap."""
    return bool(fetched.records) or fetched.diverging_end is not None or fetched.error_code == OFFSET_OUT_OF_RANGE
