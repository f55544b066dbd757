"""REST resource of one metric of many flows, for the small lines of a page of flows."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import METRICS
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import Values
from srm_service.monitoring.api.answers import point_answer
from srm_service.monitoring.api.queries import WindowQuery, check_points, step_field
from srm_service.monitoring.api.serializers import PointsField
from srm_service.monitoring.api.shared_answers import shared_answer
from srm_service.monitoring.api.views import store_answers
from srm_service.monitoring.flows.overview import overview
from srm_service.monitoring.peers.forwarding import is_internal
from srm_service.monitoring.peers.many_points import remote_points
from srm_service.monitoring.peers.merged import merged_overview
from srm_service.monitoring.peers.time_limit import TimeLimit
from srm_service.monitoring.series.many_flows import ManySeries, many_series
from srm_service.monitoring.series.selectors import Window

MANY_METRICS = [(name, name) for name, metric in METRICS.items() if metric.source == "tiles" and metric.kind != "ratio"]


class ManySeriesQuery(WindowQuery):
    """One metric of all flows, or of those of a cluster."""

    metric = serializers.ChoiceField(choices=MANY_METRICS)
    source = serializers.CharField(required=False, default="", help_text="source cluster alias")  # type: ignore[assignment]
    target = serializers.CharField(required=False, default="", help_text="target cluster alias")
    step_ms = step_field()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        checked = super().validate(attrs)
        check_points(checked)
        return checked


class FlowPointsSerializer(serializers.Serializer[Any]):
    """The points of one flow."""

    source = serializers.CharField()  # type: ignore[assignment]  # a field that hides one of the base class
    target = serializers.CharField()
    points = PointsField()
    p95 = serializers.ListField(
        child=serializers.FloatField(allow_null=True),
        allow_null=True,
        help_text="95th percentile of the records of each point, to a tenth; null: the metric has none, "
        "or an older service reports the flow",
    )


class ManySeriesSerializer(serializers.Serializer[Any]):
    """A metric of many flows over time; point n covers the time from_ms + n * step_ms."""

    metric = serializers.ChoiceField(choices=MANY_METRICS)
    unit = serializers.CharField()
    from_ms = serializers.IntegerField()
    to_ms = serializers.IntegerField()
    step_ms = serializers.IntegerField(help_text="wider than asked for if there are many flows")
    items = FlowPointsSerializer(many=True)


class ManySeriesView(APIView):
    @shared_answer
    @operation(
        "metrics_flows",
        "A metric of many flows over time",
        query=ManySeriesQuery,
        responses=ManySeriesSerializer,
        tags=["metrics"],
    )
    def get(self, request: Request, *, query: Values) -> Response:
        limit = TimeLimit()
        now = overview() if is_internal(request) else merged_overview()
        flows = [
            flow for flow in now.flows if query["source"] in ("", flow.source) and query["target"] in ("", flow.target)
        ]
        window = Window(**{name: query[name] for name in ("from_ms", "to_ms", "step_ms", "now_ms")})
        own = [FlowId(flow.source, flow.target) for flow in flows if flow.service is None]
        with store_answers():
            answer = _answer(many_series(own, METRICS[query["metric"]], window))
        remote = remote_points(flows, answer, silent=now.silent, limit=limit)
        return Response({**answer, "items": [*answer["items"], *remote]})


def _answer(found: ManySeries) -> dict[str, Any]:
    return {
        "metric": found.metric.name,
        "unit": found.metric.unit,
        "from_ms": found.from_ms,
        "to_ms": found.to_ms,
        "step_ms": found.step_ms,
        "items": [
            {
                "source": flow.source,
                "target": flow.target,
                "points": [point_answer(point) for point in found.points(flow)],
                "p95": _tenths(found.p95(flow)),
            }
            for flow in found.found
        ],
    }


def _tenths(values: Sequence[float | None] | None) -> list[float | None] | None:
    """Round what is interpolated anyway, so that the answer for many flows is short."""
    return None if values is None else [None if value is None else round(value, 1) for value in values]
