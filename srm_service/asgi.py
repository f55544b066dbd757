"""ASGI entry point: `uvicorn srm_service.asgi:application`."""

import os
from typing import cast

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "srm_service.settings.local")

import django
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.sessions import SessionMiddlewareStack
from django.urls import path

django.setup(set_prefix=False)

from srm_service.core.web.body_limit import Application, BodyLimit  # noqa: E402 - after Django is loaded
from srm_service.core.web.gc_tuning import collect_rarely  # noqa: E402
from srm_service.core.web.parent_watch import end_with_parent  # noqa: E402
from srm_service.core.web.request_threads import RequestThreads, ThreadedHandler  # noqa: E402
from srm_service.live.consumers import LiveWebsocketConsumer  # noqa: E402
from srm_service.live.origin import SameOriginValidator  # noqa: E402

end_with_parent()
application = ProtocolTypeRouter(
    {
        "http": BodyLimit(RequestThreads(cast("Application", ThreadedHandler()))),
        "websocket": SameOriginValidator(
            SessionMiddlewareStack(URLRouter([path("ws/v1/live", LiveWebsocketConsumer.as_asgi())]))
        ),
    }
)
collect_rarely()
