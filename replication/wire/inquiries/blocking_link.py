"""A link to one cluster for callers that wait."""

from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from replication.domain.plan.slot import ClusterClient
from replication.wire.network.buffers import BufferPool
from replication.wire.network.cluster_link import ClusterLink
from replication.wire.network.loop import EngineLoop

POOL_BYTES = 8 * 1024 * 1024
CLOSE_S = 2.0
Found = TypeVar("Found")


class BlockingLink:
    """Runs on the given loop, which its owner starts; without one, on a loop from the first call to `close`."""

    def __init__(self, cluster: ClusterClient, client_id: str, loop: EngineLoop | None = None) -> None:
        self._cluster = cluster
        self._client_id = client_id
        self._pool = BufferPool(POOL_BYTES)
        self._owns_loop = loop is None
        self.loop = EngineLoop(client_id) if loop is None else loop
        self.link = self._new_link()
        self._links = [self.link]
        self._is_started = self._is_open = False

    def _new_link(self) -> ClusterLink:
        return ClusterLink(self.loop, self._pool, self._cluster, self._client_id)

    async def links(self, count: int) -> list[ClusterLink]:
        """Return so many open links, on the loop's thread: a broker answers one connection's requests one by one."""
        while len(self._links) < count:
            link = self._new_link()
            await link.open()
            self._links.append(link)
        return self._links[:count]

    def run(self, work: Callable[[], Coroutine[Any, Any, Found]]) -> Found:
        """Run the work on the loop's thread, over an open link; raises what the work raises."""
        outcome: Future[Found] = Future()

        async def watched() -> None:
            try:
                if not self._is_open:
                    await self.link.open()
                    self._is_open = True
                outcome.set_result(await work())
            except BaseException as error:
                outcome.set_exception(error)

        def begin() -> None:
            self.loop.spawn(watched())

        if self._owns_loop:
            self.loop.start()
        self._is_started = True
        self.loop.call_threadsafe(begin)
        return outcome.result()

    def close(self) -> None:
        if self._is_started:
            self._is_started = self._is_open = False
            for link in self._links:
                self.loop.call_threadsafe(link.close)
            if self._owns_loop:
                self.loop.stop(CLOSE_S)
