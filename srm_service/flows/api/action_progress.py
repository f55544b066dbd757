"""The progress of an ordered change: to the desired document, and from there to each task."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, cast

from rest_framework import serializers

from replication.domain.identifiers import FlowId
from srm_service.core.api.derived_fields import AnyField, DataclassSerializer
from srm_service.core.choices import choices_of
from srm_service.flows.actions import RESET
from srm_service.flows.contracts import ActionDto, TaskOnDriver
from srm_service.flows.control.outcomes import concerned_tasks, is_applied
from srm_service.flows.models import FlowAction, OrderOutcome
from srm_service.monitoring.flows.live_state import LiveSnapshot, LiveTask

ActionState = Literal["ordered", "published", "applied", "refused", "overtaken", "expired"]
ACTION_STATE_CHOICES = choices_of(ActionState)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskProgress:
    """The revision that a task of the flow has applied."""

    task: str
    driver: str
    applied_revision: Annotated[int | None, "null: none yet"]


class TaskProgressSerializer(DataclassSerializer):
    """The revision that a task of the flow has applied."""

    shape = TaskProgress


class ActionProgressSerializer(serializers.Serializer[Any]):
    """The progress of an ordered change."""

    id = serializers.IntegerField(allow_null=True, help_text="null: nothing was ordered, because nothing changes")
    revision = serializers.IntegerField(
        allow_null=True, help_text="first revision of the desired document that contains it; null: not published yet"
    )
    state = serializers.ChoiceField(
        choices=ACTION_STATE_CHOICES,
        help_text="ordered: stored; published: drivers can read it; applied: every task that reports has applied it, "
        "and a restart or reset is carried out; refused: a driver cannot use the flow's definition; overtaken: by a "
        "later order; expired: before it was applied",
    )
    tasks = TaskProgressSerializer(many=True)


class TaskOnDriverSerializer(DataclassSerializer):
    """A task that applied an order, and its driver at that time."""

    shape = TaskOnDriver


class ActionSerializer(DataclassSerializer, ActionProgressSerializer):
    """An order to a flow, and how far it has come."""

    shape = ActionDto
    known: ClassVar[Mapping[Any, type[AnyField]]] = {TaskOnDriver: TaskOnDriverSerializer}


def progress(action: FlowAction | None, flow: FlowId, live: LiveSnapshot, *, published: int | None) -> dict[str, Any]:
    """Return the fields of `ActionProgressSerializer`; without an order, those of the published revision."""
    tasks = live.tasks.get(flow, ()) if action is None else concerned_tasks(action, flow, live)
    revision = published if action is None else action.revision
    return {
        "id": None if action is None else action.pk,
        "revision": revision,
        "state": _applied(revision, tasks) if action is None else _state(action, flow, live),
        "tasks": [
            {"task": task.task, "driver": task.driver, "applied_revision": _whole(task.number("applied_revision"))}
            for task in tasks
        ],
    }


def _state(action: FlowAction, flow: FlowId, live: LiveSnapshot) -> ActionState:
    if action.outcome != OrderOutcome.WAITING:
        return cast("ActionState", action.outcome)
    if action.revision is None:
        return "ordered"
    return "applied" if action.event != RESET and is_applied(action, flow, live) else "published"


def _applied(revision: int | None, tasks: Collection[LiveTask]) -> ActionState:
    if revision is None:
        return "ordered"
    applied = [(task.number("applied_revision") or 0) >= revision for task in tasks]
    return "applied" if applied and all(applied) else "published"


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
