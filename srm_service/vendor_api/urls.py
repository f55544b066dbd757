"""The paths of the metric API, under `/api/v2` and under the roots of the original."""

from typing import Any

from django.urls import URLPattern, path
from rest_framework.views import APIView

from srm_service.vendor_api.views import (
    ClusterMetricView,
    FlowRemoteTopicListView,
    RemoteTopicListView,
    RemoteTopicMetricView,
    TopicMetricView,
)

_TOPICS, _FLOW = "topic-metrics", "<str:source>/<str:target>"
_VIEWS: dict[str, type[APIView]] = {
    f"{_TOPICS}/{_FLOW}/<str:upstream_topic>/<str:metric>": TopicMetricView,
    f"{_TOPICS}/<str:target>/<str:downstream_topic>/<str:metric>": RemoteTopicMetricView,
    f"cluster-metrics/{_FLOW}/<str:metric>": ClusterMetricView,
    "remote-topics": RemoteTopicListView,
    f"remote-topics/{_FLOW}": FlowRemoteTopicListView,
}


def _paths(root: str = "", **options: Any) -> list[URLPattern]:
    return [path(f"{root}{route}", view.as_view(**options)) for route, view in _VIEWS.items()]


urlpatterns = _paths()
# the same answers; the OpenAPI document has each operation once
original_paths = [*_paths("v2/", schema=None), *_paths(schema=None)]
