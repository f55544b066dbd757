from typing import Any

from django.urls import URLPattern, path
from rest_framework.views import APIView

from srm_service.core.auth.permissions import PeerPermission
from srm_service.monitoring.api.many_flows import ManySeriesView
from srm_service.monitoring.api.topics import PartitionListView, TopicView
from srm_service.monitoring.api.views import ReplicationDetailView, SeriesView, SummaryView, TopicListView
from srm_service.monitoring.peers.answers import ANSWERS_PATH
from srm_service.monitoring.peers.internal import FlowAnswersView, FlowReportView, LiveTopicsView
from srm_service.monitoring.peers.live_topics import LIVE_TOPICS_PATH
from srm_service.monitoring.peers.merged import FLOWS_PATH
from srm_service.people.auth.token_auth import TokenAuthentication

_FLOW = "replications/<str:source>/<str:target>"


def _same(route: str, view: type[APIView]) -> URLPattern:
    """The view of the API, for other services only, and only for reading."""
    limits: dict[str, Any] = {
        "authentication_classes": [TokenAuthentication],
        "permission_classes": [PeerPermission],
        "schema": None,
    }
    return path(route, view.as_view(**limits))


urlpatterns = [
    path(FLOWS_PATH, FlowReportView.as_view(schema=None)),
    path(ANSWERS_PATH, FlowAnswersView.as_view(schema=None)),
    path(f"{LIVE_TOPICS_PATH}/<str:source>/<str:target>", LiveTopicsView.as_view(schema=None)),
    _same(_FLOW, ReplicationDetailView),
    _same(f"{_FLOW}/topics", TopicListView),
    _same(f"{_FLOW}/topics/<str:topic>", TopicView),
    _same(f"{_FLOW}/topics/<str:topic>/partitions", PartitionListView),
    _same(f"{_FLOW}/series", SeriesView),
    _same("metrics/summary", SummaryView),
    _same("metrics/flows", ManySeriesView),
]
