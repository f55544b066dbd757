"""Read operations on flows, their topics and series, drivers and the fleet: one class per operation."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from django.db import DatabaseError
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import METRICS
from srm_service.clusters.selectors import cluster_count
from srm_service.core.api.description_fields import description_filter
from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import Page, page_of
from srm_service.core.api.problem import Unavailable
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import permissions_of, role_of
from srm_service.core.description import DescriptionFilter
from srm_service.core.kept import Inputs, Kept
from srm_service.flows.api.changes import FlowChanging, FlowCreating, with_settings
from srm_service.flows.selectors import desired_revisions, flow_find
from srm_service.monitoring.api.answers import (
    driver_answer,
    flow_answer,
    series_answer,
    summary_answer,
    topic_answer,
)
from srm_service.monitoring.api.queries import (
    ClusterSeriesQuery,
    DriverListQuery,
    FlowListQuery,
    SeriesQuery,
    SummaryQuery,
    TopicListQuery,
    WindowQuery,
)
from srm_service.monitoring.api.serializers import (
    DriverListSerializer,
    FlowDetailSerializer,
    FlowListSerializer,
    SeriesSerializer,
    SummarySerializer,
    TopicListSerializer,
)
from srm_service.monitoring.api.shared_answers import shared_answer
from srm_service.monitoring.contracts import FlowNow, Overview
from srm_service.monitoring.drivers import drivers_now
from srm_service.monitoring.flows.fleet import fleet_metrics, fleet_series_or_nulls
from srm_service.monitoring.flows.flow_ahead import flow_ahead, flows_proven
from srm_service.monitoring.flows.live_state import live_snapshot
from srm_service.monitoring.flows.overview import overview
from srm_service.monitoring.flows.revisions import FlowRevisions, flow_revisions
from srm_service.monitoring.flows.topics import is_planned
from srm_service.monitoring.peers.answers import RemoteAnswers, remote_answers
from srm_service.monitoring.peers.forwarding import READING, answered_by_its_service, is_internal
from srm_service.monitoring.peers.merged import merged_overview
from srm_service.monitoring.peers.time_limit import TimeLimit
from srm_service.monitoring.series.flow_metrics import (
    FlowMetrics,
    flow_metrics,
    live_metrics,
    more_metrics,
    topic_metrics,
    unknown_metrics,
)
from srm_service.monitoring.series.selectors import (
    SeriesScope,
    Window,
    cluster_scope,
    flow_scope,
    group_scope,
    series,
    topic_scope,
)
from srm_service.monitoring.topics.topic_pages import topic_page

_FLOWS = ["replications"]
_kept_rows: Kept[Inputs, list[dict[str, Any]]] = Kept(seconds=1.0, most=16)


class ReplicationListView(FlowCreating, APIView):
    @shared_answer
    @operation(
        "replications_list", "List replication flows", query=FlowListQuery, responses=FlowListSerializer, tags=_FLOWS
    )
    def get(self, request: Request, *, query: Values) -> Response:
        limit, now = TimeLimit(), merged_overview()
        described = description_filter(query)
        matching = [flow for flow in now.flows if _matches(flow, query, described)]
        page = page_of(matching, query, key=lambda flow: flow.key, orderings=FlowListQuery.orderings)
        remote = remote_answers(page.items, _given_window(request), silent=now.silent, limit=limit)
        rows = Page(tuple(_rows(page.items, query, request, remote)), page.next_cursor)
        return list_response(rows, dict, as_of_ms=now.as_of_ms, partial=(*now.partial, *remote.partial))


def _rows(items: tuple[FlowNow, ...], query: Values, request: Request, remote: RemoteAnswers) -> list[dict[str, Any]]:
    """The answers of a page of flows; requests of one moment share them."""
    own = tuple(flow for flow in items if flow.service is None)
    metrics, rights = window_metrics(own, query), permissions_of(role_of(request.user))
    proven = flows_proven([FlowId(flow.source, flow.target) for flow in own])
    live, desired = live_snapshot(), desired_revisions()

    def answer(flow: FlowNow) -> dict[str, Any]:
        flow_id = FlowId(flow.source, flow.target)
        if flow.service is not None:
            found = flow_answer(flow, live_metrics(flow), READING, None, FlowRevisions())
            return {**found, **remote.by_flow.get(flow.key, {})}
        return flow_answer(flow, metrics[flow_id], rights, proven.get(flow_id), flow_revisions(flow_id, live, desired))

    inputs = Inputs(metrics, live, *items, equal=(rights, proven, desired, remote.by_flow))
    return _kept_rows.get(inputs, lambda: [answer(flow) for flow in items])


class ReplicationDetailView(FlowChanging, APIView):
    @answered_by_its_service
    @operation(
        "replications_detail", "One replication flow", query=WindowQuery, responses=FlowDetailSerializer, tags=_FLOWS
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        flow = find_flow(overview(), source, target)
        flow_id = FlowId(source, target)
        metrics = {**window_metrics((flow,), query)[flow_id], **_more_metrics(flow, query)}
        rights = permissions_of(role_of(request.user))
        ahead = flow_ahead(flow_id, query["now_ms"], lag_now=flow.numbers.lag_offsets)
        catch_up = None if ahead.catch_up is None else asdict(ahead.catch_up)
        revisions = flow_revisions(flow_id, live_snapshot(), desired_revisions())
        answer = flow_answer(flow, metrics, rights, ahead.proven_until_ms, revisions)
        wanted = flow_find(source, target)
        state = "run" if wanted is None else wanted.state
        return with_settings(Response({**answer, "catch_up": catch_up, "ordered_state": state}), source, target)


class TopicListView(APIView):
    @answered_by_its_service
    @shared_answer
    @operation(
        "replications_topics", "Topics of a flow", query=TopicListQuery, responses=TopicListSerializer, tags=_FLOWS
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        now = overview()
        find_flow(now, source, target)
        flow, live = FlowId(source, target), live_snapshot()
        page, partial = topic_page(flow, query, live, now.as_of_ms)
        metrics = metrics_in_range(flow, [topic.topic for topic in page.items], query)
        return list_response(
            page,
            lambda topic: topic_answer(topic, metrics.get(topic.topic)),
            as_of_ms=now.as_of_ms,
            partial=now.partial or partial,
        )


class SeriesView(APIView):
    @answered_by_its_service
    @shared_answer
    @operation("replications_series", "A metric over time", query=SeriesQuery, responses=SeriesSerializer, tags=_FLOWS)
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        find_flow(overview(), source, target)
        with store_answers():
            flow, group = FlowId(source, target), query["group"]
            scope = group_scope(flow, group) if group else _scope(flow, query["topic"], query.get("partition"))
            return Response(series_answer(series(scope, METRICS[query["metric"]], _window(query))))


class ClusterSeriesView(APIView):
    @shared_answer
    @operation(
        "clusters_series",
        "A metric of all flows into or out of a cluster over time",
        query=ClusterSeriesQuery,
        responses=SeriesSerializer,
        tags=["clusters"],
    )
    def get(self, request: Request, alias: str, *, query: Values) -> Response:
        flows = [FlowId(flow.source, flow.target) for flow in overview().flows]
        if alias not in {end for flow in flows for end in (flow.source, flow.target)}:
            raise NotFound(f"no replication reads or writes a cluster {alias}; GET /api/v2/clusters lists all")
        end = "target" if query["direction"] == "in" else "source"
        with store_answers():
            scope = cluster_scope([flow for flow in flows if getattr(flow, end) == alias])
            return Response(series_answer(series(scope, METRICS[query["metric"]], _window(query))))


class DriverListView(APIView):
    @shared_answer
    @operation(
        "drivers_list",
        "Driver processes that report",
        query=DriverListQuery,
        responses=DriverListSerializer,
        tags=["drivers"],
    )
    def get(self, request: Request, *, query: Values) -> Response:
        live = live_snapshot()
        page = page_of(drivers_now(live), query, key=lambda row: row.key, orderings=DriverListQuery.orderings)
        return list_response(page, driver_answer, as_of_ms=live.read_ms, partial=live.partial)


class SummaryView(APIView):
    @shared_answer
    @operation(
        "metrics_summary", "The fleet at a glance", query=SummaryQuery, responses=SummarySerializer, tags=["metrics"]
    )
    def get(self, request: Request, *, query: Values) -> Response:
        now = overview() if is_internal(request) else merged_overview()
        window = {name: query[name] for name in ("from_ms", "to_ms", "step_ms", "now_ms")}
        series = fleet_series_or_nulls(now, **window)
        metrics = fleet_metrics(now, live_snapshot(), series)
        return Response(summary_answer(now, metrics, series, clusters=cluster_count()))


def _given_window(request: Request) -> dict[str, str]:
    """The window of the request; without one, another service takes its own last minutes."""
    return {name: request.query_params[name] for name in ("from_ms", "to_ms") if name in request.query_params}


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


def _window(query: Values) -> Window:
    return Window(**{name: query[name] for name in ("from_ms", "to_ms", "step_ms", "now_ms")})


def _matches(flow: FlowNow, query: Values, described: DescriptionFilter) -> bool:
    return (
        query["source"] in ("", flow.source)
        and query["target"] in ("", flow.target)
        and query.get("status") in (None, flow.status.status)
        and query["q"].lower() in flow.key.lower()
        and described.matches(flow.description)
    )


def window_metrics(flows: tuple[FlowNow, ...], query: Values) -> Mapping[FlowId, FlowMetrics]:
    """From tiles, or live numbers alone when the metrics store does not answer."""
    try:
        return flow_metrics(flows, **_bounds(query))
    except DatabaseError:
        return {FlowId(flow.source, flow.target): live_metrics(flow) for flow in flows}


def _more_metrics(flow: FlowNow, query: Values) -> FlowMetrics:
    try:
        return more_metrics(flow, **_bounds(query))
    except DatabaseError:
        return unknown_metrics()


def metrics_in_range(flow: FlowId, topics: Sequence[str], query: Values) -> Mapping[str, FlowMetrics]:
    """Return those of the range that was asked for; none without one, or when the metrics store does not answer."""
    try:
        return topic_metrics(flow, topics, **_bounds(query)) if query["has_range"] else {}
    except DatabaseError:
        return {}


def _bounds(query: Values) -> dict[str, int]:
    return {name: query[name] for name in ("from_ms", "to_ms", "now_ms")}
