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

from srm_service.core.clock import now_ms
from srm_service.live.frames import TopicFrames
from srm_service.live.reading import EVENTS_KEPT, LiveReading, StoredEvents, check_flow, newest_events, read
from srm_service.live.tables import EVENT_COLUMNS, Row, event_row
from srm_service.live.topic_names import LiveTopic, parsed_topic
from srm_service.monitoring.contracts import FlowNow

PERIOD_S = 1.0
_FRAMES_WAITING = 10
_EVENTS = "events"
_EVENT_TIME = EVENT_COLUMNS.index("time_ms")
_log = structlog.get_logger(__name__)


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


class Publisher:
    """Everything runs on the event loop of the web process, but for the reading itself."""

    def __init__(self) -> None:
        self._epoch = uuid.uuid4().hex[:12]
        self._frames: dict[str, TopicFrames] = {}
        self._readers: dict[str, set[Reader]] = {}
        self._parsed: dict[str, LiveTopic] = {}
        self._last_event = 0
        self._statuses: dict[str, FlowNow] = {}
        self._task: asyncio.Task[None] | None = None

    async def subscribe(self, topic: str, reader: Reader) -> None:
        """Send the reader a snapshot and, from then on, every frame. Raises UnknownTopicError, UnknownFlowError."""
        parsed = parsed_topic(topic)
        if parsed.flow is not None:
            await database_sync_to_async(check_flow, thread_sensitive=False)(parsed)
        if not self._readers.get(topic):
            self._parsed[topic] = parsed
            await self._begin(topic, parsed)
        self._readers.setdefault(topic, set()).add(reader)
        reader.put(self._frames[topic].snapshot(now_ms()))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="live publisher")

    async def _begin(self, topic: str, parsed: LiveTopic) -> None:
        """Read the rows of a topic without readers."""
        if parsed.kind == "events":
            stored = await database_sync_to_async(newest_events, thread_sensitive=False)()
            if not self._readers.get(topic):
                self._begin_events(stored)
            return
        reading = await _read_in_thread({topic: parsed}, None)
        frames = self._frames.setdefault(topic, TopicFrames(topic, parsed.columns, self._epoch))
        if not self._readers.get(topic):
            frames.replace(reading.tables[topic])

    def _begin_events(self, stored: StoredEvents) -> None:
        """Join the stored events with the changes of status that this process saw before."""
        frames = self._events()
        known = {str(row[0]): row for row in (*stored.rows, *frames.rows)}
        in_time = sorted(known.items(), key=lambda item: item[1][_EVENT_TIME])
        frames.replace(dict(in_time[-EVENTS_KEPT:]))
        self._last_event = stored.last_id

    def _events(self) -> TopicFrames:
        return self._frames.setdefault(_EVENTS, TopicFrames(_EVENTS, EVENT_COLUMNS, self._epoch))

    @property
    def topics(self) -> frozenset[str]:
        """The topics that the publisher keeps readers or frames of."""
        return frozenset({*self._readers, *self._frames} - {_EVENTS})

    def unsubscribe(self, topic: str, reader: Reader) -> None:
        """Send the reader no more frames; a topic without readers is forgotten, but for the events of late."""
        readers = self._readers.get(topic)
        if readers is None:
            return
        readers.discard(reader)
        if not readers:
            del self._readers[topic]
            self._parsed.pop(topic, None)
            if topic != _EVENTS:
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
                wanted = {topic: self._parsed.get(topic) or parsed_topic(topic) for topic in topics}
                events_after = self._last_event if _EVENTS in topics else None
                self._publish(await _read_in_thread(wanted, events_after), topics)
            except Exception:
                _log.exception("live publishing failed, the next second tries again")
            await asyncio.sleep(max(0.05, PERIOD_S - (loop.time() - started_s)))

    def _publish(self, reading: LiveReading, topics: set[str]) -> None:
        for topic in (topics - {_EVENTS}) & self._frames.keys():  # others have lost their last reader meanwhile
            frame = self._frames[topic].delta(reading.tables.get(topic, {}), reading.time_ms)
            self._send(topic, frame)
        stored = () if reading.events is None else reading.events.rows
        if reading.events is not None:
            self._last_event = max(self._last_event, reading.events.last_id)
        for row in (*self._changes(reading), *stored):
            self._send(_EVENTS, self._events().event(row, reading.time_ms, EVENTS_KEPT))

    def _send(self, topic: str, frame: str) -> None:
        for reader in self._readers.get(topic, ()):
            reader.put(frame)

    def _changes(self, reading: LiveReading) -> list[Row]:
        rows = [
            event_row(before, flow, reading.time_ms)
            for flow in reading.flows
            if (before := self._statuses.get(flow.key)) is not None and before.status.status != flow.status.status
        ]
        self._statuses = {flow.key: flow for flow in reading.flows}
        return rows


async def _read_in_thread(topics: Mapping[str, LiveTopic], events_after: int | None) -> LiveReading:
    reading: LiveReading = await database_sync_to_async(read, thread_sensitive=False)(topics, events_after)
    return reading


publisher = Publisher()
