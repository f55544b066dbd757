"""Tells programs from people in browsers: programs get problem documents, people a login page."""

from django.http import HttpRequest

_ROOTS_OF_PROGRAMS = (
    "/api/",
    "/internal/",
    "/v1/",
    "/v2/",
    "/topic-metrics/",
    "/cluster-metrics/",
    "/group-metrics/",
    "/remote-topics/",
)


def is_program(request: HttpRequest) -> bool:
    """Return True for the API's paths, for requests with credentials, and if HTML is not among what is accepted."""
    accepted = request.headers.get("Accept", "text/html")
    is_api = request.path.startswith(_ROOTS_OF_PROGRAMS)
    return is_api or "Authorization" in request.headers or "text/html" not in accepted
