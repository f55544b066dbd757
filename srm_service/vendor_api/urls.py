"""The paths of the metric API, under `/api/v2` and `/api/v1`, and under the roots of the original."""

from collections.abc import Mapping
from typing import Any

from django.urls import URLPattern, path
from rest_framework.views import APIView

from srm_service.vendor_api import v1, views
from srm_service.vendor_api.smm.urls import smm_paths

_TOPICS, _FLOW = "topic-metrics", "<str:source>/<str:target>"
_V2: dict[str, type[APIView]] = {
    f"{_TOPICS}/{_FLOW}/<str:upstream_topic>/<str:metric>": views.TopicMetricView,
    f"{_TOPICS}/<str:target>/<str:downstream_topic>/<str:metric>": views.RemoteTopicMetricView,
    f"cluster-metrics/{_FLOW}/<str:metric>": views.ClusterMetricView,
    f"group-metrics/{_FLOW}/<path:group>/<str:metric>": views.GroupMetricView,
    "remote-topics": views.RemoteTopicListView,
    f"remote-topics/{_FLOW}": views.FlowRemoteTopicListView,
}
_V1: dict[str, type[APIView]] = {
    f"{_TOPICS}/<str:source>/<str:upstream_topic>/<str:metric>": v1.TopicMetricV1View,
    f"{_TOPICS}/<str:downstream_topic>/<str:metric>": v1.RemoteTopicMetricV1View,
    "cluster-metrics/<str:source>/<str:metric>": v1.ClusterMetricV1View,
    "group-metrics/<str:source>/<path:group>/<str:metric>": v1.GroupMetricV1View,
    "remote-topics": v1.RemoteTopicListV1View,
    "remote-topics/<str:source>": v1.FlowRemoteTopicListV1View,
}


def _paths(paths: Mapping[str, type[APIView]], root: str = "", **options: Any) -> list[URLPattern]:
    return [path(f"{root}{route}", view.as_view(**options)) for route, view in paths.items()]


urlpatterns = _paths(_V2)
v1_paths = [*_paths(_V1, "api/v1/"), *smm_paths("api/v1/admin/")]
# the same answers; the OpenAPI document has each operation once
original_paths = [
    *_paths(_V2, "v2/", schema=None),
    *_paths(_V1, "v1/", schema=None),
    *_paths(_V2, schema=None),
]
