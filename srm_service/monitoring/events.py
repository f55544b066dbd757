"""Queries of the events that drivers report: changes of state of slots and partitions, and rejected records."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from django.db.models import Q, QuerySet

from replication.domain.identifiers import FlowId
from srm_service.monitoring.models import Event

_EXACT = ("source", "target", "topic", "partition", "scope", "cause", "driver")
_CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """The wanted events; an empty field does not filter."""

    source: str = ""
    target: str = ""
    topic: str = ""
    partition: int | None = None
    scope: str = ""
    state: str = ""
    cause: str = ""
    driver: str = ""
    from_ms: int | None = None
    to_ms: int | None = None
    flows: frozenset[FlowId] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDto:
    """An event as a driver saw it."""

    id: int
    time_ms: int
    source: str
    target: str
    task: str
    driver: str
    scope: Annotated[str, "`slot`, `partition`, or `record`: a rejected record"]
    topic: Annotated[str | None, "of the source; null for a slot"]
    partition: int | None
    from_state: Annotated[str | None, "null if there was none before"]
    to_state: Annotated[str, "of a rejected record: the error policy that was applied"]
    cause: Annotated[str | None, "code of the cause; null without one"]
    text: str | None


def event_rows(wanted: EventFilter) -> QuerySet[Event]:
    """Return the wanted events."""
    given = {name: value for name in _EXACT if (value := getattr(wanted, name)) not in ("", None)}
    events = Event.objects.filter(**given)
    if wanted.state:
        events = events.filter(to_state=wanted.state)
    if wanted.from_ms is not None:
        events = events.filter(time_ms__gte=wanted.from_ms)
    if wanted.to_ms is not None:
        events = events.filter(time_ms__lt=wanted.to_ms)
    return events if wanted.flows is None else events.filter(_of_flows(wanted.flows))


def _of_flows(flows: frozenset[FlowId]) -> Q:
    """Return the condition by target, so that it stays short with many flows."""
    sources: dict[str, list[str]] = {}
    for flow in flows:
        sources.setdefault(flow.target, []).append(flow.source)
    condition = Q(pk__in=[])
    for target, of_target in sources.items():
        condition |= Q(target=target, source__in=of_target)
    return condition


def events_all(wanted: EventFilter, *, most: int) -> Iterator[EventDto]:
    """Yield the newest events, at most `most`."""
    for event in event_rows(wanted).order_by("-time_ms", "-id")[:most].iterator(chunk_size=_CHUNK):
        yield event_dto(event)


def event_dto(event: Event) -> EventDto:
    return EventDto(
        id=event.pk,
        time_ms=event.time_ms,
        source=event.source,
        target=event.target,
        task=event.task,
        driver=event.driver,
        scope=event.scope,
        topic=event.topic,
        partition=event.partition,
        from_state=event.from_state,
        to_state=event.to_state,
        cause=event.cause,
        text=event.text,
    )
