from django.urls import path

from srm_service.fleet.api.gaps import GapListView
from srm_service.fleet.api.marks import MarksView
from srm_service.fleet.api.plans import PlanView, SkippedTopicListView
from srm_service.fleet.api.search import SearchView
from srm_service.fleet.api.topology import TopologyView

urlpatterns = [
    path("topology", TopologyView.as_view()),
    path("search", SearchView.as_view()),
    path("gaps", GapListView.as_view()),
    path("marks", MarksView.as_view()),
    path("replications/<str:source>/<str:target>/plan", PlanView.as_view()),
    path("replications/<str:source>/<str:target>/skipped-topics", SkippedTopicListView.as_view()),
]
