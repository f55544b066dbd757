"""Refuses paths with NUL, which no name contains and PostgreSQL does not accept as a value."""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponseBase

from srm_service.core.api.problem import not_found


class PathCheckMiddleware:
    """Answers such a path with 404 before a view looks for the name."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return not_found(request, Http404()) if "\0" in request.path else self._get_response(request)
