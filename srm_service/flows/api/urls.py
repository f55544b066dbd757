from django.urls import path

from srm_service.flows.api.bulk_actions import BulkActionView
from srm_service.flows.api.holds import HoldListView, HoldView
from srm_service.flows.api.resets import ResetListView, ResetView
from srm_service.flows.api.throttle import ThrottleView
from srm_service.flows.api.verbs.topic_lists import StopListView, ThrottleListView
from srm_service.flows.api.views import FlowActionListView, FlowActionView, OrderListView

_FLOW = "replications/<str:source>/<str:target>"

urlpatterns = [
    path("orders", OrderListView.as_view()),
    path("replications/actions", BulkActionView.as_view()),
    path(f"{_FLOW}/actions", FlowActionListView.as_view()),
    path(f"{_FLOW}/actions/<int:action_id>", FlowActionView.as_view()),
    path(f"{_FLOW}/throttle", ThrottleView.as_view()),
    path(f"{_FLOW}/holds", HoldListView.as_view()),
    path(f"{_FLOW}/holds/<int:hold_id>", HoldView.as_view()),
    path(f"{_FLOW}/stops", StopListView.as_view()),
    path(f"{_FLOW}/throttles", ThrottleListView.as_view()),
    path(f"{_FLOW}/resets", ResetListView.as_view()),
    path(f"{_FLOW}/resets/<slug:reset_id>", ResetView.as_view()),
]
