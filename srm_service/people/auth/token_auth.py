"""Bearer authentication with API tokens, for REST and the Prometheus page."""

from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from srm_service.core.web.request_origin import current_origin, note_token
from srm_service.people.attempts import TooManyAttemptsError
from srm_service.people.tokens import TokenRefusedError, token_verify


class TokenAuthentication(BaseAuthentication):
    """Accepts `Authorization: Bearer srm_...`."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        text = bearer_token(get_authorization_header(request))
        if text is None:
            return None
        try:
            owner, prefix = token_verify(text, current_origin().address)
        except TooManyAttemptsError as error:
            raise Throttled(wait=error.wait_s, detail=str(error)) from error
        except TokenRefusedError as error:
            raise AuthenticationFailed(str(error)) from error
        note_token(prefix)
        return owner, prefix

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Streams Replication Manager"'


def bearer_token(header: bytes) -> str | None:
    """Return the token of an Authorization header; None for other schemes."""
    scheme, _, rest = header.partition(b" ")
    return rest.strip().decode("latin-1") if scheme.lower() == b"bearer" else None


def token_owner(text: str, address: str) -> User | AnonymousUser:
    """Return the owner with the rights of the token, for the live socket; no one if the token is not accepted."""
    try:
        return token_verify(text, address)[0]
    except (TooManyAttemptsError, TokenRefusedError):
        return AnonymousUser()
