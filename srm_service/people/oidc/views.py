"""Sends people to the provider and takes them back."""

from typing import Any

import jwt
import requests
import structlog
from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from mozilla_django_oidc.views import OIDCAuthenticationCallbackView, OIDCAuthenticationRequestView

from srm_service.people.auth.login_page import LOGIN_ERROR
from srm_service.people.oidc.provider import IdentityProviderError, setting
from srm_service.people.provider_users import ProviderLoginError
from srm_service.people.sessions import session_started

_log = structlog.get_logger(__name__)
_FAILED = "The login at the provider failed. Try again, or ask an admin."
_FAILURES = (
    IdentityProviderError,
    SuspiciousOperation,
    requests.RequestException,
    jwt.PyJWTError,
    KeyError,
    TypeError,
    ValueError,
)


class ProviderLoginView(OIDCAuthenticationRequestView):  # type: ignore[misc]  # the library has no types
    """Redirects to the provider with state, nonce and a PKCE challenge."""

    get_settings = staticmethod(setting)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Defer what asks the provider to the request, whose errors are shown."""

    def get(self, request: HttpRequest) -> HttpResponse:
        try:
            super().__init__()
            response: HttpResponse = super().get(request)
        except _FAILURES as error:
            return _failed(request, error, _FAILED)
        return response


class ProviderCallbackView(OIDCAuthenticationCallbackView):  # type: ignore[misc]
    """Opens a session if the provider's answer is valid; the login page shows why it is not."""

    get_settings = staticmethod(setting)

    def get(self, request: HttpRequest) -> HttpResponse:
        try:
            response: HttpResponse = super().get(request)
        except ProviderLoginError as error:
            return _failed(request, error, f"{str(error)[:1].upper()}{str(error)[1:]}.")
        except _FAILURES as error:
            return _failed(request, error, _FAILED)
        return response

    def login_success(self) -> HttpResponse:
        response: HttpResponse = super().login_success()
        session_started(self.user.get_username())
        return response

    def login_failure(self) -> HttpResponse:
        return _failed(self.request, None, _FAILED)


def _failed(request: HttpRequest, error: Exception | None, text: str) -> HttpResponse:
    # the text of the library's errors holds the answer of the provider, and with it tokens
    _log.warning("login at the provider failed", error=type(error).__name__ if error else "refused", text=text)
    request.session[LOGIN_ERROR] = text
    return redirect(settings.LOGIN_URL)
