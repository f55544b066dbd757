"""RFC 9457 problem details, the format of all API errors."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import structlog
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseForbidden,
    HttpResponseNotFound,
    HttpResponseServerError,
    JsonResponse,
)
from rest_framework import exceptions, status
from rest_framework.response import Response

from srm_service.core.api.etags import PreconditionFailed
from srm_service.core.web.callers import is_program
from srm_service.core.web.hints import told
from srm_service.core.web.request_id import current_request_id

CONTENT_TYPE = "application/problem+json"
PROBLEM_TITLES = {
    400: "The request is not valid",
    401: "Log in first",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    406: "Only JSON is available",
    408: "The request took too long to arrive",
    409: "Conflict with the current state",
    412: "Changed in the meantime",
    413: "The request is too large",
    415: "Send JSON",
    422: "The request cannot be carried out",
    429: "Too many requests",
    500: "The service failed",
    503: "A part of the system is not available",
}
_OF_FIELDS = {  # the framework says "this field", of whichever
    "required": "{name} is missing: send it",
    "null": "{name} has no value: send one",
    "blank": "{name} is empty: enter a value",
}
_log = structlog.get_logger(__name__)


class Conflict(exceptions.APIException):
    """The change conflicts with the current state."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"


class TooLarge(exceptions.APIException):
    """The request body is larger than the service accepts."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"


class Unavailable(exceptions.APIException):
    """A required component cannot be reached; the client should retry later."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "unavailable"


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's hook: convert an exception of a view into a problem document; None lets Django respond with 500."""
    known = _as_api_exception(error)
    if known is None:
        return None
    response = Response(problem_document(known, context["request"].path), status=known.status_code)
    response.content_type = CONTENT_TYPE
    if isinstance(known, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        header = getattr(known, "auth_header", None)
        if header:
            response.headers["WWW-Authenticate"] = header
    wait: float | None = getattr(known, "wait", None)
    if wait is not None:
        response.headers["Retry-After"] = str(math.ceil(wait))
    if isinstance(known, PreconditionFailed):
        response.headers["ETag"] = known.etag
    return response


def problem_document(error: exceptions.APIException, path: str) -> dict[str, Any]:
    """Return the problem document; `errors` names each invalid field, `hint` the request that helps a program."""
    found = list(_field_errors(error.detail)) if isinstance(error, exceptions.ValidationError) else []
    fields = [field for field, _ in found]
    detail, hint = told(str(error.detail))
    if fields:
        detail = " ".join(f"{f['field']}: {f['detail']}" if f["field"] else f["detail"] for f in fields)
        hint = " ".join(dict.fromkeys(hint for _, hint in found if hint))
    document = problem(error.status_code, detail, path, hint)
    members: Mapping[str, Any] = getattr(error, "members", {})  # of errors that explain themselves with more
    document = {**document, **members}
    return {**document, "errors": fields} if fields else document


def problem(code: int, detail: str, path: str, hint: str = "") -> dict[str, Any]:
    """Return a problem document."""
    return {
        "type": "about:blank",
        "title": PROBLEM_TITLES.get(code, "The request failed"),
        "status": code,
        "detail": detail,
        **({"hint": hint} if hint else {}),
        "instance": path,
        "request_id": current_request_id(),
    }


def problem_response(code: int, detail: str, path: str) -> JsonResponse:
    """Return the answer of a view that is not one of Django REST framework's."""
    text, hint = told(detail)
    return JsonResponse(problem(code, text, path, hint), status=code, content_type=CONTENT_TYPE)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler400."""
    if is_program(request):
        return problem_response(400, "the request is malformed", request.path)
    return HttpResponseBadRequest("Bad request", content_type="text/plain")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler403."""
    if is_program(request):
        return problem_response(403, str(exception) or "this is not allowed", request.path)
    return HttpResponseForbidden("Not allowed", content_type="text/plain")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler404."""
    if is_program(request):
        return problem_response(
            404, f"there is no resource at {request.path}; /swagger/ lists all resources", request.path
        )
    return HttpResponseNotFound("Not found", content_type="text/plain")


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500; the traceback is in the log under the same request id."""
    if is_program(request):
        text = "internal error; the service's log has the cause under this request id"
        return problem_response(500, text, request.path)
    return HttpResponseServerError(f"The service failed. Request {current_request_id()}", content_type="text/plain")


def _as_api_exception(error: Exception) -> exceptions.APIException | None:
    if isinstance(error, exceptions.APIException):
        return error
    if isinstance(error, Http404):
        return exceptions.NotFound(str(error) or None)
    if isinstance(error, PermissionDenied):
        return exceptions.PermissionDenied(str(error) or None)
    if isinstance(error, DatabaseError):
        _log.error("database failed", error=str(error))
        return Unavailable("the database is not available; see the service's log and /readyz")
    return None


def _field_errors(detail: Any, field: str = "") -> Iterator[tuple[dict[str, str], str]]:
    """Yield each invalid field, with the hint of its reason."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            inside = "" if name == "non_field_errors" else str(name)
            yield from _field_errors(inner, f"{field}.{inside}".strip("."))
    elif isinstance(detail, list):
        for inner in detail:
            yield from _field_errors(inner, field)
    else:
        name = field.rpartition(".")[2]
        clause = _OF_FIELDS.get(getattr(detail, "code", ""), "").format(name=name) if name else ""
        text, hint = told(clause or str(detail))
        yield {"field": field, "detail": text}, hint
