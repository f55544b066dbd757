from django.urls import path

from srm_service.monitoring.api.events import EventExportView, EventListView
from srm_service.monitoring.api.groups import GroupPartitionListView
from srm_service.monitoring.api.many_flows import ManySeriesView
from srm_service.monitoring.api.tasks import DriverDetailView, TaskListView
from srm_service.monitoring.api.topics import PartitionListView, TopicView
from srm_service.monitoring.api.views import (
    ClusterSeriesView,
    DriverListView,
    ReplicationDetailView,
    ReplicationListView,
    SeriesView,
    SummaryView,
    TopicListView,
)

urlpatterns = [
    path("replications", ReplicationListView.as_view()),
    path("replications/<str:source>/<str:target>", ReplicationDetailView.as_view()),
    path("replications/<str:source>/<str:target>/topics", TopicListView.as_view()),
    path("replications/<str:source>/<str:target>/topics/<str:topic>", TopicView.as_view()),
    path("replications/<str:source>/<str:target>/topics/<str:topic>/partitions", PartitionListView.as_view()),
    path("replications/<str:source>/<str:target>/group-partitions", GroupPartitionListView.as_view()),
    path("replications/<str:source>/<str:target>/series", SeriesView.as_view()),
    path("clusters/<str:alias>/series", ClusterSeriesView.as_view()),
    path("drivers", DriverListView.as_view()),
    path("drivers/<str:driver_id>", DriverDetailView.as_view()),
    path("tasks", TaskListView.as_view()),
    path("events", EventListView.as_view()),
    path("events/export", EventExportView.as_view()),
    path("metrics/summary", SummaryView.as_view()),
    path("metrics/flows", ManySeriesView.as_view()),
]
