"""One publisher per web process: looks once a second, encodes each topic's frame once, hands it to every reader.

It runs only while a client listens. A reader that is too slow loses its oldest frames; it sees the hole in `seq` and
subscribes again, so no other reader waits for it.
"""

import asyncio
import uuid
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import structlog
from channels.db import database_sync_to_async

from replication.domain.identifiers import FlowId
from srm_service.core.clock import now_ms
from srm_service.live.frames import TopicFrames
from srm_service.live.tables import (
    DRIVER_COLUMNS,
    EVENT_COLUMNS,
    FLOW_COLUMNS,
    TOPIC_COLUMNS,
    Row,
    Rows,
    driver_row,
    event_row,
    flow_row,
    topic_row,
)
from srm_service.monitoring.contracts import FlowNow, Overview, TopicNow
from srm_service.monitoring.drivers import drivers_now
from srm_service.monitoring.flows.live_state import live_snapshot
from srm_service.monitoring.flows.topics import live_topics
from srm_service.monitoring.peers.live_topics import remote_live_topics
from srm_service.monitoring.peers.merged import merged_overview

PERIOD_S = 1.0
_FRAMES_WAITING = 10
_EVENTS_KEPT = 100
_FLOW_PREFIX = "flow/"
_log = structlog.get_logger(__name__)


class UnknownTopicError(Exception):
    """There is no such live topic."""


@dataclass(eq=False, slots=True)
class Reader:
    """One socket's waiting frames."""

    frames: deque[str] = field(default_factory=lambda: deque(maxlen=_FRAMES_WAITING))
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, frame: str) -> None:
        self.frames.append(frame)  # a full deque drops its oldest frame
        self.ready.set()

    async def next(self) -> str:
        """The next frame, in order; waits for it."""
        while not self.frames:
            self.ready.clear()
            await self.ready.wait()
        return self.frames.popleft()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """The rows of one reading of the system, by topic."""

    time_ms: int
    flows: tuple[FlowNow, ...]
    tables: dict[str, Rows]


class Publisher:
    """Everything runs on the event loop of the web process, but for the reading itself."""

    def __init__(self) -> None:
        self._epoch = uuid.uuid4().hex[:12]
        self._frames: dict[str, TopicFrames] = {}
        self._readers: dict[str, set[Reader]] = {}
        self._statuses: dict[str, FlowNow] = {}
        self._task: asyncio.Task[None] | None = None

    async def subscribe(self, topic: str, reader: Reader) -> None:
        """Send the reader a snapshot and, from then on, every frame. Raises UnknownTopicError."""
        columns = columns_of(topic)
        if not self._readers.get(topic):
            reading = await _read_in_thread({topic})
            frames = self._frames.setdefault(topic, TopicFrames(topic, columns, self._epoch))
            if topic != "events" and not self._readers.get(topic):
                frames.replace(reading.tables[topic])
        self._readers.setdefault(topic, set()).add(reader)
        reader.put(self._frames[topic].snapshot(now_ms()))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="live publisher")

    @property
    def topics(self) -> frozenset[str]:
        """The topics that the publisher keeps readers or frames of."""
        return frozenset({*self._readers, *self._frames} - {"events"})

    def unsubscribe(self, topic: str, reader: Reader) -> None:
        """Send the reader no more frames; a topic without readers is forgotten, but for the events of late."""
        readers = self._readers.get(topic)
        if readers is None:
            return
        readers.discard(reader)
        if not readers:
            del self._readers[topic]
            if topic != "events":
                self._frames.pop(topic, None)

    def leave(self, reader: Reader) -> None:
        """The socket is gone."""
        for topic in list(self._readers):
            self.unsubscribe(topic, reader)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        self._statuses = {}  # a change without a listener is not an event
        while topics := {topic for topic, readers in self._readers.items() if readers}:
            started_s = loop.time()
            try:
                self._publish(await _read_in_thread(topics | {"flows"}), topics)
            except Exception:
                _log.exception("live publishing failed, the next second tries again")
            await asyncio.sleep(max(0.05, PERIOD_S - (loop.time() - started_s)))

    def _publish(self, reading: _Reading, topics: set[str]) -> None:
        for topic in (topics - {"events"}) & self._frames.keys():  # others have lost their last reader meanwhile
            frame = self._frames[topic].delta(reading.tables.get(topic, {}), reading.time_ms)
            self._send(topic, frame)
        for row in self._changes(reading):
            events = self._frames.setdefault("events", TopicFrames("events", EVENT_COLUMNS, self._epoch))
            self._send("events", events.event(row, reading.time_ms, _EVENTS_KEPT))

    def _send(self, topic: str, frame: str) -> None:
        for reader in self._readers.get(topic, ()):
            reader.put(frame)

    def _changes(self, reading: _Reading) -> list[Row]:
        rows = [
            event_row(before, flow, reading.time_ms)
            for flow in reading.flows
            if (before := self._statuses.get(flow.key)) is not None and before.status.status != flow.status.status
        ]
        self._statuses = {flow.key: flow for flow in reading.flows}
        return rows


def columns_of(topic: str) -> list[str]:
    """The columns of a topic. UnknownTopicError names what there is."""
    known = {"flows": FLOW_COLUMNS, "drivers": DRIVER_COLUMNS, "events": EVENT_COLUMNS}
    if topic in known:
        return known[topic]
    if flow_of(topic) is not None:
        return TOPIC_COLUMNS
    raise UnknownTopicError("no such topic: use flows, flow/<source>/<target>, drivers or events")


def flow_of(topic: str) -> FlowId | None:
    """The flow of a `flow/<source>/<target>` topic."""
    source, _, target = topic.removeprefix(_FLOW_PREFIX).partition("/")
    is_flow = topic.startswith(_FLOW_PREFIX) and source and target and "/" not in target and len(topic) < 300
    return FlowId(source, target) if is_flow else None


async def _read_in_thread(topics: set[str]) -> _Reading:
    reading: _Reading = await database_sync_to_async(_read, thread_sensitive=False)(topics)
    return reading


def _read(topics: set[str]) -> _Reading:
    now = merged_overview()
    remote = remote_live_topics([flow for topic in topics if (flow := _remote(topic, now)) is not None])
    tables = {topic: _table(topic, now, remote) for topic in topics - {"events"}}
    return _Reading(time_ms=now.as_of_ms, flows=now.flows, tables=tables)


def _remote(topic: str, now: Overview) -> FlowNow | None:
    """The flow of a topic, if another service reports it and answers."""
    named = flow_of(topic)
    flow = None if named is None else now.find(named.source, named.target)
    return flow if flow is not None and flow.service is not None and flow.service not in now.silent else None


def _table(topic: str, now: Overview, remote: Mapping[str, tuple[TopicNow, ...]]) -> Rows:
    if topic == "flows":
        return {flow.key: flow_row(flow, now.as_of_ms) for flow in now.flows}
    live = live_snapshot()
    if topic == "drivers":
        return {driver.key: driver_row(driver) for driver in drivers_now(live)}
    flow = flow_of(topic)
    if flow is None:
        return {}
    topics = remote[str(flow)] if str(flow) in remote else live_topics(flow, live)
    return {row.topic: topic_row(row, now.as_of_ms) for row in topics}


publisher = Publisher()
