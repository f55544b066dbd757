"""A TCP link that can be slow, one-sided or gone: a proxy in this process between an engine and one broker."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Literal, TypeVar

from srm_cli.machine.ports import LOOPBACK

Direction = Literal["to_broker", "from_broker"]
_CHUNK_BYTES = 256 * 1024
_CHUNKS_ON_THE_WAY = 64
_LOOK_S = 0.05

T = TypeVar("T")


class SlowLink:
    """Listens on `port`. Bytes are kept in order and are never lost on a connection, as TCP has it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.upstream_port = 0  # set before the first connection
        self.one_way_s = 0.0
        self._held: set[Direction] = set()
        self._is_down = False
        self._loop = asyncio.new_event_loop()
        self._writers: set[asyncio.StreamWriter] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="slow-link", daemon=True)
        self._thread.start()
        self._server = self._call(lambda: asyncio.start_server(self._connected, LOOPBACK, port))

    @contextlib.contextmanager
    def cut_one_way(self, direction: Direction) -> Iterator[None]:
        """Nothing arrives in this direction; connections stay open, so no side notices."""
        self._held.add(direction)
        try:
            yield
        finally:
            self._held.discard(direction)

    @contextlib.contextmanager
    def down(self) -> Iterator[None]:
        """Connections break and new ones are refused at once."""
        self._is_down = True
        self._call(self._break_all)
        try:
            yield
        finally:
            self._is_down = False

    def close(self) -> None:
        self._call(self._shut)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    def _call(self, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        return asyncio.run_coroutine_threadsafe(make(), self._loop).result(10)

    async def _break_all(self) -> None:
        for writer in list(self._writers):
            writer.transport.abort()

    async def _shut(self) -> None:
        self._server.close()
        await self._break_all()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_down:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection(LOOPBACK, self.upstream_port)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, far_writer}
        ways = [
            asyncio.ensure_future(self._carry(reader, far_writer, "to_broker")),
            asyncio.ensure_future(self._carry(far_reader, writer, "from_broker")),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:  # the link closes; a cancelled handler would be reported as an error
            pass
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            for each in (writer, far_writer):
                each.transport.abort()
                self._writers.discard(each)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: Direction) -> None:
        """Both halves of one direction: chunks leave one delay after they came."""
        queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(_CHUNKS_ON_THE_WAY)
        taking = asyncio.ensure_future(self._take(reader, queue))
        try:
            while True:
                due_s, chunk = await queue.get()
                if not chunk:
                    return
                await asyncio.sleep(max(0.0, due_s - self._loop.time()))
                while way in self._held:
                    await asyncio.sleep(_LOOK_S)
                writer.write(chunk)
                await writer.drain()
        except OSError:
            pass  # the other side is gone
        finally:
            taking.cancel()

    async def _take(self, reader: asyncio.StreamReader, queue: asyncio.Queue[tuple[float, bytes]]) -> None:
        """An empty chunk is the end."""
        chunk = b"some"
        while chunk:
            try:
                chunk = await reader.read(_CHUNK_BYTES)
            except OSError:
                chunk = b""
            await queue.put((self._loop.time() + self.one_way_s, chunk))
