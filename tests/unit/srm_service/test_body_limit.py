"""Bodies are bounded before the application sees the request."""

import asyncio
import json
from collections.abc import Iterable
from typing import Any

import pytest

from srm_service.core.web.body_limit import BodyLimit


class Exchange:
    """One request with a body in parts; the application reads it and answers 200 with the size."""

    def __init__(self, parts: Iterable[bytes], *, announced: bytes | None = None, hangs: bool = False) -> None:
        self._parts = list(parts)
        self._hangs = hangs
        self._headers = [] if announced is None else [(b"content-length", announced)]
        self.was_called = False
        self.received = 0
        self.sent: list[Any] = []

    async def _application(self, scope: Any, receive: Any, send: Any) -> None:
        self.was_called = True
        more = True
        while more:
            message = await receive()
            self.received += len(message["body"])
            more = message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def _receive(self) -> Any:
        if self._hangs and len(self._parts) == 1:
            await asyncio.sleep(3_600)
        return {"type": "http.request", "body": self._parts.pop(0), "more_body": bool(self._parts)}

    async def _send(self, message: Any) -> None:
        self.sent.append(message)

    def run(self) -> int:
        limited = BodyLimit(self._application, most_bytes=100, most_seconds=0.2)
        scope = {"type": "http", "path": "/api/v2/replications", "headers": self._headers}
        asyncio.run(limited(scope, self._receive, self._send))
        return int(self.sent[0]["status"])


def test_a_body_within_the_limit_arrives_whole() -> None:
    exchange = Exchange([b"a" * 60, b"b" * 40], announced=b"100")
    assert (exchange.run(), exchange.received) == (200, 100)


@pytest.mark.parametrize("announced", [b"101", None, b"5", b"-1", b"x", b"9" * 30])
def test_a_larger_body_is_refused_before_the_application_is_called(announced: bytes | None) -> None:
    exchange = Exchange([b"a" * 60, b"b" * 41], announced=announced)
    assert (exchange.run(), exchange.was_called) == (413, False)
    assert dict(exchange.sent[0]["headers"])[b"content-type"] == b"application/problem+json"
    assert json.loads(exchange.sent[1]["body"])["status"] == 413


def test_a_body_that_does_not_end_is_refused() -> None:
    exchange = Exchange([b"a", b"b"], hangs=True)
    assert (exchange.run(), exchange.was_called) == (408, False)
