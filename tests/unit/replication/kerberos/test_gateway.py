"""A stranger on the machine gets nothing from the gateway and cannot end it."""

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from replication.config.security.client_security import ClientSecurity
from replication.kerberos import gateway as module
from replication.kerberos.answers import API_VERSIONS, SASL_AUTHENTICATE, SASL_HANDSHAKE
from replication.kerberos.gateway import KerberosGateway

WAIT_S = 5.0
OTHER_REQUEST = 32


class Broker:
    """Answers ApiVersions with one range, everything else with its own correlation id; counts connections."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = self._listener.getsockname()
        self.connections = 0
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            while request := receive(client):
                api_key, _version, correlation = struct.unpack_from(">hhi", request)
                answer = struct.pack(">i", correlation)
                if api_key == API_VERSIONS:
                    answer += struct.pack(">hihhh", 0, 1, 17, 0, 1)
                client.sendall(struct.pack(">i", len(answer)) + answer)

    def close(self) -> None:
        self._listener.close()


def receive(client: socket.socket) -> bytes:
    """One frame; nothing when the other side hung up."""
    try:
        head = client.recv(4, socket.MSG_WAITALL)
        return client.recv(struct.unpack(">i", head)[0], socket.MSG_WAITALL) if len(head) == 4 else b""
    except ConnectionError:
        return b""


def ask(client: socket.socket, api_key: int, body: bytes = b"", *, version: int = 0) -> bytes:
    frame = struct.pack(">hhih", api_key, version, 7, -1) + body
    client.sendall(struct.pack(">i", len(frame)) + frame)
    return receive(client)


def proof(secret: str) -> bytes:
    token = f"\0srm\0{secret}".encode()
    return struct.pack(">i", len(token)) + token


@pytest.fixture
def broker() -> Iterator[Broker]:
    started = Broker()
    yield started
    started.close()


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> KerberosGateway:
    monkeypatch.setattr(module._Upstream, "log_in", lambda _: None)
    return KerberosGateway(ClientSecurity())


def connect(gateway: KerberosGateway, broker: Broker) -> socket.socket:
    return socket.create_connection(gateway.redirect(broker.address), WAIT_S)


def test_who_proves_to_be_us_reaches_the_broker(gateway: KerberosGateway, broker: Broker) -> None:
    with connect(gateway, broker) as client:
        assert ask(client, API_VERSIONS) == struct.pack(">ihihhh", 7, 0, 1, 17, 0, 1)
        assert ask(client, SASL_HANDSHAKE, version=1).endswith(b"PLAIN")
        assert ask(client, SASL_AUTHENTICATE, proof(gateway.secret)) == struct.pack(">ihhi", 7, 0, -1, 0)
        assert ask(client, OTHER_REQUEST) == struct.pack(">i", 7)


def test_strangers_open_no_connection_but_for_the_versions_once(gateway: KerberosGateway, broker: Broker) -> None:
    for _ in range(5):
        with connect(gateway, broker) as client:
            ask(client, API_VERSIONS)
            assert b"its own process only" in ask(client, SASL_AUTHENTICATE, proof("guessed"))
            assert client.recv(1) == b""
    with connect(gateway, broker) as client:
        assert ask(client, OTHER_REQUEST) == b""
    assert broker.connections == 1


def test_a_large_frame_is_not_taken_before_the_proof(gateway: KerberosGateway, broker: Broker) -> None:
    with connect(gateway, broker) as client:
        client.sendall(struct.pack(">i", 64 * 1024 + 1))
        assert receive(client) == b""


def test_who_drips_bytes_is_cut_off_when_the_time_for_the_proof_is_over(
    gateway: KerberosGateway, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PROOF_TIMEOUT_S", 0.4)
    began_s = time.monotonic()
    with connect(gateway, broker) as client:
        client.sendall(struct.pack(">i", 1_000))
        with suppress(ConnectionError):
            while time.monotonic() < began_s + WAIT_S:
                client.sendall(b"x")
                time.sleep(0.05)
    assert time.monotonic() - began_s < WAIT_S


def test_a_failed_accept_does_not_end_the_gateway(
    gateway: KerberosGateway, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept, failures = socket.socket.accept, iter([OSError("too many open files")])

    def failing(listener: socket.socket) -> tuple[socket.socket, tuple[str, int]]:
        if listener.getsockname() != broker.address and (error := next(failures, None)) is not None:
            raise error
        return accept(listener)

    monkeypatch.setattr(socket.socket, "accept", failing)
    with connect(gateway, broker) as client:
        assert ask(client, API_VERSIONS) != b""
    assert next(failures, None) is None
