"""ASGI entry point: `uvicorn srm_service.asgi:application`."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "srm_service.settings.local")

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from channels.sessions import SessionMiddlewareStack
from django.core.asgi import get_asgi_application
from django.urls import path

_http = get_asgi_application()  # loads Django, which the consumers need

from srm_service.live.consumers import LiveWebsocketConsumer  # noqa: E402 - after Django is loaded

application = ProtocolTypeRouter(
    {
        "http": _http,
        "websocket": AllowedHostsOriginValidator(
            SessionMiddlewareStack(URLRouter([path("ws/v1/live", LiveWebsocketConsumer.as_asgi())]))
        ),
    }
)
