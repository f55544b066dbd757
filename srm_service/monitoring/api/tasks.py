"""Read operations on tasks, and on one driver with its tasks."""

from collections.abc import Mapping
from dataclasses import asdict
from operator import attrgetter
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.health.flow_facts import StatusCause
from replication.domain.health.herder_status import HERDER_MEANING, HerderStatus
from replication.domain.identifiers import FlowId
from srm_service.core.api.derived_fields import AnyField, DataclassSerializer, fields_of
from srm_service.core.api.description_fields import DescriptionQuery, description_filter
from srm_service.core.api.lists import ListSerializer, PartialSerializer, list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import PageQuery, SortKey, page_of, sorted_text
from srm_service.core.api.requests import Values
from srm_service.flows.selectors import flows_described
from srm_service.monitoring.api.answers import driver_answer
from srm_service.monitoring.api.choices import TASK_KIND_CHOICES, TASK_STATE_CHOICES
from srm_service.monitoring.api.serializers import CauseSerializer, DriverSerializer
from srm_service.monitoring.drivers import processes_of
from srm_service.monitoring.flows.live_state import live_snapshot
from srm_service.monitoring.tasks import TaskMove, TaskNow, tasks_now


class TaskListQuery(PageQuery, DescriptionQuery):
    """Filters and orders of the list of tasks; labels, owner and criticality are those of flows."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        **{
            name: attrgetter(name)
            for name in ("task", "source", "target", "driver", "state", "since_ms", "partitions", "bytes_per_second")
        },
        "lag_offsets": attrgetter("lag_offsets"),
        "last_error": lambda task: None if task.last_error is None else sorted_text(task.last_error.text),
    }

    source = serializers.CharField(required=False, default="", help_text="source cluster alias")  # type: ignore[assignment]
    target = serializers.CharField(required=False, default="", help_text="target cluster alias")
    driver = serializers.CharField(required=False, default="", help_text="id of a driver process")
    kind = serializers.ChoiceField(required=False, choices=TASK_KIND_CHOICES, help_text="only tasks of this kind")
    state = serializers.ChoiceField(required=False, choices=TASK_STATE_CHOICES, help_text="only tasks in this state")


class TaskMoveSerializer(DataclassSerializer):
    """The last move of a task, and why."""

    shape = TaskMove


class TaskSerializer(serializers.Serializer[Any]):
    """A task: where it runs, since when, and why it runs there."""

    def get_fields(self) -> dict[str, AnyField]:
        return fields_of(TaskNow, {TaskMove: TaskMoveSerializer, StatusCause: CauseSerializer})


class TaskListSerializer(ListSerializer):
    """The tasks that match, by target and task."""

    items = TaskSerializer(many=True)


class DriverDetailSerializer(serializers.Serializer[Any]):
    """A driver: its processes and their tasks."""

    id = serializers.CharField()
    herder_status = serializers.IntegerField(help_text=f"of the worst of its tasks: {HERDER_MEANING}")
    processes = DriverSerializer(many=True)
    tasks = TaskSerializer(many=True)
    as_of_ms = serializers.IntegerField()
    partial = PartialSerializer(many=True)  # type: ignore[assignment]  # a field that hides one of the base class


class TaskListView(APIView):
    @operation(
        "tasks_list",
        "Tasks that drivers report: where, since when and why there",
        query=TaskListQuery,
        responses=TaskListSerializer,
        tags=["drivers"],
    )
    def get(self, request: Request, *, query: Values) -> Response:
        live = live_snapshot()
        described = flows_described(description_filter(query))
        matching = [task for task in tasks_now(live) if _matches(task, query, described)]
        page = page_of(matching, query, key=lambda row: row.key, orderings=TaskListQuery.orderings)
        return list_response(page, asdict, as_of_ms=live.read_ms, partial=live.partial)


class DriverDetailView(APIView):
    @operation(
        "drivers_detail", "One driver with its processes and tasks", responses=DriverDetailSerializer, tags=["drivers"]
    )
    def get(self, request: Request, driver_id: str) -> Response:
        live = live_snapshot()
        processes = processes_of(driver_id, live)
        if not processes and not live.problem:
            raise NotFound(f"no driver {driver_id} reports; GET /api/v2/drivers lists all")
        ids = {(process.id, process.role) for process in processes}
        tasks = [task for task in tasks_now(live) if (task.driver, task.role) in ids]
        worst = max((process.herder_status for process in processes), default=HerderStatus.UNKNOWN.value)
        return Response(
            {
                "id": driver_id,
                "herder_status": worst,
                "processes": [driver_answer(process) for process in processes],
                "tasks": [asdict(task) for task in tasks],
                "as_of_ms": live.read_ms,
                "partial": [asdict(part) for part in live.partial],
            }
        )


def _matches(task: TaskNow, query: Values, described: frozenset[FlowId] | None) -> bool:
    return (
        query["source"] in ("", task.source)
        and query["target"] in ("", task.target)
        and query["driver"] in ("", task.driver)
        and query.get("kind") in (None, task.kind)
        and query.get("state") in (None, task.state)
        and (described is None or FlowId(task.source, task.target) in described)
    )
