"""One reading of the system for the live topics that someone listens to, and the events that drivers reported."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import structlog
from django.db import DatabaseError

from srm_service.live.tables import (
    Row,
    Rows,
    driver_row,
    flow_row,
    named_topic_row,
    stored_event_row,
    topic_row,
)
from srm_service.live.topic_names import LiveTopic
from srm_service.monitoring.contracts import FlowNow, Overview, TopicNow
from srm_service.monitoring.drivers import drivers_now
from srm_service.monitoring.events import EventFilter, event_dto, event_rows
from srm_service.monitoring.flows.live_state import live_snapshot
from srm_service.monitoring.flows.topics import live_topics, topics_now
from srm_service.monitoring.peers.live_topics import remote_live_topics
from srm_service.monitoring.peers.merged import merged_overview

EVENTS_KEPT = 100
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvents:
    """Events of the metrics store, the oldest first, and the number of the newest one that was read."""

    rows: tuple[Row, ...] = ()
    last_id: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveReading:
    """The rows of one reading, by the name of the topic."""

    time_ms: int
    flows: tuple[FlowNow, ...]
    tables: Mapping[str, Rows]
    events: StoredEvents | None = None  # those after the last reading; None: no one listens, or no answer


class UnknownFlowError(Exception):
    """The service has no such flow."""


def check_flow(topic: LiveTopic) -> None:
    """Raise UnknownFlowError if a topic is about a flow that does not exist."""
    flow = topic.flow
    if flow is not None and merged_overview().find(flow.source, flow.target) is None:
        raise UnknownFlowError(f"there is no flow {flow}; GET /api/v2/replications lists them")


def read(topics: Mapping[str, LiveTopic], events_after: int | None) -> LiveReading:
    """Read all topics; `events_after` is the number of the last event that was read, None if none are wanted."""
    now = merged_overview()
    remote = remote_live_topics([flow for topic in topics.values() if (flow := _remote(topic, now)) is not None])
    tables = {name: _table(topic, now, remote) for name, topic in topics.items() if topic.kind != "events"}
    events = None if events_after is None else _events_after(events_after)
    return LiveReading(time_ms=now.as_of_ms, flows=now.flows, tables=tables, events=events)


def newest_events() -> StoredEvents:
    """Return the newest events; none if the metrics store does not answer."""
    try:
        found = list(event_rows(EventFilter()).order_by("-time_ms", "-id")[:EVENTS_KEPT])
        newest = event_rows(EventFilter()).order_by("-id").values_list("id", flat=True).first()
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        return StoredEvents()
    rows = tuple(stored_event_row(event_dto(event)) for event in reversed(found))
    return StoredEvents(rows=rows, last_id=newest or 0)


def _events_after(last_id: int) -> StoredEvents | None:
    try:
        found = list(event_rows(EventFilter()).filter(id__gt=last_id).order_by("id")[:EVENTS_KEPT])
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        return None
    rows = tuple(stored_event_row(event_dto(event)) for event in found)
    return StoredEvents(rows=rows, last_id=found[-1].pk if found else last_id)


def _remote(topic: LiveTopic, now: Overview) -> FlowNow | None:
    """The flow of a topic, if another service reports it and answers."""
    flow = None if topic.flow is None else now.find(topic.flow.source, topic.flow.target)
    return flow if flow is not None and flow.service is not None and flow.service not in now.silent else None


def _table(topic: LiveTopic, now: Overview, remote: Mapping[str, tuple[TopicNow, ...]]) -> Rows:
    at_ms = now.as_of_ms
    if topic.kind == "flows":
        return {flow.key: flow_row(flow, at_ms) for flow in now.flows}
    live = live_snapshot()
    if topic.kind == "drivers":
        return {driver.key: driver_row(driver) for driver in drivers_now(live)}
    if topic.flow is None or now.find(topic.flow.source, topic.flow.target) is None:
        return {}
    reported = remote.get(str(topic.flow))
    if topic.kind == "flow":
        busiest = live_topics(topic.flow, live) if reported is None else reported
        return _keyed(topic_row(row, at_ms) for row in busiest)
    if reported is not None:
        return _keyed(named_topic_row(row) for row in reported if row.topic in topic.keys)
    known = topics_now(topic.flow, topic.keys, live, at_ms)
    return _keyed(named_topic_row(row) for row in known)


def _keyed(rows: Iterable[Row]) -> Rows:
    return {str(row[0]): row for row in rows}
