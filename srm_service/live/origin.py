"""Accepts a WebSocket only from pages of this service, or of an origin that the service trusts.

A browser sends cookies to any socket that any page opens. It compares origins by scheme, host and port, and so does
this check; Channels' own validator compares the host alone.
"""

from io import BytesIO
from typing import Any

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest


class SameOriginValidator:
    """Refuses the handshake of other origins, and of clients that name none."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        follows = self._application if is_same_origin(scope) else WebsocketDenier.as_asgi()
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
