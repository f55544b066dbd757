"""Answers that many readers get: an equal request in the same moment gets the same bytes, which are made once.

Two requests are equal if they have the same path and query and their users the same rights. The answer is at most a
second old: the reader who finds it older than two thirds of that gets it while a thread makes the next one, so that
readers rarely wait. After a change or an order it is made again first. Who the user is, and whether the role suffices,
is decided before, for each request.
"""

import gzip
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import wraps
from typing import Any, TypeVar, cast

import structlog
from django.conf import settings
from django.db import close_old_connections
from django.http import HttpResponse, HttpResponseBase
from django.middleware.gzip import re_accepts_gzip
from django.utils.cache import patch_vary_headers
from rest_framework.request import Request
from rest_framework.response import Response

from srm_service.core.api.files.csv_lists import FORMAT, accepts_csv
from srm_service.core.api.renderer import FastJsonRenderer
from srm_service.core.auth.roles import UserRole, role_of
from srm_service.core.kept import Kept
from srm_service.monitoring.flows.live_state import snapshots_forgotten
from srm_service.trail.selectors import trail_version

_LEAST_BYTES = 1_000  # shorter texts gain nothing from compression
_LEVEL = 4
_Handler = TypeVar("_Handler", bound=Callable[..., HttpResponseBase])
_Key = tuple[str, str, UserRole | None, bool]
_bodies: Kept[_Key, bytes] = Kept(seconds=0.65, spare=0.35, most=32)
_maker = ThreadPoolExecutor(1, thread_name_prefix="answers")
_log = structlog.get_logger(__name__)


class _OtherAnswer(Exception):
    """A refusal, or a file: it is given to the one who asked."""

    def __init__(self, answer: HttpResponseBase) -> None:
        self.answer = answer


def shared_answer(handler: _Handler) -> _Handler:
    """Let equal requests share the JSON of a GET, which may depend on nothing else than path, query and role."""

    @wraps(handler)
    def answer(view: Any, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if FORMAT in request.query_params or accepts_csv(request.headers.get("Accept", "")):
            return handler(view, request, *args, **kwargs)
        packs = re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")) is not None
        key = (request.path, request.META.get("QUERY_STRING", ""), role_of(request.user), packs)
        version = (trail_version(), snapshots_forgotten())
        try:
            body = _bodies.get(
                key,
                lambda: _body(handler(view, request, *args, **kwargs), packs=packs),
                version=version,
                beside=_beside if settings.SRM_ANSWERS_AHEAD else None,
            )
        except _OtherAnswer as other:
            return other.answer
        response = HttpResponse(body, content_type="application/json")
        patch_vary_headers(response, ("Accept-Encoding",))
        if body.startswith(_GZIP):
            response.headers["Content-Encoding"] = "gzip"
        return response

    return cast("_Handler", answer)


def _beside(make: Callable[[], bytes]) -> None:
    """Make an answer on the thread for that. Its error is for the next reader, who makes the answer and gets it."""

    def run() -> None:
        close_old_connections()
        try:
            make()
        except Exception as error:
            _log.info("an answer was not made ahead", error=repr(error))
        finally:
            close_old_connections()

    _maker.submit(copy_context().run, run)


_GZIP = b"\x1f\x8b"  # no JSON begins so


def _body(answer: HttpResponseBase, *, packs: bool) -> bytes:
    if not isinstance(answer, Response) or answer.status_code != 200:
        raise _OtherAnswer(answer)
    text = FastJsonRenderer().render(answer.data)
    return gzip.compress(text, _LEVEL, mtime=0) if packs and len(text) >= _LEAST_BYTES else text
