"""The event loop of this process for requests to other services, in its own thread, with one client."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from django.conf import settings

from srm_service.remote.asking.client import PeerClient

T = TypeVar("T")


class PeerLoop:
    """Starts at the first use. A process that forks afterwards must not use it in the child."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: PeerClient | None = None

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Run a coroutine on the loop; the caller may wait for the result, with a time limit."""
        return asyncio.run_coroutine_threadsafe(work, self._running())

    async def client(self) -> PeerClient:
        """The shared client; for coroutines on the loop."""
        if self._client is None:
            remote = settings.SRM_REMOTE
            self._client = PeerClient(ca_file=remote.ca_file, timeout_s=remote.timeout_ms / 1000)
        return self._client

    def renew_client(self) -> None:
        """Make another client next time: between tests with other settings."""
        client, self._client = self._client, None
        if client is not None:
            self.submit(client.aclose()).result(5.0)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="remote services", daemon=True).start()
            return self._loop


peer_loop = PeerLoop()
