"""Bounds request bodies before Django reads them: in size, and in the time that the client takes to send them.

Django receives a whole body, to a file where it is large, before it looks at the path or the session. Without a bound
anyone who reaches the port fills the disk.
"""

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from srm_service.core.api.problem import CONTENT_TYPE, problem

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 1024 * 1024
MOST_SECONDS = 20.0
TOO_LARGE = f"the request body is larger than {MOST_BYTES:,} bytes"
TOO_SLOW = f"the request body did not arrive within {MOST_SECONDS:.0f} s"


class BodyLimit:
    """An ASGI application around another; other kinds of connections pass."""

    def __init__(
        self, application: Application, *, most_bytes: int = MOST_BYTES, most_seconds: float = MOST_SECONDS
    ) -> None:
        self._application = application
        self._most_bytes = most_bytes
        self._most_seconds = most_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        if _announced_bytes(scope) > self._most_bytes:
            await _refuse(scope, send, 413, TOO_LARGE)
            return
        try:
            messages = await asyncio.wait_for(self._body(receive), self._most_seconds)
        except TimeoutError:
            await _refuse(scope, send, 408, TOO_SLOW)
            return
        if messages is None:
            await _refuse(scope, send, 413, TOO_LARGE)
            return
        waiting = iter(messages)

        async def replay() -> Message:
            return next(waiting, None) or await receive()

        await self._application(scope, replay, send)

    async def _body(self, receive: Receive) -> list[Message] | None:
        """Return the messages of the body; None when it is too large."""
        messages: list[Message] = []
        size = 0
        while True:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            if size > self._most_bytes:
                return None
            if message["type"] != "http.request" or not message.get("more_body", False):
                return messages


def _announced_bytes(scope: Scope) -> int:
    """Return the size that the client announces; 0 without a valid one, then the bytes are counted."""
    text = dict(scope["headers"]).get(b"content-length", b"")
    return int(text) if text.isdigit() and len(text) < 20 else 0


async def _refuse(scope: Scope, send: Send, status: int, text: str) -> None:
    request_id = uuid.uuid4().hex
    body = json.dumps({**problem(status, text, scope["path"]), "request_id": request_id}).encode()
    headers = [
        (b"content-type", CONTENT_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"x-request-id", request_id.encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
