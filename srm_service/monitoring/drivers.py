"""The driver processes that report to Redis, one row per process."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from replication.domain.health.flow_facts import TaskFact
from replication.domain.health.herder_status import HERDER_MEANING, herder_status_of_tasks
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.flows.task_facts import task_fact
from srm_service.monitoring.tasks import role_of_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverNow:
    """One process of a driver. Its key vanishes from Redis 10 s after its last report."""

    id: str
    parent: Annotated[str, "id of the driver that the process belongs to"]
    role: str
    host: str | None
    pid: int | None
    version: str | None
    boot: str | None
    targets: tuple[str, ...]
    labels: Mapping[str, str]
    capacity: int | None
    drain: bool
    leaving: Annotated[bool, "the process stops, or has stopped and its tasks wait for it"]
    returning_until_ms: Annotated[int | None, "until then its tasks wait for its return; null: they do not wait"]
    started_ms: int | None
    sent_ms: int | None
    cpu_ratio: Annotated[float | None, "CPU seconds per second"]
    rss_bytes: int | None
    loop_lag_ms: Annotated[int | None, "most by which the network loop ran late in ten seconds; null: no loop"]
    herder_status: Annotated[int, f"of the worst of its tasks: {HERDER_MEANING}"]
    tasks: int
    load_percent: Annotated[float | None, "of a core, measured for its source tasks; null: not reported"]

    @property
    def key(self) -> str:
        return f"{self.id}:{self.role}"


def drivers_now(live: LiveSnapshot) -> tuple[DriverNow, ...]:
    """All processes by id and role; `tasks` counts the fresh reports under this id and kind of work."""
    tasks: dict[tuple[str, str], list[TaskFact]] = defaultdict(list)
    for task in (each for found in live.tasks.values() for each in found):
        tasks[(task.driver, role_of_kind(task.kind))].append(task_fact(task))
    rows = [_driver(document, tasks) for document in live.drivers]
    return tuple(sorted(rows, key=lambda row: row.key))


def processes_of(driver: str, live: LiveSnapshot) -> tuple[DriverNow, ...]:
    """Return the processes of a driver, or the one with this id."""
    rows = (row for row in drivers_now(live) if driver in (row.id, row.parent))
    return tuple(sorted(rows, key=lambda row: (row.id, row.role)))


def _driver(document: Mapping[str, Any], tasks: Mapping[tuple[str, str], list[TaskFact]]) -> DriverNow:
    identity, role = str(document.get("id")), str(document.get("role"))
    facts = tasks.get((identity, role), [])
    targets, labels = document.get("targets"), document.get("labels")
    return DriverNow(
        id=identity,
        parent=str(document.get("parent") or identity),
        role=role,
        host=_text(document.get("host")),
        pid=_whole(document.get("pid")),
        version=_text(document.get("version")),
        boot=_text(document.get("boot")),
        targets=tuple(map(str, targets)) if isinstance(targets, list) else (),
        labels={str(key): str(value) for key, value in labels.items()} if isinstance(labels, Mapping) else {},
        capacity=_whole(document.get("capacity")),
        drain=bool(document.get("drain")),
        leaving=bool(document.get("leaving")),
        returning_until_ms=_whole(document.get("returning_until_ms")),
        started_ms=_whole(document.get("started_ms")),
        sent_ms=_whole(document.get("sent_ms")),
        cpu_ratio=_real(document.get("cpu_ratio")),
        rss_bytes=_whole(document.get("rss_bytes")),
        loop_lag_ms=_whole(document.get("loop_lag_ms")),
        herder_status=herder_status_of_tasks(facts).value,
        tasks=len(facts),
        load_percent=_load(document.get("loads")),
    )


def _load(loads: object) -> float | None:
    """Return the sum of the loads of all targets."""
    if not isinstance(loads, Mapping):
        return None
    tasks = [load for target in loads.values() if isinstance(target, Mapping) for load in target.values()]
    return float(sum(load for load in tasks if isinstance(load, int | float)))


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) else None


def _real(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
