"""Bounds the head of a request, its first line and headers, in time and size.

An application sees a request only once its head is complete. Without a bound anyone who reaches the port keeps
connections with half a head open for ever, until the process has no file descriptor left.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_SECONDS = 20.0
MOST_BYTES = 64 * 1024


class BoundedHeadProtocol(HttpToolsProtocol):
    """Uvicorn's protocol, which closes a connection whose next request does not begin well.

    The first request has its time from the connection on, each later one from its first byte: uvicorn's keep-alive
    time-out bounds the time between requests.
    """

    most_seconds = MOST_SECONDS
    most_bytes = MOST_BYTES
    _deadline: asyncio.TimerHandle | None = None
    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_here()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._deadline is not None:
            self._head_bytes += len(data)
            if self._head_bytes > self.most_bytes:
                self._close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._await_head()

    def on_headers_complete(self) -> None:
        self._head_is_here()
        super().on_headers_complete()

    def _await_head(self) -> None:
        if self._deadline is None:
            self._head_bytes = 0
            self._deadline = self.loop.call_later(self.most_seconds, self._close)

    def _head_is_here(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        self._head_is_here()
        transport: Any = self.transport
        if transport is not None and not transport.is_closing():
            transport.close()
