"""The records and bytes that a flow has to copy when topics join it, from the ends and sizes of their logs."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.start_position import StartAt
from replication.domain.questions.flow_changes import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEnds:
    """The first and the next offset of each partition; partitions without both are unknown."""

    starts: Mapping[TopicPartition, int]
    ends: Mapping[TopicPartition, int]


def estimate_copy(
    partitions: Collection[TopicPartition],
    logs: LogEnds,
    sizes: Mapping[TopicPartition, int] | None,
    *,
    start: StartAt,
    start_offsets: Mapping[TopicPartition, int],
    may_continue: bool,
) -> Estimate:
    """`sizes` are None where they are unknown; `may_continue`: positions of an earlier copy may shorten it."""
    records, stored = 0, 0
    for partition in partitions:
        first, end = logs.starts.get(partition, 0), logs.ends.get(partition, 0)
        begin = first if start != "latest" else end
        begin = min(max(start_offsets.get(partition, begin), first), end)
        records += end - begin
        if end > first and sizes is not None:
            stored += sizes.get(partition, 0) * (end - begin) // (end - first)
    return Estimate(
        partitions=len(partitions),
        records=records,
        bytes=None if sizes is None else stored,
        is_upper_bound=may_continue or isinstance(start, int),
    )
