"""The JSON a driver publishes about itself and its tasks (docs/contracts: redis-keys, live-state, raw-metrics)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from replication.domain.assignment.assignment import DriverRole, TaskKey
from replication.domain.assignment.lease import LeaseValue
from replication.domain.assignment.move import Move
from replication.domain.assignment.unplaced import NO_DRIVER
from replication.domain.errors import Cause
from replication.domain.identifiers import TaskId
from replication.worker.assignment.task_status import TaskStatus
from replication.worker.reporting.process_load import ProcessLoad
from replication.worker.state.desired_cache import AppliedDesired

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverProcess:
    """The identity of one start of a driver process."""

    driver: str
    role: DriverRole
    boot: str
    host: str
    pid: int
    version: str
    started_ms: int
    parent: str = ""
    capacity: int | None = None
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """The part of a membership that changes while the process runs.

    `leaving`: it stops now, and its tasks are free. `returning_until_ms`: it stops now, and its tasks wait for it.
    `loads` are the loads of source tasks by target (`replication.domain.assignment.load`).
    """

    targets: tuple[str, ...]
    tasks: int = 0
    drain: bool = False
    leaving: bool = False
    returning_until_ms: int | None = None
    loads: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def membership(process: DriverProcess, load: ProcessLoad, presence: Presence, *, now_ms: int) -> dict[str, Any]:
    return {
        "v": VERSION,
        "id": process.driver,
        "boot": process.boot,
        "host": process.host,
        "pid": process.pid,
        "version": process.version,
        "role": process.role,
        "parent": process.parent or process.driver,
        "targets": list(presence.targets),
        "labels": dict(process.labels),
        "capacity": process.capacity,
        "tasks": presence.tasks,
        "drain": presence.drain,
        "leaving": presence.leaving,
        "returning_until_ms": presence.returning_until_ms,
        "loads": presence.loads,
        "started_ms": process.started_ms,
        "sent_ms": now_ms,
        "cpu_ratio": load.cpu_ratio,
        "rss_bytes": load.rss_bytes,
        "loop_lag_ms": load.loop_lag_ms,
    }


def live_state(
    target: str,
    task: TaskId,
    lease: LeaseValue,
    status: TaskStatus,
    applied: AppliedDesired | None,
    *,
    now_ms: int,
    order_problem: Cause | None = None,
    move: Move | None = None,
) -> dict[str, Any]:
    """The cause is the worker's, or else that of the order, or else the one in the task's fields."""
    problem = status.cause or order_problem
    cause = status.fields.get("cause") if problem is None else problem.as_reported()
    return {
        **status.fields,
        "v": VERSION,
        "task": str(task),
        "kind": task.kind,
        "source": task.source,
        "target": target,
        "driver": lease.driver,
        "boot": lease.boot,
        "generation": lease.generation,
        "state": status.state,
        "cause": cause,
        "since_ms": status.since_ms,
        "moved": None if move is None else _move_to_json(move),
        "sent_ms": now_ms,
        "applied_revision": None if applied is None else applied.document.revision,
        "rejected": [] if applied is None else [asdict(refused) for refused in applied.rejected],
        "done_resets": status.fields.get("done_resets", []),
    }


@lru_cache(maxsize=10_000)
def _move_to_json(move: Move) -> dict[str, Any]:
    """Moves stay as they are for hours, and each round reports them."""
    return asdict(move)


def unassigned_state(key: TaskKey, applied: AppliedDesired, text: str, since_ms: int, now_ms: int) -> dict[str, Any]:
    """The live state of a task that no driver has; the leader publishes it."""
    target, task = key
    cause = Cause(code=NO_DRIVER, text=text, topic=None, partition=None, since_ms=since_ms)
    nothing = LeaseValue(driver="", boot="", generation=0)
    status = TaskStatus(state="unassigned", since_ms=since_ms, cause=cause)
    return live_state(target, task, nothing, status, applied, now_ms=now_ms)


def raw_metric(
    process: DriverProcess,
    kind: str,
    flow: tuple[str, str],
    task: str,
    fields: Mapping[str, Any],
    *,
    generation: int,
    seq: int,
    period: tuple[int, int],
) -> dict[str, Any]:
    """`flow` is (source, target), `period` (from_ms, to_ms)."""
    return {
        "v": VERSION,
        "kind": kind,
        "source": flow[0],
        "target": flow[1],
        "task": task,
        "driver": process.driver,
        "boot": process.boot,
        "generation": generation,
        "seq": seq,
        "from_ms": period[0],
        "to_ms": period[1],
        **fields,
    }
