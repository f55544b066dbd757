from django.urls import path

from srm_service.planning.api.records import RecordView
from srm_service.planning.api.views import (
    ChangePlanView,
    ConfigDriftView,
    GroupPreviewView,
    TopicPreviewView,
    TopicStatesView,
)

_FLOW = "replications/<str:source>/<str:target>"

urlpatterns = [
    path("config/plan", ChangePlanView.as_view()),
    path(f"{_FLOW}/preview", TopicPreviewView.as_view()),
    path(f"{_FLOW}/preview/groups", GroupPreviewView.as_view()),
    path(f"{_FLOW}/topic-states", TopicStatesView.as_view()),
    path(f"{_FLOW}/topics/<str:topic>/partitions/<int:partition>/records/<int:offset>", RecordView.as_view()),
    path(f"{_FLOW}/drift", ConfigDriftView.as_view()),
]
