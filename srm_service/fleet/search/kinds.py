"""One search for each kind of thing. Names of topics and groups come from the metrics store and from the plans."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from django.db.models import Count, Q

from replication.config.tree import key_table
from replication.domain.identifiers import FlowId
from srm_service.clusters.models import Cluster
from srm_service.configuration.models import StoredProperty
from srm_service.configuration.selectors import current_dialect
from srm_service.fleet.search.hits import Found, Hit, HitKind, best, rank_of
from srm_service.fleet.search.stored import found_rows
from srm_service.flows.models import Flow
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.flows.topic_pairs import planned_pairs
from srm_service.monitoring.models import Series

_LONGEST_TEXT = 200


def _flows(text: str, limit: int, known: Collection[FlowId], live: LiveSnapshot) -> Found:
    columns = ("source__alias", "target__alias")
    rows = found_rows(Flow.objects.select_related("source", "target"), columns, text, limit + 1)
    return best((_flow(row.source.alias, row.target.alias, text) for row in rows), limit)


def _flow(source: str, target: str, text: str) -> Hit:
    rank = rank_of(text, (source, target, f"{source} {target}"))
    return Hit(kind="flow", label=f"{source}->{target}", rank=_known(rank), source=source, target=target)


def _topics(text: str, limit: int, known: Collection[FlowId], live: LiveSnapshot) -> Found:
    stored = Series.objects.filter(_of(known), partition=-1).exclude(topic="")
    rows = found_rows(stored, ("topic", "remote_topic"), text, limit + 1)
    names = {(FlowId(row.source, row.target), row.topic, row.remote_topic) for row in rows}
    planned = {(flow, pair.topic, pair.remote_topic) for flow in known for pair in planned_pairs(flow, live)}
    hits = (
        _topic(flow, topic, remote, text, _is_planned((flow, topic, remote), planned, live))
        for flow, topic, remote in names | planned
    )
    return best((hit for hit in hits if hit is not None), limit)


def _topic(flow: FlowId, topic: str, remote_topic: str, text: str, is_planned: bool | None) -> Hit | None:
    rank = rank_of(text, (topic, remote_topic))
    if rank is None:
        return None
    return Hit(
        kind="topic",
        label=topic,
        rank=rank,
        text=None if topic == remote_topic else remote_topic,
        source=flow.source,
        target=flow.target,
        topic=topic,
        remote_topic=remote_topic,
        is_planned=is_planned,
    )


def _groups(text: str, limit: int, known: Collection[FlowId], live: LiveSnapshot) -> Found:
    stored = Series.objects.filter(_of(known)).exclude(consumer_group="")
    rows = found_rows(stored, ("consumer_group",), text, limit + 1)
    names = {(FlowId(row.source, row.target), row.consumer_group) for row in rows}
    planned = {(flow, group) for flow in known for group in _planned_groups(live.plans.get(flow, {}))}
    return best(
        (
            Hit(
                kind="group",
                label=group,
                rank=rank,
                source=flow.source,
                target=flow.target,
                group=group,
                is_planned=_is_planned((flow, group), planned, live),
            )
            for flow, group in names | planned
            if (rank := rank_of(text, (group,))) is not None
        ),
        limit,
    )


def _planned_groups(plan: Mapping[str, Any]) -> Iterator[str]:
    slots = plan.get("groups")
    for names in slots if isinstance(slots, list) else ():
        yield from (str(name) for name in names if isinstance(names, list))


def _clusters(text: str, limit: int, known: Collection[FlowId], live: LiveSnapshot) -> Found:
    rows = found_rows(Cluster.objects.all(), ("alias",), text, limit + 1)
    return best((Hit(kind="cluster", label=row.alias, rank=_known(rank_of(text, (row.alias,)))) for row in rows), limit)


def _properties(text: str, limit: int, known: Collection[FlowId], live: LiveSnapshot) -> Found:
    """Return known keys, and unknown ones that are set; values are not searched."""
    counted = StoredProperty.objects.values("name").annotate(places=Count("id"))
    places = {str(row["name"]): int(row["places"]) for row in counted}
    texts = {row.key: row.description or row.why for row in key_table(current_dialect())}
    return best(
        (
            Hit(kind="property", label=key, rank=rank, text=_described(texts.get(key, ""), places.get(key, 0)))
            for key in texts.keys() | places.keys()
            if (rank := rank_of(text, (key,))) is not None
        ),
        limit,
    )


def _described(text: str, places: int) -> str | None:
    found = text if places == 0 else f"set in {places} place{'s' * (places > 1)}; {text}".rstrip("; ")
    return found[:_LONGEST_TEXT] or None


def _is_planned(place: tuple[Any, ...], planned: Collection[tuple[Any, ...]], live: LiveSnapshot) -> bool | None:
    return place in planned if place[0] in live.plans else None


def _of(flows: Collection[FlowId]) -> Q:
    """Return the condition for the series of these flows, by target."""
    sources: dict[str, list[str]] = {}
    for flow in flows:
        sources.setdefault(flow.target, []).append(flow.source)
    condition = Q(pk__in=[])
    for target, of_target in sources.items():
        condition |= Q(target=target, source__in=of_target)
    return condition


def _known(rank: int | None) -> int:
    """Narrow the rank of a row that the database found."""
    return 2 if rank is None else rank


Searcher = Callable[[str, int, Collection[FlowId], LiveSnapshot], Found]
SEARCHERS: Mapping[HitKind, Searcher] = {
    "flow": _flows,
    "topic": _topics,
    "group": _groups,
    "cluster": _clusters,
    "property": _properties,
}
