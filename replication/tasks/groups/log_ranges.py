"""The first and next offsets of logs, in two requests."""

from collections.abc import Collection, Mapping

from replication.domain.groups.translation import LogRange
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.positions import NO_TOPIC_ID
from replication.ports.admin import ClusterAdmin

Ranges = Mapping[TopicPartition, LogRange]


def log_ranges(admin: ClusterAdmin, partitions: Collection[TopicPartition], *, with_ids: bool = False) -> Ranges:
    """Return the logs of the partitions that exist and answer, `with_ids` with those of their topics.

    Raises as ClusterAdmin, where no partition answers.
    """
    if not partitions:
        return {}
    topics = {each.topic for each in partitions}
    described = admin.describe_topics(topics) if with_ids else {}
    starts = admin.available_offsets(partitions, "earliest")
    ends = admin.available_offsets(partitions, "latest")
    return {
        each: _range(starts[each], ends[each], described[each.topic].topic_id if each.topic in described else None)
        for each in ends
        if each in starts
    }


def _range(start: int, end: int, topic_id: bytes | None) -> LogRange:
    """A log that is truncated between the two requests ends at its start."""
    return LogRange(start=start, end=max(start, end), topic_id=NO_TOPIC_ID if topic_id is None else topic_id)
