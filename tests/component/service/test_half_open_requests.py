"""A client that does not complete the head of its request loses its connection; others keep theirs."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from srm_cli.system import commands
from srm_service.core.web.request_head import BoundedHeadProtocol
from tests.support.eventually import eventually

COMPLETE = b"GET / HTTP/1.1\r\nHost: s\r\n\r\n"


class _QuickProtocol(BoundedHeadProtocol):
    most_seconds = 0.3
    most_bytes = 4_096


async def _application(scope: Any, receive: Any, send: Any) -> None:
    assert scope["type"] == "http"
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    config = uvicorn.Config(_application, port=0, http=_QuickProtocol, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    eventually(lambda: server.started, 10, "the server listens")
    yield int(server.servers[0].sockets[0].getsockname()[1])
    server.should_exit = True
    thread.join(10)


@contextlib.contextmanager
def client(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        yield connection


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: s\r\nX-Half: "])
def test_half_a_head_is_not_waited_for(port: int, sent: bytes) -> None:
    with client(port) as connection:
        connection.sendall(sent)
        assert connection.recv(1_000) == b""


def test_half_a_head_behind_a_complete_request_is_not_waited_for(port: int) -> None:
    with client(port) as connection:
        connection.sendall(COMPLETE)
        assert connection.recv(1_000).endswith(b"ok")
        connection.sendall(b"GET / HTTP/1.1\r\nHost: s\r\n")
        assert connection.recv(1_000) == b""


def test_a_head_without_end_is_cut_off(port: int) -> None:
    with client(port) as connection, pytest.raises(OSError, match=r"reset|pipe"):  # noqa: PT012
        connection.sendall(b"GET / HTTP/1.1\r\n")
        for number in range(10_000):
            connection.sendall(b"X-%d: %s\r\n" % (number, b"x" * 100))


def test_complete_requests_are_answered_one_after_the_other(port: int) -> None:
    with client(port) as connection:
        for _ in range(3):
            connection.sendall(COMPLETE)
            assert connection.recv(1_000).endswith(b"ok")


def test_the_service_uses_it() -> None:
    command = commands.service(host="127.0.0.1", port=1)

    assert command[command.index("--http") + 1] == (
        f"{BoundedHeadProtocol.__module__}:{BoundedHeadProtocol.__qualname__}"
    )
