"""The revisions of the desired state that tasks of a flow have applied, and the parts that drivers rejected."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from replication.domain.identifiers import FlowId
from srm_service.monitoring.flows.live_state import LiveSnapshot, LiveTask

_KINDS = ("plan", "source", "heartbeat")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRevision:
    """A task with the revision that it has applied."""

    task: str
    kind: str
    driver: str
    applied: Annotated[int | None, "null: the task has not applied any, or does not report it"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedPart:
    """A part of the target's desired document that a driver cannot use."""

    path: Annotated[str, "such as `flows[2].tasks_max`"]
    error: str
    source: Annotated[str, "of the flow whose former definition stays in force; empty: of no flow"] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowRevisions:
    """The desired revision of the flow's target, and how far drivers are."""

    desired: Annotated[int | None, "of the target's document that was published last; null: none was"] = None
    is_applied: Annotated[bool | None, "every task that reports has applied it; null: no task reports"] = None
    tasks: tuple[TaskRevision, ...] = ()
    rejected: tuple[RejectedPart, ...] = ()


def flow_revisions(flow: FlowId, live: LiveSnapshot, desired: Mapping[str, int]) -> FlowRevisions:
    """Return the revisions of a flow; `desired` holds the published revision by target."""
    reports = [task for kind in _KINDS for task in live.of(flow, kind)]
    tasks = tuple(
        TaskRevision(task=task.task, kind=task.kind, driver=task.driver, applied=_applied(task)) for task in reports
    )
    wanted = desired.get(flow.target)
    applied = all(task.applied is not None and task.applied >= (wanted or 0) for task in tasks)
    return FlowRevisions(
        desired=wanted,
        is_applied=applied if tasks and wanted is not None else None,
        tasks=tasks,
        rejected=tuple(dict.fromkeys(part for task in reports for part in rejected_parts(task))),
    )


def _applied(task: LiveTask) -> int | None:
    revision = task.number("applied_revision")
    return None if revision is None else int(revision)


def rejected_parts(task: LiveTask) -> list[RejectedPart]:
    """Return the parts of the target's document that the driver of a task cannot use."""
    rows = task.fields.get("rejected") or ()
    return [RejectedPart(**{name: str(row.get(name, "")) for name in ("path", "error", "source")}) for row in rows]
