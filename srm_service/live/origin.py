"""Accepts a WebSocket only from pages of this service, or of an origin that the service trusts.

A browser sends cookies to any socket that any page opens. It compares origins by scheme, host and port, and so does
this check; Channels' own validator compares the host alone. Programs with an API token need no origin, because a page
cannot set the header that holds the token.
"""

from io import BytesIO
from typing import Any

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest

from srm_service.core.web.request_origin import forwarded_address
from srm_service.people.auth.token_auth import bearer_token

AUTHORIZATION = b"authorization"


class SameOriginValidator:
    """Refuses the handshake of other origins, and of clients that name none."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        has_token = bearer_token(header_of(scope, AUTHORIZATION)) is not None
        follows = self._application if has_token or is_same_origin(scope) else WebsocketDenier.as_asgi()
        return await follows(scope, receive, send)


def is_same_origin(scope: dict[str, Any]) -> bool:
    """Return True for the origin under which the client reached this service, or one of CSRF_TRUSTED_ORIGINS."""
    scheme = {"ws": "http", "wss": "https"}.get(scope.get("scheme", "ws"), "http")
    request = ASGIRequest({**scope, "type": "http", "method": "GET", "scheme": scheme}, BytesIO())
    origin = request.headers.get("Origin", "")
    try:
        own = f"{request.scheme}://{request.get_host()}"
    except DisallowedHost:
        return False
    return origin == own or origin in settings.CSRF_TRUSTED_ORIGINS


def header_of(scope: dict[str, Any], name: bytes) -> bytes:
    """Return the value of a header; empty without it."""
    value: bytes = dict(scope["headers"]).get(name, b"")
    return value


def client_of(scope: dict[str, Any]) -> str:
    """Return the address of the client, as for requests."""
    peer = (scope.get("client") or ("",))[0]
    forwarded = header_of(scope, b"x-forwarded-for").decode("latin-1")
    return forwarded_address(peer, forwarded, settings.SRM_TRUSTED_PROXIES)
