"""Connections over frames and their manager, below everything that asks a broker.

Authentication, back-off and throttling are kafka-python's. Requests that encode themselves go out past its encoder.
"""

import random
import time
from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Protocol

import kafka.errors as kafka_errors
from kafka.future import Future
from kafka.net.connection import KafkaConnection
from kafka.net.inet import KafkaNetSocket
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import Task, TaskState
from kafka.protocol.frame import KafkaBytes
from kafka.protocol.parser import KafkaProtocol

from replication.wire.inquiries.first_answer import SILENT_S
from replication.wire.network.buffers import FrameBuffer, FrameMemory
from replication.wire.network.error_translation import reason_of, tls_refusal
from replication.wire.network.frames import IncomingFrames, PlainTransport, TlsTransport
from replication.wire.network.loop import EngineLoop

MAX_FRAME_BYTES = 2**31 - 1
REQUESTS_IN_FLIGHT = 64  # ours are limited per purpose; this only keeps the library from refusing them


def _never() -> None:
    """Does nothing; no timer calls it."""


_NO_TIMER = Task(_never)
_NO_TIMER.state = TaskState.DONE  # cancelling it costs nothing


class RawRequest(Protocol):
    """A request that encodes itself into buffers and decodes its own answer."""

    API_KEY: ClassVar[int]
    API_VERSION: int | None  # chosen when it is sent

    def expect_response(self) -> bool: ...

    def encode(self, correlation_id: int, client_id: str) -> list[bytes | memoryview]:
        """The whole frame, length first, as buffers to send one after the other."""
        ...

    def decode_answer(self, body: memoryview, frame: FrameBuffer | None) -> Any:
        """The answer, from the correlation id on. `frame` holds pooled bytes; retain it to keep them."""
        ...


class _FrameProtocol(KafkaProtocol):  # type: ignore[misc] # kafka-python has no types
    """Encodes requests of both kinds into one queue of buffers."""

    bytes_to_send: list[bytes | memoryview]

    def send_request(self, request: Any, correlation_id: int | None = None) -> int:
        if not hasattr(request, "decode_answer"):
            return int(super().send_request(request, correlation_id))
        number = int(self._next_correlation_id())
        self.bytes_to_send.extend(request.encode(number, self._client_id))
        self.in_flight_requests.append(request)
        return number

    def send_bytes(self) -> list[bytes | memoryview]:
        data = self.bytes_to_send
        self.bytes_to_send = []
        return data

    def decode(self, body: memoryview, frame: FrameBuffer | None) -> tuple[int, Any]:
        """(correlation id, answer) of a complete frame."""
        if not self.in_flight_requests:
            raise kafka_errors.CorrelationIdError("an answer without a request")
        request = self.in_flight_requests[0]
        if hasattr(request, "decode_answer"):
            self.in_flight_requests.popleft()
            return int.from_bytes(body[:4], "big", signed=True), request.decode_answer(body, frame)
        number, response = self._process_response(KafkaBytes(bytes(body)))
        return int(number), response


