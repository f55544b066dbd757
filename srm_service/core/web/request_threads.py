"""Runs each request on one thread from its first middleware to its last, and keeps a few such threads.

Django's own handler changes between the event loop and a new thread for each part of a request. A new thread has no
database connection, and a connection to SQLite costs more than most answers.
"""

from concurrent.futures import ThreadPoolExecutor

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.db import connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from srm_service.core.web.body_limit import Application, Receive, Scope, Send

KEPT_THREADS = 16


class ThreadedHandler(ASGIHandler):
    """Django's ASGI application whose middleware and views all run in the thread of the request."""

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = await sync_to_async(self.get_response, thread_sensitive=True)(request)
        return response


class RequestThreads:
    """An ASGI application around another. A request takes an idle thread, or a new one if all are in use."""

    def __init__(self, application: Application, *, kept: int = KEPT_THREADS) -> None:
        self._application = application
        self._kept = kept
        self._idle: list[ThreadPoolExecutor] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # the one that was used last: the others, of which a burst needed more, let their connections grow old
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, thread_name_prefix="request")
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self._application(scope, receive, send)
        finally:
            # after the work of this request, which may still run if its client has left
            thread.submit(self._give_back, thread)

    def _give_back(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < self._kept:
            self._idle.append(thread)
        else:
            connections.close_all()
            thread.shutdown(wait=False)
