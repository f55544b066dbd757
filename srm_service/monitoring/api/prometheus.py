"""The page for Prometheus: `/metrics`, and on request one page per topic or partition."""

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from srm_service.core.api.negotiation import AnyAccepted
from srm_service.core.api.requests import StrictSerializer, checked_query
from srm_service.core.auth.permissions import MetricsPermission
from srm_service.monitoring.prometheus.pages import PER_WORDS, PageScope, page_of_metrics


class PrometheusQuery(StrictSerializer):
    """The content of the page; filters narrow pages of topics and partitions down."""

    per = serializers.ChoiceField(choices=PER_WORDS, required=False, default="flow")
    source = serializers.CharField(required=False, default="", max_length=100)  # type: ignore[assignment]
    target = serializers.CharField(required=False, default="", max_length=100)
    topic = serializers.CharField(required=False, default="", max_length=249)

    def validate(self, attrs: dict[str, str]) -> dict[str, str]:
        filters = [name for name in ("source", "target", "topic") if attrs[name]]
        if attrs["per"] == "flow" and filters:
            raise serializers.ValidationError(dict.fromkeys(filters, "it needs per=topic or per=partition"))
        return attrs


class PrometheusView(APIView):
    """An unknown value is omitted, never 0."""

    content_negotiation_class = AnyAccepted
    permission_classes = [MetricsPermission]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        query = checked_query(PrometheusQuery, request)
        scope = PageScope(source=query["source"], target=query["target"], topic=query["topic"])
        return HttpResponse(page_of_metrics(query["per"], scope), content_type=CONTENT_TYPE_LATEST)
