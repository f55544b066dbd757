"""The reports of drivers, read each second from Redis (docs/contracts/redis-keys.md, live-state.md).

One read serves everybody in this process for half a second. Redis being away is an answer, not an error: the snapshot
then says so and is empty. A document that cannot be understood is skipped and counted.
"""

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import redis
import structlog

from replication.domain.health.flow_facts import Thresholds
from replication.domain.identifiers import FlowId
from replication.domain.reporting.histogram import Histogram
from srm_service.core.clock import now_ms
from srm_service.core.contracts import Partial
from srm_service.monitoring.flows.live_shapes import DRIVER, LIVE_TASK, PLAN, MalformedDocumentError, parsed_document
from srm_service.wiring import REDIS_PREFIX, redis_client

REDIS_PEER = "redis"
FRESH_MS = 10_000
FROZEN_MS = Thresholds().frozen_ms
_KEEP_S = 0.5
_SHAPES = {"live": LIVE_TASK, "driver": DRIVER, "plan": PLAN}  # by the kind of key
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTask:
    """One task's report; `fields` are those of its kind, as sent."""

    flow: FlowId
    task: str
    kind: str
    driver: str
    state: str
    since_ms: int
    sent_ms: int
    fields: Mapping[str, Any] = field(repr=False)

    @property
    def frozen_ms(self) -> int:
        """The age that the report's numbers had when it was sent."""
        measured_ms = self.number("measured_ms")
        return 0 if measured_ms is None else max(0, self.sent_ms - int(measured_ms))

    @property
    def is_frozen(self) -> bool:
        """True when the process reports and the loop that copies does not run; its numbers are old."""
        return self.frozen_ms > FROZEN_MS

    def number(self, name: str) -> float | None:
        """A numeric field, None when absent or unknown."""
        value = self.fields.get(name)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def histogram(self) -> Histogram:
        """The latency of the last seconds; empty when absent."""
        raw = self.fields.get("latency")
        return Histogram.from_list(raw) if isinstance(raw, list) else Histogram()


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSnapshot:
    """Everything Redis held at one moment. `problem` is empty when Redis answered."""

    read_ms: int
    problem: str = ""
    tasks: Mapping[FlowId, tuple[LiveTask, ...]] = field(default_factory=dict)
    drivers: tuple[Mapping[str, Any], ...] = ()
    plans: Mapping[FlowId, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def partial(self) -> tuple[Partial, ...]:
        """That Redis did not answer, as lists say it."""
        return (Partial(peer=REDIS_PEER, error=self.problem),) if self.problem else ()

    def of(self, flow: FlowId, kind: str) -> tuple[LiveTask, ...]:
        """Fresh reports of a flow's tasks of one kind."""
        return tuple(task for task in self.tasks.get(flow, ()) if task.kind == kind)


class _Reader:
    """Keeps the last snapshot for a moment, so that many requests in one second cost one read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._snapshot: LiveSnapshot | None = None
        self._read_at_s = 0.0
        self.forgotten = 0  # how often

    def read(self) -> LiveSnapshot:
        with self._lock:
            if self._snapshot is None or time.monotonic() - self._read_at_s > _KEEP_S:
                self._snapshot = _read()
                self._read_at_s = time.monotonic()
            return self._snapshot

    def forget(self) -> None:
        with self._lock:
            self._snapshot = None
            self.forgotten += 1


_reader = _Reader()


def live_snapshot() -> LiveSnapshot:
    """The newest snapshot, at most half a second old. Never raises; blocks at most about two seconds."""
    return _reader.read()


def forget_snapshot() -> None:
    """Read again next time: after a change made here, and between tests."""
    _reader.forget()


def snapshots_forgotten() -> int:
    """Return a number that differs after each `forget_snapshot`, for those who keep what they made of snapshots."""
    return _reader.forgotten


def _read() -> LiveSnapshot:
    at_ms = now_ms()
    try:
        documents = _documents()
    except (redis.RedisError, OSError) as error:
        _log.debug("redis does not answer", error=str(error))
        return LiveSnapshot(read_ms=at_ms, problem="Redis does not answer")
    tasks: dict[FlowId, list[LiveTask]] = {}
    for task in _tasks(documents["live"], at_ms):
        tasks.setdefault(task.flow, []).append(task)
    return LiveSnapshot(
        read_ms=at_ms,
        tasks={flow: tuple(sorted(found, key=lambda task: task.task)) for flow, found in tasks.items()},
        drivers=tuple(document for document in documents["driver"] if "id" in document),
        plans={
            FlowId(str(document["source"]), str(document["target"])): document
            for document in documents["plan"]
            if "source" in document and "target" in document
        },
    )


def _documents() -> dict[str, list[dict[str, Any]]]:
    client = redis_client()
    keys = {kind: sorted(client.scan_iter(match=f"{REDIS_PREFIX}{kind}:*", count=1_000)) for kind in _SHAPES}
    names = [key for kind in _SHAPES for key in keys[kind]]
    values = dict(zip(names, client.mget(names), strict=True)) if names else {}
    return {kind: list(_parsed(kind, {key: values[key] for key in keys[kind]})) for kind in _SHAPES}


def _parsed(kind: str, values: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    for key, value in values.items():
        if value is None:
            continue  # expired between the scan and the read
        try:
            yield parsed_document(value, _SHAPES[kind])
        except MalformedDocumentError as error:
            _log.warning("a document in Redis is malformed", key=key, error=str(error))


def _tasks(documents: Iterable[dict[str, Any]], at_ms: int) -> Iterable[LiveTask]:
    for document in documents:
        try:
            task = LiveTask(
                flow=FlowId(str(document["source"]), str(document["target"])),
                task=str(document["task"]),
                kind=str(document["kind"]),
                driver=str(document["driver"]),
                state=str(document["state"]),
                since_ms=int(document["since_ms"]),
                sent_ms=int(document["sent_ms"]),
                fields=document,
            )
        except (KeyError, TypeError, ValueError) as error:
            _log.warning("a live document lacks a field", error=repr(error))
            continue
        if at_ms - task.sent_ms <= FRESH_MS:
            yield task