class FrameConnection(KafkaConnection):  # type: ignore[misc] # kafka-python has no types
    """A broker connection over frames. Our own requests share one timer and take the short way out."""

    is_held = False  # its requests wait for the answers of the connection that it replaces
    _drained: Future | None = None
    _watched_until: float | None = None  # when the timer of our requests rings
    _unmuted_at = 0.0  # a broker's quota keeps it from reading our requests until then
    began_at = 0.0

    @property
    def is_silent(self) -> bool:
        """True when its broker owes an answer, or the end of the login, for long."""
        waiting = self.in_flight_requests
        since = waiting[0][2] if waiting else self.began_at
        return bool(waiting or not self.connected) and time.monotonic() - since > SILENT_S

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._versions: dict[tuple[type, int | None], int] = {}
        self.parser = _FrameProtocol(client_id=self.config["client_id"], receive_message_max_bytes=MAX_FRAME_BYTES)

    async def initialize(self, timeout_at: float | None = None) -> None:
        await super().initialize(timeout_at=timeout_at)
        if self.init_future.succeeded() and self.transport is not None:
            self.transport.frames.is_broker = True

    def send_request(self, request: Any, request_timeout_ms: float | None = None) -> Future:
        if not self.is_held:
            return super().send_request(request, request_timeout_ms)
        answer = Future()
        self._request_buffer.append((request, answer, self._timeout_at(timeout_ms=request_timeout_ms)))
        return answer

    def send_buffered(self) -> None:
        if not self.is_held:
            super().send_buffered()

    def let_go(self) -> None:
        """Send what waited while the connection was held."""
        self.is_held = False
        if self.connected and not self._reauth.is_reauthenticating:
            self.send_buffered()

    async def drained(self) -> None:
        """Wait until every request has its answer, or the connection has ended."""
        self._drained = drained = Future()
        self.close_future.add_both(lambda _: self._note_drained())
        self._note_drained()
        await drained

    def _note_drained(self) -> None:
        drained = self._drained
        if drained is None or drained.is_done:
            return
        if self.closed or not (self.in_flight_requests or self._request_buffer):
            drained.success(None)

    def _send_request(self, request: Any, future: Future | None = None, timeout_at: float | None = None) -> Future:
        if self.closed or not hasattr(request, "decode_answer"):
            return super()._send_request(request, future, timeout_at)
        answer = Future() if future is None else future
        sent_at = time.monotonic()
        until = self._timeout_at(now=sent_at) if timeout_at is None else timeout_at
        try:
            request.API_VERSION = self._version_of(request)
        except kafka_errors.IncompatibleBrokerVersion as error:
            return answer.failure(error)
        if until <= sent_at:
            return answer.failure(kafka_errors.KafkaTimeoutError())
        number = self.parser.send_request(request)
        self.in_flight_requests.append((number, answer, sent_at, until, _NO_TIMER))
        if self._watched_until is None or until < self._watched_until:
            self._watch(until)
        if not self.paused:
            self.transport.write(self.parser.send_bytes())
        if len(self.in_flight_requests) >= REQUESTS_IN_FLIGHT:
            self.pause("max_in_flight")
        return answer

    def _version_of(self, request: RawRequest) -> int:
        if request.API_VERSION is not None:
            return request.API_VERSION
        kind = type(request), getattr(request, "max_version", None)
        if kind not in self._versions:
            self._versions[kind] = self.broker_version_data.api_version(request)
        return self._versions[kind]

    def _watch(self, until: float) -> None:
        self._watched_until = until
        self.net.call_at(until, lambda: self._check_overdue(until))

    def _check_overdue(self, rang_at: float) -> None:
        """The library has a timer for each request: most of the cost of a small one."""
        if rang_at != self._watched_until:
            return  # an earlier one was set since
        self._watched_until = None
        if self.closed or not self.in_flight_requests:
            return
        overdue = min(self.in_flight_requests, key=self._deadline)
        until = self._deadline(overdue)
        if until <= time.monotonic():
            _number, future, sent_at, _until, _timer = overdue
            self._request_timed_out(future, sent_at, until)
        else:
            self._watch(until)

    def _deadline(self, request: tuple[int, Future, float, float, Task]) -> float:
        """Return when the answer is due: the time of a request to a muted broker starts when the mute ends."""
        _number, _future, sent_at, until, _timer = request
        return max(until, self._unmuted_at + until - sent_at)

    def _maybe_throttle(self, response: Any) -> None:
        """A quota of the broker: it reads nothing more of this connection for so long, even if we ask (KIP-219).

        The library refuses requests meanwhile as if the broker were away; ours wait.
        """
        throttle_ms = getattr(response, "throttle_time_ms", 0)
        if throttle_ms > 0:
            self._unmuted_at = max(self._unmuted_at, time.monotonic() + throttle_ms / 1000)

    def frame_received(self, body: memoryview, frame: FrameBuffer | None) -> None:
        """One whole answer; the frame is released afterwards unless its request retained it."""
        try:
            if self.closed:
                return
            waiting = self.in_flight_requests
            if not waiting or body[:4] != waiting[0][0].to_bytes(4, "big", signed=True):
                raise kafka_errors.CorrelationIdError("an answer to another request than the oldest one")
            _number, response = self.parser.decode(body, frame)
            _expected, future, _sent, _timeout_at, timer = waiting.popleft()
            if timer is not _NO_TIMER:
                self.net.cancel(timer)
            self._maybe_throttle(response)
            future.success(response)
            if "max_in_flight" in self.paused and len(self.in_flight_requests) < REQUESTS_IN_FLIGHT:
                self.unpause("max_in_flight")
            self._reauth.on_response_processed()
            if self._drained is not None:
                self._note_drained()
        finally:
            if frame is not None:
                frame.release()


