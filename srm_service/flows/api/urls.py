from django.urls import path

from srm_service.flows.api.throttle import ThrottleView
from srm_service.flows.api.views import FlowActionView

urlpatterns = [
    path("replications/<str:source>/<str:target>/actions", FlowActionView.as_view()),
    path("replications/<str:source>/<str:target>/throttle", ThrottleView.as_view()),
]
