"""The reports of drivers, read each second from Redis (docs/contracts/redis-keys.md, live-state.md).

One read serves everybody in this process for half a second. Redis being away is an answer, not an error: the snapshot
then says so and is empty. A document that cannot be understood is skipped and counted. Times are by our clock: those of
a process whose clock differs are corrected, and the difference is named.
"""

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import redis
import structlog

from replication.config.redis_access import memory_problem, problem_of
from replication.domain.health.flow_facts import Thresholds
from replication.domain.health.status_since import NotedStatus
from replication.domain.identifiers import FlowId
from replication.domain.reporting.histogram import Histogram
from srm_service.core.clock import clock_problem, now_ms
from srm_service.core.contracts import Partial
from srm_service.monitoring.driver_clocks import ahead_ms, with_our_times
from srm_service.monitoring.flows.live_shapes import (
    DRIVER,
    LIVE_TASK,
    PLAN,
    STATUS,
    MalformedDocumentError,
    parsed_document,
)
from srm_service.wiring import REDIS_PREFIX, redis_client

REDIS_PEER = "redis"
NOTED_STATUSES = f"{REDIS_PREFIX}service:statuses"
FRESH_MS = 10_000
FROZEN_MS = Thresholds().frozen_ms
_KEEP_S = 0.5
_KINDS = {"live": LIVE_TASK, "driver": DRIVER, "plan": PLAN}  # the shapes by the kind of key
_SHAPES = {**_KINDS, "status": STATUS}  # by kind of document
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
    """Everything Redis held at one moment. `problem` is empty when Redis answered and takes reports."""

    read_ms: int
    problem: str = ""
    clock_problems: tuple[Partial, ...] = ()  # by driver process
    tasks: Mapping[FlowId, tuple[LiveTask, ...]] = field(default_factory=dict)
    drivers: tuple[Mapping[str, Any], ...] = ()
    plans: Mapping[FlowId, Mapping[str, Any]] = field(default_factory=dict)
    noted_statuses: Mapping[str, NotedStatus] = field(default_factory=dict)  # by the flow's key

    @property
    def partial(self) -> tuple[Partial, ...]:
        """Return why reports may be missing or have wrong times, as lists say it."""
        missing = (Partial(peer=REDIS_PEER, error=self.problem),) if self.problem else ()
        return (*missing, *self.clock_problems)

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
        stored = _stored()
    except (redis.RedisError, OSError) as error:
        _log.debug("redis cannot be read", error=str(error))
        return LiveSnapshot(read_ms=at_ms, problem=problem_of(error))
    drivers = list(_parsed("driver", stored.documents["driver"]))
    clocks = {str(document.get("boot")): ahead_ms(document, stored.life_ms[key], at_ms) for key, document in drivers}
    tasks: dict[FlowId, list[LiveTask]] = {}
    for task in _tasks(_with_our_times(_parsed("live", stored.documents["live"]), clocks), at_ms):
        tasks.setdefault(task.flow, []).append(task)
    plans = [document for _, document in _parsed("plan", stored.documents["plan"])]
    return LiveSnapshot(
        read_ms=at_ms,
        problem=stored.problem,
        clock_problems=tuple(_clock_problems(drivers, clocks)),
        tasks={flow: tuple(sorted(found, key=lambda task: task.task)) for flow, found in tasks.items()},
        drivers=tuple(document for document in _with_our_times(drivers, clocks) if "id" in document),
        plans={
            FlowId(str(document["source"]), str(document["target"])): document
            for document in plans
            if "source" in document and "target" in document
        },
        noted_statuses={
            key: NotedStatus(**{name: document[name] for name in STATUS})
            for key, document in _parsed("status", stored.documents["status"])
            if STATUS.keys() <= document.keys()
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    """The documents by kind and key, the remaining life of memberships by key, and why Redis takes no reports."""

    documents: Mapping[str, Mapping[str, Any]]
    life_ms: Mapping[str, int]
    problem: str


def _stored() -> _Stored:
    client = redis_client()
    keys = {kind: sorted(client.scan_iter(match=f"{REDIS_PREFIX}{kind}:*", count=1_000)) for kind in _KINDS}
    names = [key for kind in _KINDS for key in keys[kind]]
    pipe = client.pipeline(transaction=False)
    pipe.info("memory")
    pipe.hgetall(NOTED_STATUSES)
    for key in keys["driver"]:
        pipe.pttl(key)
    if names:
        pipe.mget(names)
    memory, statuses, *rest = pipe.execute()
    values = dict(zip(names, rest.pop(), strict=True)) if names else {}
    return _Stored(
        documents={"status": statuses, **{kind: {key: values[key] for key in keys[kind]} for kind in _KINDS}},
        life_ms=dict(zip(keys["driver"], rest, strict=True)),
        problem=memory_problem(memory),
    )


def _clock_problems(drivers: Iterable[tuple[str, dict[str, Any]]], clocks: Mapping[str, int]) -> Iterable[Partial]:
    for key, document in drivers:
        if problem := clock_problem(clocks[str(document.get("boot"))]):
            yield Partial(peer=f"driver {key.removeprefix(f'{REDIS_PREFIX}driver:')}", error=problem)


def _with_our_times(
    documents: Iterable[tuple[str, dict[str, Any]]], clocks: Mapping[str, int]
) -> Iterable[dict[str, Any]]:
    for _, document in documents:
        difference_ms = clocks.get(str(document.get("boot")), 0)
        yield with_our_times(document, difference_ms) if clock_problem(difference_ms) else document


def _parsed(kind: str, values: Mapping[str, Any]) -> Iterable[tuple[str, dict[str, Any]]]:
    for key, value in values.items():
        if value is None:
            continue  # expired between the scan and the read
        try:
            yield key, parsed_document(value, _SHAPES[kind])
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
