"""Basic authentication that caches verified passwords, because hashing them is expensive."""

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from typing import Any

from django.contrib.auth.models import User
from rest_framework.authentication import BasicAuthentication
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from srm_service.core.web.request_origin import current_origin
from srm_service.people.attempts import TooManyAttemptsError, attempt_check

_PROCESS_KEY = secrets.token_bytes(32)
_KEEP_S = 300.0
_MOST = 1_000


class _Verified:
    """Digests of verified (password hash, password) pairs; a changed password has a different digest."""

    def __init__(self) -> None:
        self._until: OrderedDict[bytes, float] = OrderedDict()
        self._lock = threading.Lock()

    def holds(self, digest: bytes, now_s: float) -> bool:
        with self._lock:
            return self._until.get(digest, 0.0) > now_s

    def add(self, digest: bytes, now_s: float) -> None:
        with self._lock:
            self._until[digest] = now_s + _KEEP_S
            while len(self._until) > _MOST:
                self._until.popitem(last=False)


_verified = _Verified()


class CachedBasicAuthentication(BasicAuthentication):
    """Basic authentication for programs that poll every second, without hashing the password each time."""

    www_authenticate_realm = "Streams Replication Manager"

    def authenticate_credentials(self, userid: str, password: str, request: Request | None = None) -> tuple[Any, Any]:
        try:
            # a guess must not be verified by the cached one of the program that knows the password
            attempt_check(userid, current_origin().address)
            return self._verify(userid, password, request)
        except TooManyAttemptsError as error:
            raise Throttled(wait=error.wait_s, detail=str(error)) from error

    def _verify(self, userid: str, password: str, request: Request | None) -> tuple[Any, Any]:
        now_s = time.monotonic()
        user = User.objects.filter(username=userid.replace("\0", ""), is_active=True).first()
        if user is not None and _verified.holds(_digest(user.password, password), now_s):
            return user, None
        accepted, auth = super().authenticate_credentials(userid, password, request)
        _verified.add(_digest(accepted.password, password), now_s)
        return accepted, auth

    def authenticate_header(self, request: Request) -> str | None:
        """Omit the basic challenge for calls of scripts, which would open the browser's password dialog."""
        if request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate":
            return 'Session realm="Streams Replication Manager"'
        return super().authenticate_header(request)


def _digest(password_hash: str, password: str) -> bytes:
    return hmac.new(_PROCESS_KEY, f"{password_hash}\0{password}".encode(), hashlib.sha256).digest()
