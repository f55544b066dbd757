"""Tells programs from people in browsers: programs get problem documents, people a login page."""

from django.http import HttpRequest


def is_program(request: HttpRequest) -> bool:
    """Return True for the API's paths, for requests with credentials, and if HTML is not among what is accepted."""
    accepted = request.headers.get("Accept", "text/html")
    return request.path.startswith("/api/") or "Authorization" in request.headers or "text/html" not in accepted
