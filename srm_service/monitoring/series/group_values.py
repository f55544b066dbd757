"""The newest values of a consumer group, as its checkpoint task reported them for its partitions."""

from django.db.models import Count

from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import Metric
from srm_service.monitoring.models import GroupNow, Series

_NOW_MS = 180_000  # groups are reported once a minute; what is older is not the state of now


def is_group_known(flow: FlowId, group: str) -> bool:
    """Return True if anything was measured of the group."""
    own = {"source": flow.source, "target": flow.target, "consumer_group": group}
    return bool(group) and (Series.objects.filter(**own).exists() or GroupNow.objects.filter(**own).exists())


def group_latest(flow: FlowId, group: str, metric: Metric, now_ms: int) -> float | None:
    """Return the group's lag, or the latency of its newest checkpoint; None if unknown."""
    rows = list(
        GroupNow.objects.filter(
            source=flow.source, target=flow.target, consumer_group=group, last_ms__gte=now_ms - _NOW_MS
        )
    )
    if metric.name == "lag_offsets":
        lags = [_lag(row) for row in rows]
        known = [lag for lag in lags if lag is not None]
        return float(sum(known)) if known and len(known) == len(lags) else None
    measured = [row for row in rows if row.latency_ms is not None]
    newest = max(measured, key=lambda row: row.last_ms, default=None)
    return None if newest is None or newest.latency_ms is None else float(newest.latency_ms)


def groups_of_topic(flow: FlowId, topic: str) -> frozenset[str]:
    """Return the names of the groups with commits in a topic. Raises DatabaseError."""
    found = GroupNow.objects.filter(source=flow.source, target=flow.target, topic=topic)
    return frozenset(found.values_list("consumer_group", flat=True).distinct())


def groups_of_topics(flow: FlowId, topics: list[str]) -> dict[str, int]:
    """Return the number of consumer groups with commits in each topic; topics without any are absent. One query."""
    found = GroupNow.objects.filter(source=flow.source, target=flow.target, topic__in=topics)
    counted = found.values("topic").annotate(groups=Count("consumer_group", distinct=True))
    return {str(row["topic"]): int(row["groups"]) for row in counted}


def _lag(row: GroupNow) -> int | None:
    return None if row.log_end is None or row.committed is None else max(0, row.log_end - row.committed)
