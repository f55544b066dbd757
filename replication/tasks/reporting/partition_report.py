"""The figures of the partitions of a slot, for the metrics of its process."""

from replication.domain.reporting.recent_figures import PartitionFigures, RecentFigures
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.reporting.slot_metrics import SlotMetrics
from replication.tasks.slot_context import SlotContext


def partition_figures(context: SlotContext, metrics: SlotMetrics) -> list[PartitionFigures]:
    """Return the figures of each partition that is copied. From any thread: only whole values are read."""
    now_ms = context.ports.loop.now_ms()
    return [
        _figures(context, copy, metrics.recent(copy.upstream), now_ms) for copy in tuple(context.roster.copies.values())
    ]


def _figures(context: SlotContext, copy: PartitionCopy, recent: RecentFigures, now_ms: int) -> PartitionFigures:
    counters, flow = copy.counters, context.spec.flow
    records_per_second, bytes_per_second = recent.per_second(now_ms)
    return PartitionFigures(
        source=flow.source,
        target=flow.target,
        topic=copy.remote.topic,
        partition=copy.remote.partition,
        records_total=counters.records_total,
        bytes_total=counters.bytes_total,
        lag_offsets=copy.lag,
        records_per_second=records_per_second,
        bytes_per_second=bytes_per_second,
        latency=recent.latency(now_ms),
        age=recent.age(now_ms),
    )
