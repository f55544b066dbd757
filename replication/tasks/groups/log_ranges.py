"""The first and next offsets of logs with the ids of their topics, in three requests."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from replication.domain.groups.translation import LogRange
from replication.domain.identifiers import TopicPartition
from replication.ports.admin import ClusterAdmin

Ranges = Mapping[TopicPartition, LogRange]


@dataclass(frozen=True, slots=True, kw_only=True)
class Logs:
    """The logs of partitions that answer, and the partitions that exist and do not answer."""

    ranges: Ranges = field(default_factory=dict)
    unavailable: frozenset[TopicPartition] = frozenset()


NO_LOGS = Logs()


def read_logs(admin: ClusterAdmin, partitions: Collection[TopicPartition]) -> Logs:
    """Return the logs of the partitions that exist. Raises as ClusterAdmin, also if no partition answers.

    Ids are read before offsets: after a topic was created again in between, its new log has the former id, and what
    was read of the former log before fits to it.
    """
    if not partitions:
        return NO_LOGS
    described = admin.describe_topics({each.topic for each in partitions})
    known = [each for each in partitions if each.topic in described]
    existing = [each for each in known if each.partition < described[each.topic].partitions]
    starts = admin.available_offsets(existing, "earliest") if existing else {}
    ends = admin.available_offsets(existing, "latest") if existing else {}
    found = {
        each: LogRange(
            start=starts[each],
            end=max(starts[each], ends[each]),  # a log that is truncated between the requests ends at its start
            topic_id=described[each.topic].topic_id,
        )
        for each in existing
        if each in starts and each in ends
    }
    return Logs(ranges=found, unavailable=frozenset(existing) - found.keys())
