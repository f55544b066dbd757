"""A gateway on loopback through which librdkafka reaches clusters that want Kerberos.

librdkafka's wheels are built without it. Each broker gets a port of ours; who connects proves with a secret of this
process that it is this process (SASL PLAIN), we log in at the broker with GSSAPI, and then frames pass one by one.
That is enough for the control plane; data flows over separate connections.

Any process of the machine can connect. Before the proof it gets little: a short time, small frames and the broker's
versions, which are asked for once a minute at most. Its own connection to the broker is opened after the proof only.
"""

import hmac
import secrets
import socket
import struct
import threading
import time
from collections import defaultdict
from collections.abc import Sequence

import structlog

from replication.config.security.client_security import ClientSecurity
from replication.config.security.ssl_context import ssl_context
from replication.kerberos.answers import API_VERSIONS, SASL_AUTHENTICATE, SASL_HANDSHAKE, Address, rewritten
from replication.kerberos.initiator import open_initiator

log = structlog.get_logger(__name__)

LOOPBACK = "127.0.0.1"
USER = "srm"
CONNECT_TIMEOUT_S = 5.0
ANSWER_TIMEOUT_S = 60.0
LARGEST_FRAME_BYTES = 128 * 1024 * 1024
PROOF_TIMEOUT_S = 10.0  # from the connection to the proof
LARGEST_UNPROVED_BYTES = 64 * 1024
VERSIONS_LAST_S = 60.0
NEWEST_API_VERSIONS = 3
_UNSUPPORTED_VERSION = 35
_AFTER_ACCEPT_FAILED_S = 0.2
_REFUSED = 58  # SASL_AUTHENTICATION_FAILED
_HEAD = struct.Struct(">hhi")  # api key, version, correlation id
_FAILURES = (OSError, ValueError, EOFError)


class KerberosGateway:
    """One cluster's gateway; lives as long as the process."""

    def __init__(self, security: ClientSecurity) -> None:
        self._security = security
        self._lock = threading.Lock()
        self._ports: dict[Address, int] = {}
        self._version_locks: defaultdict[Address, threading.Lock] = defaultdict(threading.Lock)
        self._versions: dict[tuple[Address, int], tuple[float, bytes]] = {}  # until when, answer without correlation id
        self.secret = secrets.token_urlsafe(32)

    def redirect(self, broker: Address) -> Address:
        """Return the local address that leads to this broker."""
        with self._lock:
            if broker not in self._ports:
                listener = socket.create_server((LOOPBACK, 0))
                self._ports[broker] = listener.getsockname()[1]
                threading.Thread(target=self._accept, args=(listener, broker), daemon=True).start()
            return LOOPBACK, self._ports[broker]

    def _accept(self, listener: socket.socket, broker: Address) -> None:
        """As long as the process lives: without it the cluster is out of reach."""
        while True:
            try:
                client, _ = listener.accept()
            except OSError as error:
                log.warning("gateway cannot take a connection", broker=f"{broker[0]}:{broker[1]}", error=str(error))
                time.sleep(_AFTER_ACCEPT_FAILED_S)  # it is the machine's limit of open files, or of the process
                continue
            try:
                threading.Thread(target=self._serve, args=(client, broker), daemon=True).start()
            except RuntimeError as error:
                log.warning("gateway has no thread for a connection", error=str(error))
                client.close()

    def _serve(self, client: socket.socket, broker: Address) -> None:
        try:
            with client:
                self._serve_client(client, broker)
        except (*_FAILURES, struct.error) as error:
            log.debug("gateway connection ended", broker=f"{broker[0]}:{broker[1]}", error=str(error))

    def _serve_client(self, client: socket.socket, broker: Address) -> None:
        request = self._until_proof(client, broker)
        if request is None:
            return
        try:
            upstream = _Upstream(self._security, broker)
        except _FAILURES as error:
            _refuse(client, request, str(error))
            return
        with upstream:
            self._pass_on(client, upstream, request)

    def _until_proof(self, client: socket.socket, broker: Address) -> bytes | None:
        """The login that proves to be ours; None for a stranger's."""
        until_s = time.monotonic() + PROOF_TIMEOUT_S
        while True:
            request = _read_frame(client, LARGEST_UNPROVED_BYTES, until_s)
            api_key, version, correlation = _HEAD.unpack_from(request)
            if api_key == API_VERSIONS:
                began_s = time.monotonic()
                _send_frame(client, struct.pack(">i", correlation) + self._broker_versions(broker, version))
                until_s += time.monotonic() - began_s
            elif api_key == SASL_HANDSHAKE:
                _shake_hands(client, correlation)
            elif api_key == SASL_AUTHENTICATE and self._is_ours(request):
                client.settimeout(None)
                return request
            else:
                if api_key == SASL_AUTHENTICATE:
                    _refuse(client, request, "the gateway serves its own process only")
                return None

    def _broker_versions(self, broker: Address, version: int) -> bytes:
        """The broker's answer to ApiVersions, whoever asks; one connection at a time, and none while it is known."""
        if not 0 <= version <= NEWEST_API_VERSIONS:
            return struct.pack(">hi", _UNSUPPORTED_VERSION, 0)  # in the oldest layout: the client asks with version 0
        with self._lock:
            asking = self._version_locks[broker]
        if not asking.acquire(timeout=PROOF_TIMEOUT_S):
            raise TimeoutError("others wait for the broker's versions")
        try:
            until_s, answer = self._versions.get((broker, version), (0.0, b""))
            if time.monotonic() >= until_s:
                with _Upstream(self._security, broker, PROOF_TIMEOUT_S) as upstream:
                    raw = upstream.ask(_versions_request(version))
                answer = rewritten(API_VERSIONS, version, raw, self.redirect)[4:]
                self._versions[broker, version] = time.monotonic() + VERSIONS_LAST_S, answer
            return answer
        finally:
            asking.release()

    def _pass_on(self, client: socket.socket, upstream: "_Upstream", request: bytes) -> None:
        """From the proof on, which `request` is."""
        while True:
            api_key, version, correlation = _HEAD.unpack_from(request)
            if api_key == SASL_HANDSHAKE:
                _shake_hands(client, correlation)
            elif api_key == SASL_AUTHENTICATE:
                if (reason := self._log_in(request, upstream)) is not None:
                    _refuse(client, request, reason)
                    return
                lifetime = upstream.lifetime if version >= 1 else b""
                _send_frame(client, struct.pack(">ihhi", correlation, 0, -1, 0) + lifetime)
            else:
                _send_frame(client, rewritten(api_key, version, upstream.ask(request), self.redirect))
            request = _read_frame(client, LARGEST_FRAME_BYTES)

    def _log_in(self, request: bytes, upstream: "_Upstream") -> str | None:
        """Why not; None when it was our process and the broker took us."""
        if not self._is_ours(request):
            return "the gateway serves its own process only"
        try:
            upstream.log_in()
        except _FAILURES as error:
            return str(error)
        return None

    def _is_ours(self, request: bytes) -> bool:
        return hmac.compare_digest(request[-len(self._proof) :], self._proof)

    @property
    def _proof(self) -> bytes:
        return f"\0{USER}\0{self.secret}".encode()