class FrameConnectionManager(KafkaConnectionManager):  # type: ignore[misc] # kafka-python has no types
    """kafka-python's manager, making our connections and resolving names off the loop."""

    connection_class = FrameConnection

    def __init__(self, loop: EngineLoop, pool: FrameMemory, **configs: Any) -> None:
        super().__init__(
            loop.net,
            receive_message_max_bytes=MAX_FRAME_BYTES,
            max_in_flight_requests_per_connection=REQUESTS_IN_FLIGHT,
            **configs,
        )
        self.cluster.config["allow_auto_create_topics"] = False
        self._loop = loop
        self._pool = pool

    async def _build_transport(self, node: Any, timeout_at: float | None = None) -> Any:
        return await self._open_transport(node, timeout_at, {})

    async def _open_transport(self, node: Any, timeout_at: float | None, tls: Mapping[str, Any]) -> Any:
        """Return an open transport; `tls` replaces settings of the manager."""
        sock = await self._connect_socket(node, timeout_at)
        if self.ssl_enabled:
            known = {key: value for key, value in self.config.items() if key.startswith("ssl_")}
            settings = {**known, **tls}
            transport: Any = TlsTransport(self._net, sock, host=node.host, **settings)
        else:
            transport = PlainTransport(self._net, sock, host=node.host)
        transport.frames = IncomingFrames(self._pool)
        try:
            await transport.handshake()
        except Exception as error:
            transport.close()
            if (refusal := tls_refusal(error)) is not None:
                raise refusal from error
            raise kafka_errors.KafkaConnectionError(
                f"handshake with {node.host}:{node.port} failed: {reason_of(error)}"
            ) from error
        return transport

    async def _connect_socket(self, node: Any, timeout_at: float | None) -> Any:
        try:
            addresses = await self._loop.resolve(node.host, node.port)
        except OSError as error:
            raise kafka_errors.KafkaConnectionError(f"cannot resolve {node.host}: {reason_of(error)}") from error
        failure: Exception = kafka_errors.KafkaConnectionError(f"{node.host} has no address")
        for address in addresses:
            try:
                return await KafkaNetSocket().connect(
                    self._net, address, self.config["socket_options"], timeout_at=timeout_at
                )
            except (OSError, kafka_errors.KafkaError) as error:
                failure = error
        raise kafka_errors.KafkaConnectionError(
            f"cannot connect to {node.host}:{node.port}: {reason_of(failure)}"
        ) from failure

    def get_connection(
        self,
        node_id: Any,
        timeout_ms: float | None = None,
        pop_on_close: bool = True,
        refresh_metadata_on_err: bool = True,
        reset_backoff_on_connect: bool = True,
    ) -> FrameConnection:
        """As the library's, with our connection class."""
        known: FrameConnection | None = self._conns.get(node_id)
        if known is not None and known.connected and not known.paused:
            return known
        if node_id is None:
            raise kafka_errors.NodeNotReadyError("no node known yet")
        self.maybe_raise_auth_failure(node_id)
        if self.connection_delay(node_id) > 0:
            raise kafka_errors.NodeNotReadyError(node_id)
        if node_id in self._conns:
            waiting: FrameConnection = self._conns[node_id]
            return waiting
        node = self.cluster.broker_metadata(node_id)
        if node is None:
            raise kafka_errors.UnknownBrokerIdError(node_id)
        connection = self._made(node_id)
        if pop_on_close:
            connection.close_future.add_both(lambda _: self._forget(connection))
        if refresh_metadata_on_err:
            connection.close_future.add_errback(lambda _: self.cluster.request_update())
        self._conns[node_id] = connection
        wait_ms = self.socket_connection_setup_timeout_ms(node_id) if timeout_ms is None else timeout_ms
        timeout_at = time.monotonic() + wait_ms / 1000
        self._net.call_soon(
            lambda: self._connect(
                node, connection, reset_backoff_on_connect=reset_backoff_on_connect, timeout_at=timeout_at
            )
        )
        return connection

    def _made(self, node_id: Any) -> FrameConnection:
        """Return a connection that is not open yet."""
        connection = self.connection_class(
            self._net, node_id=node_id, broker_version_data=self.broker_version_data, **self.config
        )
        connection.began_at = time.monotonic()
        return connection

    def _forget(self, connection: FrameConnection) -> None:
        if self._conns.get(connection.node_id) is connection:
            del self._conns[connection.node_id]

    def least_loaded_node(self, without: Collection[Any] = ()) -> Any:
        """As the library's, but a silent broker is chosen only when there is no other; None when there is none."""
        nodes = [broker.node_id for broker in self.cluster.brokers() if broker.node_id not in without]
        random.shuffle(nodes)
        return min((node for node in nodes if not self._is_kept_back(node)), key=self._load, default=None)

    def _is_kept_back(self, node: Any) -> bool:
        connection = self._conns.get(node)
        return (connection is not None and bool(connection.paused)) or self.connection_delay(node) > 0

    def _load(self, node: Any) -> tuple[bool, int, bool]:
        connection = self._conns.get(node)
        if connection is None:
            return False, 0, True
        return connection.is_silent, len(connection.in_flight_requests), not connection.connected

    def abort(self) -> None:
        """Close without flushing; every open request fails."""
        for connection in list(self._conns.values()):
            if connection.transport is not None:
                connection.transport.abort(kafka_errors.KafkaConnectionError("closed by us"))
        self.close()

    def forget_auth_failures(self) -> None:
        """Let the next request try again; the library would refuse for ever after one failed login."""
        self._auth_failures.clear()
