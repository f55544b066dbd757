from django.urls import path

from srm_service.drivers.api.gone import GoneProcessListView
from srm_service.drivers.api.views import DrainView, RestartView, UndrainView

_DRIVER = "drivers/<str:driver_id>"

urlpatterns = [
    path("drivers/gone", GoneProcessListView.as_view()),
    path(f"{_DRIVER}/drain", DrainView.as_view()),
    path(f"{_DRIVER}/undrain", UndrainView.as_view()),
    path(f"{_DRIVER}/restart", RestartView.as_view()),
]
