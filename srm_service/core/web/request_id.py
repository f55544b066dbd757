"""Assigns every request an id for its log lines, its response header and its problem document, and notes its origin."""

import re
import time
import uuid
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponseBase

from srm_service.core.web.request_origin import bound_origin, client_address

_log = structlog.get_logger(__name__)
_ACCEPTED = re.compile(r"[A-Za-z0-9._-]{8,64}")
_SLOW_MS = 5_000


def current_request_id() -> str:
    """The id of the current request; empty outside of a request."""
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))


class RequestIdMiddleware:
    """The first middleware, so that failures of others are logged under the id."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        offered = request.headers.get("X-Request-ID", "")
        request_id = offered if _ACCEPTED.fullmatch(offered) else uuid.uuid4().hex
        started = time.monotonic()
        with structlog.contextvars.bound_contextvars(request_id=request_id), bound_origin(client_address(request)):
            response = self._get_response(request)
            took_ms = int((time.monotonic() - started) * 1000)
            if response.status_code >= 500 or took_ms > _SLOW_MS:
                _log.warning(
                    "request was slow or failed",
                    method=request.method,
                    path=request.path,
                    status=response.status_code,
                    took_ms=took_ms,
                )
        response.headers["X-Request-ID"] = request_id
        return response
