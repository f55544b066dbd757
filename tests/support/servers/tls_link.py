"""Puts TLS in front of a server that has none."""

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

from srm_cli.machine.ports import LOOPBACK, free_port


@contextlib.contextmanager
def tls_in_front_of(port: int, certificate: Path) -> Iterator[int]:
    """Yield the port at which the server speaks TLS; the file holds key and certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    loop, own_port = asyncio.new_event_loop(), free_port()
    thread = threading.Thread(target=loop.run_forever, name="tls-link", daemon=True)
    thread.start()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream_reader, upstream_writer = await asyncio.open_connection(LOOPBACK, port)
        await asyncio.gather(_pass(reader, upstream_writer), _pass(upstream_reader, writer))

    starting = asyncio.start_server(serve, LOOPBACK, own_port, ssl=context)
    server = asyncio.run_coroutine_threadsafe(starting, loop).result(10)
    yield own_port
    loop.call_soon_threadsafe(server.close)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(5)


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
