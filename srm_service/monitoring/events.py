"""Queries of the events that drivers report: changes of state of slots and partitions, and rejected records."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from django.db.models import QuerySet

from srm_service.monitoring.models import Event
from srm_service.monitoring.reported_rows import COMMON, ReportedFilter, reported_rows

_CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter(ReportedFilter):
    """The wanted events; an empty field does not filter."""

    scope: str = ""
    state: str = ""
    driver: str = ""


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
    events = Event.objects.filter(to_state=wanted.state) if wanted.state else Event.objects.all()
    return reported_rows(events, wanted, (*COMMON, "scope", "driver"), time="time_ms")


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
