"""Idempotency keys: a POST that is sent again, because its answer was lost, changes nothing a second time.

The answer is stored in the transaction of the change, so that there is either both or neither. Refusals are not
stored: they have changed nothing. An operation that answers with a secret keeps no answers.
"""

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.http import HttpResponseBase
from django.utils import timezone
from django.utils.crypto import salted_hmac
from rest_framework import exceptions, status
from rest_framework.request import Request
from rest_framework.response import Response

from srm_service.core.models import KeptAnswer

IDEMPOTENCY_HEADER = "Idempotency-Key"
REPLAYED_HEADER = "Idempotent-Replayed"
KEPT_FOR = timedelta(days=1)
_KEY = re.compile(r"[\x21-\x7e]{1,100}")
_SALT = "srm.idempotency"  # keyed, because a body may hold a password
_HEADERS = ("ETag", "Location")


class KeyReusedError(exceptions.APIException):
    """The key belongs to another request."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_code = "idempotency_key_reused"


class _Kept(Exception):
    def __init__(self, answer: KeptAnswer) -> None:
        super().__init__()
        self.answer = answer


def answer_once(request: Request, run: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Run the change, or return the stored answer to the same request. Raises KeyReusedError."""
    key = request.headers.get(IDEMPOTENCY_HEADER)
    if key is None:
        return run()
    if not _KEY.fullmatch(key):
        raise exceptions.ValidationError({IDEMPOTENCY_HEADER: "expected 1 to 100 visible ASCII characters"})
    name, digest = request.user.get_username(), _digest(request)
    kept = _find(name, key) or _run_and_keep(name, key, digest, run)
    if isinstance(kept, HttpResponseBase):
        return kept
    if kept.request_hash != digest:
        raise KeyReusedError(f"{IDEMPOTENCY_HEADER} {key} was used for another request: use a new key")
    return _replayed(kept)


def kept_answers_forget(now: datetime) -> int:
    """Delete expired answers; returns their number."""
    return KeptAnswer.objects.filter(expires_at__lte=now).delete()[0]


def _find(name: str, key: str) -> KeptAnswer | None:
    return KeptAnswer.objects.filter(username=name, key=key, expires_at__gt=timezone.now()).first()


def _run_and_keep(
    name: str, key: str, digest: str, run: Callable[[], HttpResponseBase]
) -> HttpResponseBase | KeptAnswer:
    try:
        with transaction.atomic():
            row = _reserve(name, key, digest)
            response = run()
            if not isinstance(response, Response) or not status.is_success(response.status_code):
                row.delete()
                return response
            row.status, row.body = response.status_code, json.dumps(response.data)
            row.headers = {header: response.headers[header] for header in _HEADERS if header in response.headers}
            row.save()
            return response
    except _Kept as kept:
        return kept.answer


def _reserve(name: str, key: str, digest: str) -> KeptAnswer:
    """Insert the row that a simultaneous request with the same key waits for. Raises _Kept if that one was first."""
    now = timezone.now()
    KeptAnswer.objects.filter(username=name, key=key, expires_at__lte=now).delete()
    try:
        with transaction.atomic():
            return KeptAnswer.objects.create(
                username=name, key=key, request_hash=digest, status=0, body="", expires_at=now + KEPT_FOR
            )
    except IntegrityError as error:
        kept = _find(name, key)
        if kept is None:
            raise
        raise _Kept(kept) from error


def _digest(request: Request) -> str:
    content = [request.method, request.get_full_path(), request.data]
    return salted_hmac(_SALT, json.dumps(content, sort_keys=True), algorithm="sha256").hexdigest()


def _replayed(kept: KeptAnswer) -> Response:
    return Response(json.loads(kept.body), status=kept.status, headers={**kept.headers, REPLAYED_HEADER: "true"})
