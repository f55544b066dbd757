"""The URLs of the service."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import URLResolver, include, path, re_path
from drf_spectacular.views import SpectacularAPIView

from srm_service.core.api.openapi import auth_schema  # noqa: F401 - names our authentication in the OpenAPI document
from srm_service.core.api.reference import ReferenceView
from srm_service.core.api.views import AboutView, MeView
from srm_service.core.web.health import livez, readyz
from srm_service.core.web.page import page
from srm_service.monitoring.api.prometheus import PrometheusView
from srm_service.people.auth.login_page import PasswordLoginView
from srm_service.vendor_api.urls import original_paths, v1_paths


def provider_urls() -> list[URLResolver]:
    """The pages of a login at the identity provider; none without a provider, whose library is an extra."""
    if not settings.SRM_OIDC.issuer:
        return []
    return [path("oidc/", include("srm_service.people.oidc.urls"))]


urlpatterns = [
    path("livez", livez),
    path("readyz", readyz),
    path("metrics", PrometheusView.as_view()),
    path("login", PasswordLoginView.as_view(), name="login"),
    *provider_urls(),
    path("admin/", admin.site.urls),
    path("logout", LogoutView.as_view(), name="logout"),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("swagger/", ReferenceView.as_view(), name="swagger"),
    path("api/v2/me", MeView.as_view()),
    path("api/v2/about", AboutView.as_view()),
    path("api/v2/", include("srm_service.clusters.api.urls")),
    path("api/v2/", include("srm_service.flows.api.urls")),
    path("api/v2/", include("srm_service.configuration.api.urls")),
    path("api/v2/", include("srm_service.lists.api.urls")),
    path("api/v2/", include("srm_service.drivers.api.urls")),
    path("api/v2/", include("srm_service.monitoring.api.urls")),
    path("api/v2/", include("srm_service.fleet.api.urls")),
    path("api/v2/", include("srm_service.audits.api.urls")),
    path("api/v2/", include("srm_service.planning.api.urls")),
    path("api/v2/", include("srm_service.groups.api.urls")),
    path("api/v2/", include("srm_service.trail.api.urls")),
    path("api/v2/", include("srm_service.people.api.urls")),
    path("api/v2/", include("srm_service.vendor_api.urls")),
    path("api/v2/", include("srm_service.remote.api.urls")),
    path("internal/v1/", include("srm_service.remote.api.internal_urls")),
    path("internal/v1/", include("srm_service.monitoring.peers.urls")),
    *v1_paths,
    *original_paths,
    re_path(r"^(?P<path>(?!api/|admin(?:/|$)|static/|assets/|ws/).*)$", page),
]

handler400 = "srm_service.core.api.problem.bad_request"
handler403 = "srm_service.core.api.problem.forbidden"
handler404 = "srm_service.core.api.problem.not_found"
handler500 = "srm_service.core.api.problem.server_error"
