"""The paths of consumer groups. A group's name may contain slashes, so the longer paths are first.

A group named `sync`, or with a name that ends with `/sync`, is read at the path at which others are synced.
"""

from django.urls import path

from srm_service.groups.api.views import (
    GroupListView,
    GroupPartitionsView,
    GroupSyncView,
    GroupView,
    SyncView,
    TranslateView,
)

_FLOW = "replications/<str:source>/<str:target>"
_GROUP = f"{_FLOW}/groups/<path:group>"

urlpatterns = [
    path(f"{_FLOW}/translate", TranslateView.as_view()),
    path(f"{_FLOW}/groups", GroupListView.as_view()),
    path(f"{_FLOW}/groups/sync", SyncView.as_view()),
    path(f"{_GROUP}/sync", GroupSyncView.as_view()),
    path(f"{_GROUP}/partitions", GroupPartitionsView.as_view()),
    path(_GROUP, GroupView.as_view()),
]
