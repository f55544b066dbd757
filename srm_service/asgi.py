"""ASGI entry point: `uvicorn srm_service.asgi:application`."""

import os
from typing import cast

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "srm_service.settings.local")

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.sessions import SessionMiddlewareStack
from django.core.asgi import get_asgi_application
from django.urls import path

_http = get_asgi_application()  # loads Django, which the consumers need

from srm_service.core.web.body_limit import Application, BodyLimit  # noqa: E402
from srm_service.live.consumers import LiveWebsocketConsumer  # noqa: E402 - after Django is loaded
from srm_service.live.origin import SameOriginValidator  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": BodyLimit(cast("Application", _http)),
        "websocket": SameOriginValidator(
            SessionMiddlewareStack(URLRouter([path("ws/v1/live", LiveWebsocketConsumer.as_asgi())]))
        ),
    }
)
