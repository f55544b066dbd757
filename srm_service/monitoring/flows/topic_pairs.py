"""Pairs of a topic on the source and its copy on the target, under any naming policy.

The plan of a flow has its present pairs. The metrics store has all that were ever measured, by both names.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated

from replication.domain.identifiers import FlowId
from srm_service.core.contracts import Partial
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.flows.topics import planned_topics
from srm_service.monitoring.models import Series
from srm_service.monitoring.series.selectors import SeriesScope

_NO_PLAN = "no driver reports the plan of {flow}: these are the topics measured so far, denied ones included"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemotePair:
    """A topic by its name on the source and by that on the target."""

    source: str
    target: str
    topic: str
    remote_topic: str
    partitions: Annotated[int | None, "of the source topic; null without a plan"] = None

    @property
    def flow(self) -> FlowId:
        return FlowId(self.source, self.target)


def planned_pairs(flow: FlowId, live: LiveSnapshot) -> tuple[RemotePair, ...]:
    """Return the pairs of the flow's plan; none without a plan."""
    return tuple(
        RemotePair(
            source=flow.source,
            target=flow.target,
            topic=str(topic.get("upstream")),
            remote_topic=str(topic.get("remote")),
            partitions=int(topic.get("partitions", 0)),
        )
        for topic in planned_topics(flow, live)
    )


def remote_pairs(flow: FlowId, live: LiveSnapshot) -> tuple[tuple[RemotePair, ...], tuple[Partial, ...]]:
    """Return the topics that a flow replicates, and what is uncertain about them. Raises DatabaseError.

    Without a plan these are the pairs that were measured.
    """
    if flow in live.plans:
        return planned_pairs(flow, live), ()
    return _stored_pairs([flow]), (
        Partial(peer="drivers", error=_NO_PLAN.format(flow=f"{flow.source}->{flow.target}")),
    )


def pairs_of_topic(flow: FlowId, topic: str, live: LiveSnapshot) -> tuple[RemotePair, ...]:
    """Return the pair of a source topic: the planned one, else all that were measured. Raises DatabaseError."""
    planned = tuple(pair for pair in planned_pairs(flow, live) if pair.topic == topic)
    return planned or _stored_pairs([flow], topic=topic)


def pairs_of_remote_topic(flows: Collection[FlowId], remote_topic: str, live: LiveSnapshot) -> tuple[RemotePair, ...]:
    """Return the pairs of these flows that lead to a topic of the target. Raises DatabaseError.

    There are several when flows merge their topics in it.
    """
    planned = {
        (pair.source, pair.target, pair.topic): pair
        for flow in flows
        for pair in planned_pairs(flow, live)
        if pair.remote_topic == remote_topic
    }
    stored = {(pair.source, pair.target, pair.topic): pair for pair in _stored_pairs(flows, remote_topic=remote_topic)}
    return tuple(pair for _, pair in sorted({**stored, **planned}.items()))


def is_present(pair: RemotePair, live: LiveSnapshot) -> bool:
    """Return False if the plan gives the source topic another copy, or none: the pair is history."""
    return pair.flow not in live.plans or any(
        (each.topic, each.remote_topic) == (pair.topic, pair.remote_topic) for each in planned_pairs(pair.flow, live)
    )


def remote_topic_scope(pairs: Collection[RemotePair]) -> SeriesScope:
    """Return what was measured of a topic of the target: its own series only, those of all pairs added up."""
    ids: list[int] = []
    partitions = 0
    for pair in pairs:
        own = Series.objects.filter(
            source=pair.source, target=pair.target, topic=pair.topic, remote_topic=pair.remote_topic
        )
        ids += own.filter(partition=-1).values_list("id", flat=True)
        partitions += own.filter(partition__gte=0).count()
    flows = tuple(dict.fromkeys(pair.flow for pair in pairs))
    return SeriesScope(level="topic", ids=tuple(ids), flows=flows, partitions=partitions)


def _stored_pairs(flows: Collection[FlowId], **names: str) -> tuple[RemotePair, ...]:
    wanted = set(flows)
    found = Series.objects.filter(
        source__in={flow.source for flow in wanted}, target__in={flow.target for flow in wanted}, partition=-1, **names
    )
    rows = found.exclude(topic="").values_list("source", "target", "topic", "remote_topic").distinct()
    return tuple(
        RemotePair(source=source, target=target, topic=topic, remote_topic=remote_topic)
        for source, target, topic, remote_topic in sorted(rows)
        if FlowId(source, target) in wanted
    )
