"""Verifies passwords for the login form, basic authentication and the own password, within the limits of attempts."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.http import HttpRequest

from srm_service.core.web.request_origin import current_origin
from srm_service.people.attempts import attempt_begin, attempt_succeeded

_NO_NAME = "\ufffd"


class LimitedPasswordBackend(ModelBackend):
    """Django's backend, which takes as long for unknown names as for known ones. Raises TooManyAttemptsError."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> User | None:
        if username is None or password is None:
            return None
        name = username.replace("\0", _NO_NAME)  # PostgreSQL refuses texts with NUL
        address = current_origin().address
        attempt_begin(name, address)
        user = super().authenticate(request, username=name, password=password)
        if user is not None:
            attempt_succeeded(name, address)
        return user
