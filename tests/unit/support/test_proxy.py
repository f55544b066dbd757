"""The slow link delays, holds and breaks, and never loses or swaps a byte of a connection that stands."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from srm_cli.machine.ports import LOOPBACK, free_port
from tests.support.servers.proxy import SlowLink


@pytest.fixture
def echo() -> Iterator[int]:
    """A server that answers with what it gets."""
    server = socket.create_server((LOOPBACK, 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    def answer(connection: socket.socket) -> None:
        with connection:
            try:
                while data := connection.recv(65536):
                    connection.sendall(data)
            except OSError:
                return

    threading.Thread(target=serve, daemon=True).start()
    yield server.getsockname()[1]
    server.close()


@pytest.fixture
def link(echo: int) -> Iterator[SlowLink]:
    made = SlowLink(free_port())
    made.upstream_port = echo
    yield made
    made.close()


def read_exactly(connection: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        chunk = connection.recv(count - len(found))
        assert chunk, f"the connection ended after {len(found)} bytes"
        found += chunk
    return found


def test_a_round_trip_takes_twice_the_one_way_delay(link: SlowLink) -> None:
    link.one_way_s = 0.1
    with socket.create_connection((LOOPBACK, link.port), 5) as connection:
        began = time.monotonic()
        connection.sendall(b"ping")
        assert read_exactly(connection, 4) == b"ping"
    assert 0.2 <= time.monotonic() - began < 2.0


def test_many_bytes_come_back_whole_and_in_order(link: SlowLink) -> None:
    link.one_way_s = 0.02
    data = bytes(range(256)) * 8_000
    with socket.create_connection((LOOPBACK, link.port), 5) as connection:
        threading.Thread(target=connection.sendall, args=(data,), daemon=True).start()
        assert read_exactly(connection, len(data)) == data


def test_what_is_held_in_one_direction_arrives_afterwards(link: SlowLink) -> None:
    with socket.create_connection((LOOPBACK, link.port), 5) as connection:
        with link.cut_one_way("from_broker"):
            connection.sendall(b"ping")
            connection.settimeout(0.3)
            with pytest.raises(TimeoutError):
                connection.recv(4)
        connection.settimeout(5)
        assert read_exactly(connection, 4) == b"ping"


def test_a_link_that_is_down_breaks_connections_and_refuses_new_ones_until_it_is_up(link: SlowLink) -> None:
    with socket.create_connection((LOOPBACK, link.port), 5) as connection:
        connection.sendall(b"ping")
        read_exactly(connection, 4)
        with link.down():
            assert connection.recv(4) == b""
            with socket.create_connection((LOOPBACK, link.port), 5) as refused:
                assert refused.recv(4) == b""
    with socket.create_connection((LOOPBACK, link.port), 5) as connection:
        connection.sendall(b"back")
        assert read_exactly(connection, 4) == b"back"
