"""The progress of an ordered change: to the desired document, and from there to each task."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from rest_framework import serializers

from replication.domain.identifiers import FlowId
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.choices import choices_of
from srm_service.flows.contracts import ActionDto
from srm_service.monitoring.flows.live_state import LiveSnapshot

ActionState = Literal["ordered", "published", "applied"]
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
        help_text="ordered: stored; published: drivers can read it; applied: every task that reports has applied it",
    )
    tasks = TaskProgressSerializer(many=True)


class ActionSerializer(DataclassSerializer, ActionProgressSerializer):
    """An ordered change of a flow, and how far it has come."""

    shape = ActionDto


def progress(action_id: int | None, revision: int | None, flow: FlowId, live: LiveSnapshot) -> dict[str, Any]:
    """Return the fields of `ActionProgressSerializer`."""
    tasks = [
        TaskProgress(task=task.task, driver=task.driver, applied_revision=_whole(task.number("applied_revision")))
        for task in live.tasks.get(flow, ())
    ]
    return {
        "id": action_id,
        "revision": revision,
        "state": _state(revision, tasks),
        "tasks": [asdict(task) for task in tasks],
    }


def _state(revision: int | None, tasks: list[TaskProgress]) -> ActionState:
    if revision is None:
        return "ordered"
    applied = [task.applied_revision is not None and task.applied_revision >= revision for task in tasks]
    return "applied" if applied and all(applied) else "published"


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
