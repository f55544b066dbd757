"""The API reference: Swagger UI from local files, without inline scripts."""

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.views import SpectacularSwaggerSplitView

from srm_service.core.api.problem import problem_response
from srm_service.core.web.callers import is_program


class ReferenceView(SpectacularSwaggerSplitView):
    """Redirects users without a session to the login page; programs may use basic authentication."""

    url_name = "schema"
    template_name = "swagger.html"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated and "Authorization" not in request.headers:
            if is_program(request):
                return problem_response(401, "the reference needs a session or credentials", request.path)
            return redirect_to_login(request.get_full_path())
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response