class _Upstream:
    """The connection to the broker."""

    def __init__(self, security: ClientSecurity, broker: Address, timeout_s: float = ANSWER_TIMEOUT_S) -> None:
        self._security = security
        self._host = broker[0]
        self.lifetime = bytes(8)  # of the session in ms, as the broker wrote it; 0 without end (KIP-368)
        plain = socket.create_connection(broker, CONNECT_TIMEOUT_S)
        plain.settimeout(timeout_s)
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
        return _read_frame(self._socket, LARGEST_FRAME_BYTES)

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


def _versions_request(version: int) -> bytes:
    head = _HEAD.pack(API_VERSIONS, version, 0) + struct.pack(">h3s", 3, b"srm")
    named = struct.pack(">BB3sB1sB", 0, 4, b"srm", 2, b"1", 0)  # tags, name and version of the client, tags
    return head + named if version >= NEWEST_API_VERSIONS else head


def _shake_hands(client: socket.socket, correlation: int) -> None:
    _send_frame(client, struct.pack(">ihih5s", correlation, 0, 1, 5, b"PLAIN"))


def _refuse(client: socket.socket, request: bytes, text: str) -> None:
    _, version, correlation = _HEAD.unpack_from(request)
    message = text.encode()[:1_000]
    answer = struct.pack(">ihh", correlation, _REFUSED, len(message)) + message + struct.pack(">i", 0)
    _send_frame(client, answer + (bytes(8) if version >= 1 else b""))


def _send_frame(connection: socket.socket, frame: bytes) -> None:
    connection.sendall(struct.pack(">i", len(frame)) + frame)


def _read_frame(connection: socket.socket, largest_bytes: int, until_s: float | None = None) -> bytes:
    """`until_s` of the monotonic clock bounds the whole frame; without it the socket's own time-out each piece."""
    size = struct.unpack(">i", _read(connection, 4, until_s))[0]
    if not 4 <= size <= largest_bytes:
        raise ValueError(f"a frame of {size} bytes is no Kafka message")
    return _read(connection, size, until_s)


def _read(connection: socket.socket, size: int, until_s: float | None) -> bytes:
    data = bytearray(size)
    view, at = memoryview(data), 0
    while at < size:
        if until_s is not None:
            connection.settimeout(max(0.001, until_s - time.monotonic()))
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
