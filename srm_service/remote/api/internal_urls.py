from django.urls import path

from srm_service.remote.api.internal import ServiceView
from srm_service.remote.jobs import SERVICE_PATH

urlpatterns = [path(SERVICE_PATH, ServiceView.as_view(schema=None))]
