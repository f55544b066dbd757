"""The driver processes that report to Redis, one row per process."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from srm_service.monitoring.flows.live_state import LiveSnapshot


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
    started_ms: int | None
    sent_ms: int | None
    cpu_ratio: Annotated[float | None, "CPU seconds per second"]
    rss_bytes: int | None
    tasks: int

    @property
    def key(self) -> str:
        return f"{self.id}:{self.role}"


def drivers_now(live: LiveSnapshot) -> tuple[DriverNow, ...]:
    """All processes by id and role; `tasks` counts the fresh reports under this id and kind of work."""
    tasks = Counter((task.driver, _role_of(task.kind)) for found in live.tasks.values() for task in found)
    rows = [_driver(document, tasks) for document in live.drivers]
    return tuple(sorted(rows, key=lambda row: row.key))


def _role_of(kind: str) -> str:
    return "data" if kind == "source" else "control"


def _driver(document: Mapping[str, Any], tasks: Counter[tuple[str, str]]) -> DriverNow:
    identity, role = str(document.get("id")), str(document.get("role"))
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
        started_ms=_whole(document.get("started_ms")),
        sent_ms=_whole(document.get("sent_ms")),
        cpu_ratio=_real(document.get("cpu_ratio")),
        rss_bytes=_whole(document.get("rss_bytes")),
        tasks=tasks[(identity, role)],
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) else None


def _real(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
