"""Talks to an ASGI application over a websocket without a server."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from asgiref.testing import ApplicationCommunicator

_MAKE: Any = ApplicationCommunicator  # not typed


class WebsocketCommunicator:
    """One socket. Every wait ends after five seconds with a TimeoutError."""

    _WAIT_S = 5

    def __init__(self, application: Any, path: str, headers: Iterable[tuple[bytes, bytes]]) -> None:
        scope = {"type": "websocket", "path": path, "query_string": b"", "headers": list(headers), "subprotocols": []}
        self._application = _MAKE(application, scope)

    async def connect(self) -> bool:
        """Open the socket; False when it was refused."""
        await self._application.send_input({"type": "websocket.connect"})
        answer = await self.receive()
        return str(answer["type"]) == "websocket.accept"

    async def receive(self) -> Mapping[str, Any]:
        message: Mapping[str, Any] = await self._application.receive_output(self._WAIT_S)
        return message

    async def receive_text(self) -> str:
        """The next text; AssertionError when the socket was closed instead."""
        message = await self.receive()
        assert message["type"] == "websocket.send", f"expected a text, got {message}"
        return str(message["text"])

    async def receive_json(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(await self.receive_text())
        return document

    async def send_text(self, text: str) -> None:
        await self._application.send_input({"type": "websocket.receive", "text": text})

    async def send_json(self, document: Mapping[str, Any]) -> None:
        await self.send_text(json.dumps(document))

    async def disconnect(self) -> None:
        await self._application.send_input({"type": "websocket.disconnect", "code": 1000})
        await self._application.wait(self._WAIT_S)
