"""The paths of the replication statistics."""

from django.urls import URLPattern, path

from srm_service.vendor_api.smm.views import (
    FlowTopicStatsView,
    IsConfiguredView,
    ReplicationStatsView,
    TopicStatsByNameView,
    TopicStatsView,
)

_ROOT = "replication-stats"
_TOPICS = f"{_ROOT}/topics"


def smm_paths(root: str) -> list[URLPattern]:
    """Return the paths below a root."""
    return [
        path(f"{root}{_ROOT}", ReplicationStatsView.as_view()),
        path(f"{root}{_ROOT}/is-configured", IsConfiguredView.as_view()),
        path(f"{root}{_TOPICS}/<str:source>/<str:target>", FlowTopicStatsView.as_view()),
        path(f"{root}{_TOPICS}/<str:source>/<str:target>/<str:topic>", TopicStatsView.as_view()),
        path(f"{root}{_TOPICS}/<str:topic>", TopicStatsByNameView.as_view()),
    ]
