"""Read operations on flows, their topics and series, drivers and the fleet: one class per operation."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DatabaseError
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import METRICS
from srm_service.clusters.selectors import cluster_count
from srm_service.core.api.pagination import page_of
from srm_service.core.api.problem import Unavailable
from srm_service.core.auth.roles import permissions_of, role_of
from srm_service.flows.selectors import desired_revisions
from srm_service.monitoring.api.answers import (
    driver_answer,
    flow_answer,
    list_answer,
    series_answer,
    summary_answer,
    topic_answer,
)
from srm_service.monitoring.api.queries import (
    ClusterSeriesQuery,
    FlowListQuery,
    SeriesQuery,
    SummaryQuery,
    TopicListQuery,
    WindowQuery,
)
from srm_service.monitoring.api.serializers import (
    DriverListSerializer,
    FlowListSerializer,
    FlowSerializer,
    SeriesSerializer,
    SummarySerializer,
    TopicListSerializer,
)
from srm_service.monitoring.contracts import FlowNow, Overview, Partial
from srm_service.monitoring.drivers import drivers_now
from srm_service.monitoring.flows.fleet import fleet_metrics, fleet_series_or_nulls
from srm_service.monitoring.flows.flow_ahead import flow_ahead, flows_ahead
from srm_service.monitoring.flows.live_state import live_snapshot
from srm_service.monitoring.flows.overview import REDIS_PEER, overview
from srm_service.monitoring.flows.revisions import flow_revisions
from srm_service.monitoring.flows.topics import is_planned, topic_names, topics_now
from srm_service.monitoring.series.flow_metrics import FlowMetrics, flow_metrics, live_metrics
from srm_service.monitoring.series.selectors import SeriesScope, Window, cluster_scope, flow_scope, series, topic_scope

_FLOWS = ["replications"]


class ReplicationListView(APIView):
    @extend_schema(
        operation_id="replications_list",
        summary="List replication flows",
        parameters=[FlowListQuery],
        responses=FlowListSerializer,
        tags=_FLOWS,
    )
    def get(self, request: Request) -> Response:
        query = checked(FlowListQuery, request)
        now = overview()
        matching = [flow for flow in now.flows if _matches(flow, query)]
        page = page_of(matching, key=lambda flow: flow.key, cursor=query["cursor"], limit=query["limit"])
        metrics = _metrics(page.items, query)
        rights = permissions_of(role_of(request.user))
        ahead = flows_ahead([FlowId(flow.source, flow.target) for flow in page.items])
        live, desired = live_snapshot(), desired_revisions()
        items = (
            flow_answer(flow, metrics[flow_id], rights, ahead[flow_id], flow_revisions(flow_id, live, desired))
            for flow in page.items
            for flow_id in (FlowId(flow.source, flow.target),)
        )
        return Response(list_answer(items, as_of_ms=now.as_of_ms, next_cursor=page.next_cursor, partial=now.partial))


class ReplicationDetailView(APIView):
    @extend_schema(
        operation_id="replications_detail",
        summary="One replication flow",
        parameters=[WindowQuery],
        responses=FlowSerializer,
        tags=_FLOWS,
    )
    def get(self, request: Request, source: str, target: str) -> Response:
        query = checked(WindowQuery, request)
        flow = find_flow(overview(), source, target)
        metrics = _metrics((flow,), query, with_record_age=True)
        rights = permissions_of(role_of(request.user))
        ahead = flow_ahead(FlowId(source, target), query["now_ms"])
        revisions = flow_revisions(FlowId(source, target), live_snapshot(), desired_revisions())
        return Response(flow_answer(flow, metrics[FlowId(source, target)], rights, ahead, revisions))


class TopicListView(APIView):
    @extend_schema(
        operation_id="replications_topics",
        summary="Topics of a flow",
        parameters=[TopicListQuery],
        responses=TopicListSerializer,
        tags=_FLOWS,
    )
    def get(self, request: Request, source: str, target: str) -> Response:
        query = checked(TopicListQuery, request)
        now = overview()
        find_flow(now, source, target)
        flow, live = FlowId(source, target), live_snapshot()
        names, partial = topic_names(flow, live)
        matching = [name for name in names if query["q"].lower() in name.lower()]
        page = page_of(matching, key=str, cursor=query["cursor"], limit=query["limit"])
        topics = topics_now(flow, page.items, live, now.as_of_ms)
        return Response(
            list_answer(
                map(topic_answer, topics),
                as_of_ms=now.as_of_ms,
                next_cursor=page.next_cursor,
                partial=now.partial or partial,
            )
        )


class SeriesView(APIView):
    @extend_schema(
        operation_id="replications_series",
        summary="A metric over time",
        parameters=[SeriesQuery],
        responses=SeriesSerializer,
        tags=_FLOWS,
    )
    def get(self, request: Request, source: str, target: str) -> Response:
        query = checked(SeriesQuery, request)
        find_flow(overview(), source, target)
        with store_answers():
            scope = _scope(FlowId(source, target), query["topic"], query.get("partition"))
            return Response(series_answer(series(scope, METRICS[query["metric"]], _window(query))))


class ClusterSeriesView(APIView):
    @extend_schema(
        operation_id="clusters_series",
        summary="A metric of all flows into or out of a cluster over time",
        parameters=[ClusterSeriesQuery],
        responses=SeriesSerializer,
        tags=["clusters"],
    )
    def get(self, request: Request, alias: str) -> Response:
        query = checked(ClusterSeriesQuery, request)
        flows = [FlowId(flow.source, flow.target) for flow in overview().flows]
        if alias not in {end for flow in flows for end in (flow.source, flow.target)}:
            raise NotFound(f"no replication reads or writes a cluster {alias}; GET /api/v2/clusters lists all")
        end = "target" if query["direction"] == "in" else "source"
        with store_answers():
            scope = cluster_scope([flow for flow in flows if getattr(flow, end) == alias])
            return Response(series_answer(series(scope, METRICS[query["metric"]], _window(query))))


class DriverListView(APIView):
    @extend_schema(
        operation_id="drivers_list",
        summary="Driver processes that report",
        responses=DriverListSerializer,
        tags=["drivers"],
    )
    def get(self, request: Request) -> Response:
        live = live_snapshot()
        partial = (Partial(peer=REDIS_PEER, error=live.problem),) if live.problem else ()
        return Response(list_answer(map(driver_answer, drivers_now(live)), as_of_ms=live.read_ms, partial=partial))


class SummaryView(APIView):
    @extend_schema(
        operation_id="metrics_summary",
        summary="The fleet at a glance",
        parameters=[SummaryQuery],
        responses=SummarySerializer,
        tags=["metrics"],
    )
    def get(self, request: Request) -> Response:
        query = checked(SummaryQuery, request)
        now = overview()
        window = {name: query[name] for name in ("from_ms", "to_ms", "step_ms", "now_ms")}
        series = fleet_series_or_nulls(now, **window)
        return Response(summary_answer(now, fleet_metrics(now, live_snapshot()), series, clusters=cluster_count()))


def checked(query: type[WindowQuery] | type[TopicListQuery], request: Request) -> dict[str, Any]:
    """The validated query parameters; a bad one is answered with 400 naming the field."""
    serializer = query(data=request.query_params)
    serializer.is_valid(raise_exception=True)
    values: dict[str, Any] = serializer.validated_data
    return values


def find_flow(now: Overview, source: str, target: str) -> FlowNow:
    flow = now.find(source, target)
    if flow is None:
        raise NotFound(f"there is no replication {source}->{target}; GET /api/v2/replications lists all")
    return flow


@contextmanager
def store_answers() -> Iterator[None]:
    """A metrics store that does not answer is said as such."""
    try:
        yield
    except DatabaseError as error:
        raise Unavailable("the metrics store does not answer or is not migrated: see /readyz") from error


def _scope(flow: FlowId, topic: str, partition: int | None) -> SeriesScope:
    if not topic:
        return flow_scope(flow)
    scope = topic_scope(flow, topic, partition)
    if scope is not None:
        return scope
    if partition is None and is_planned(flow, topic, live_snapshot()):
        return SeriesScope(level="topic", ids=(), flows=(flow,))
    named = topic if partition is None else f"{topic} partition {partition}"
    raise NotFound(f"{flow.source}->{flow.target} has no topic {named}; GET .../topics lists all")


def _window(query: dict[str, Any]) -> Window:
    return Window(**{name: query[name] for name in ("from_ms", "to_ms", "step_ms", "now_ms")})


def _matches(flow: FlowNow, query: dict[str, Any]) -> bool:
    return (
        query["source"] in ("", flow.source)
        and query["target"] in ("", flow.target)
        and query.get("status") in (None, flow.status.status)
        and query["q"].lower() in flow.key.lower()
    )


def _metrics(
    flows: tuple[FlowNow, ...], query: dict[str, Any], *, with_record_age: bool = False
) -> dict[FlowId, FlowMetrics]:
    """From tiles, or live numbers alone when the metrics store does not answer."""
    try:
        return flow_metrics(
            flows,
            from_ms=query["from_ms"],
            to_ms=query["to_ms"],
            now_ms=query["now_ms"],
            with_record_age=with_record_age,
        )
    except DatabaseError:
        return {FlowId(flow.source, flow.target): live_metrics(flow) for flow in flows}
