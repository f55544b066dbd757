"""A gateway on loopback through which librdkafka reaches clusters that want Kerberos.

librdkafka's wheels are built without it. Each broker gets a port of ours; who connects proves with a secret of this
process that it is this process (SASL PLAIN), we log in at the broker with GSSAPI, and then frames pass one by one.
That is enough for the control plane; data flows over connections of its own.
"""

import hmac
import secrets
import socket
import struct
import threading
from collections.abc import Sequence

import structlog

from replication.config.security import ClientSecurity
from replication.config.ssl_context import ssl_context
from replication.kerberos.answers import API_VERSIONS, SASL_AUTHENTICATE, SASL_HANDSHAKE, Address, rewritten
from replication.kerberos.initiator import open_initiator

log = structlog.get_logger(__name__)

LOOPBACK = "127.0.0.1"
USER = "srm"
CONNECT_TIMEOUT_S = 5.0
ANSWER_TIMEOUT_S = 60.0
LARGEST_FRAME_BYTES = 128 * 1024 * 1024
_REFUSED = 58  # SASL_AUTHENTICATION_FAILED
_HEAD = struct.Struct(">hhi")  # api key, version, correlation id
_FAILURES = (OSError, ValueError, EOFError)


class KerberosGateway:
    """One cluster's gateway; lives as long as the process."""

    def __init__(self, security: ClientSecurity) -> None:
        self._security = security
        self._lock = threading.Lock()
        self._ports: dict[Address, int] = {}
        self.secret = secrets.token_urlsafe(32)

    def redirect(self, broker: Address) -> Address:
        """Where to connect to reach this broker."""
        with self._lock:
            if broker not in self._ports:
                listener = socket.create_server((LOOPBACK, 0))
                self._ports[broker] = listener.getsockname()[1]
                threading.Thread(target=self._accept, args=(listener, broker), daemon=True).start()
            return LOOPBACK, self._ports[broker]

    def _accept(self, listener: socket.socket, broker: Address) -> None:
        while True:
            client, _ = listener.accept()
            threading.Thread(target=self._serve, args=(client, broker), daemon=True).start()

    def _serve(self, client: socket.socket, broker: Address) -> None:
        try:
            with client, _Upstream(self._security, broker) as upstream:
                self._pass_on(client, upstream)
        except _FAILURES as error:
            log.debug("gateway connection ended", broker=f"{broker[0]}:{broker[1]}", error=str(error))

    def _pass_on(self, client: socket.socket, upstream: "_Upstream") -> None:
        is_ours = False
        while True:
            request = _read_frame(client)
            api_key, version, correlation = _HEAD.unpack_from(request)
            if api_key == SASL_HANDSHAKE:
                _send_frame(client, struct.pack(">ihih5s", correlation, 0, 1, 5, b"PLAIN"))
            elif api_key == SASL_AUTHENTICATE:
                answer, is_ours = self._log_in(request, upstream)
                lifetime = upstream.lifetime if version >= 1 else b""
                _send_frame(client, struct.pack(">i", correlation) + answer + lifetime)
            elif is_ours or api_key == API_VERSIONS:
                _send_frame(client, rewritten(api_key, version, upstream.ask(request), self.redirect))
            else:
                return

    def _log_in(self, request: bytes, upstream: "_Upstream") -> tuple[bytes, bool]:
        """(error, message and an empty token, whether it was our process and the broker took us)."""
        offered = request[-len(self._proof) :]
        if not hmac.compare_digest(offered, self._proof):
            return _refusal("the gateway serves its own process only"), False
        try:
            upstream.log_in()
        except _FAILURES as error:
            return _refusal(str(error)), False
        return struct.pack(">hhi", 0, -1, 0), True

    @property
    def _proof(self) -> bytes:
        return f"\0{USER}\0{self.secret}".encode()


class _Upstream:
    """The connection to the broker."""

    def __init__(self, security: ClientSecurity, broker: Address) -> None:
        self._security = security
        self._host = broker[0]
        self.lifetime = bytes(8)  # of the session in ms, as the broker wrote it; 0 without end (KIP-368)
        plain = socket.create_connection(broker, CONNECT_TIMEOUT_S)
        plain.settimeout(ANSWER_TIMEOUT_S)
        self._socket = plain
        if security.tls is not None:
            try:
                self._socket = ssl_context(security.tls).wrap_socket(plain, server_hostname=self._host)
            except BaseException:
                plain.close()
                raise

    def __enter__(self) -> "_Upstream":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def ask(self, request: bytes) -> bytes:
        _send_frame(self._socket, request)
        return _read_frame(self._socket)

    def log_in(self) -> None:
        """GSSAPI, the first time and again before the session ends. Raises ValueError with the broker's reason."""
        if self._security.kerberos is None:
            raise ValueError("the cluster's settings name no Kerberos login")
        answer = self.ask(_request(SASL_HANDSHAKE) + struct.pack(">h6s", 6, b"GSSAPI"))
        if struct.unpack_from(">h", answer, 4)[0] != 0:
            raise ValueError("the broker does not offer GSSAPI on this port")
        initiator = open_initiator(self._security.kerberos, self._host)
        initiator.start()
        while not initiator.is_done:
            token = initiator.next_token()
            answer = self.ask(_request(SASL_AUTHENTICATE) + struct.pack(">i", len(token)) + token)
            error, length = struct.unpack_from(">hh", answer, 4)
            at = 8 + max(0, length)
            if error != 0:
                raise ValueError(answer[8:at].decode("utf-8", "replace") or "the broker refuses the login")
            size = struct.unpack_from(">i", answer, at)[0]
            initiator.receive(answer[at + 4 : at + 4 + max(0, size)])
            self.lifetime = answer[-8:]


def _request(api_key: int) -> bytes:
    """The header of a version 1 request."""
    return _HEAD.pack(api_key, 1, 0) + struct.pack(">h3s", 3, b"srm")


def _refusal(text: str) -> bytes:
    message = text.encode()[:1_000]
    return struct.pack(">hh", _REFUSED, len(message)) + message + struct.pack(">i", 0)


def _send_frame(connection: socket.socket, frame: bytes) -> None:
    connection.sendall(struct.pack(">i", len(frame)) + frame)


def _read_frame(connection: socket.socket) -> bytes:
    size = struct.unpack(">i", _read(connection, 4))[0]
    if not 4 <= size <= LARGEST_FRAME_BYTES:
        raise ValueError(f"a frame of {size} bytes is no Kafka message")
    return _read(connection, size)


def _read(connection: socket.socket, size: int) -> bytes:
    data = bytearray(size)
    view, at = memoryview(data), 0
    while at < size:
        received = connection.recv_into(view[at:])
        if received == 0:
            raise EOFError("the connection was closed")
        at += received
    return bytes(data)


_GATEWAYS: dict[tuple[ClientSecurity, tuple[str, ...]], KerberosGateway] = {}
_GATEWAYS_LOCK = threading.Lock()


def kerberos_gateway(security: ClientSecurity, bootstrap: Sequence[str]) -> tuple[KerberosGateway, list[str]]:
    """The gateway of these settings in this process, and the addresses to bootstrap from."""
    key = (security, tuple(bootstrap))
    with _GATEWAYS_LOCK:
        gateway = _GATEWAYS.get(key)
        if gateway is None:
            gateway = _GATEWAYS[key] = KerberosGateway(security)
    addresses = []
    for server in bootstrap:
        host, _, port = server.rpartition("://")[2].rpartition(":")
        local_host, local_port = gateway.redirect((host.strip("[]"), int(port)))
        addresses.append(f"{local_host}:{local_port}")
    return gateway, addresses
