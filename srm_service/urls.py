"""The URLs of the service."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularAPIView

from srm_service.core.api import auth_schema  # noqa: F401 - names our authentication in the OpenAPI document
from srm_service.core.api.reference import ReferenceView
from srm_service.core.api.views import MeView
from srm_service.core.web.health import livez, readyz
from srm_service.core.web.page import page
from srm_service.monitoring.api.prometheus import PrometheusView

urlpatterns = [
    path("livez", livez),
    path("readyz", readyz),
    path("metrics", PrometheusView.as_view()),
    path("login", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout", LogoutView.as_view(), name="logout"),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("swagger/", ReferenceView.as_view(), name="swagger"),
    path("api/v2/me", MeView.as_view()),
    path("api/v2/", include("srm_service.clusters.api.urls")),
    path("api/v2/", include("srm_service.flows.api.urls")),
    path("api/v2/", include("srm_service.monitoring.api.urls")),
    path("api/v2/", include("srm_service.audits.api.urls")),
    re_path(r"^(?P<path>(?!api/|static/|assets/|ws/).*)$", page),
]

handler400 = "srm_service.core.api.problem.bad_request"
handler403 = "srm_service.core.api.problem.forbidden"
handler404 = "srm_service.core.api.problem.not_found"
handler500 = "srm_service.core.api.problem.server_error"
