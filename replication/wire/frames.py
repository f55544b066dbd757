"""Connections that hand over whole frames without copying them, below kafka-python's connection manager.

kafka-python is pinned exactly, because this module reaches into its `net` package: authentication, API versions,
time-outs, back-off and throttling stay there, receiving and sending bytes are ours. Its stock receive path copies each
frame six times.
"""

import ssl
import time
from collections import deque
from typing import Any, ClassVar, Protocol

import kafka.errors as kafka_errors
from kafka.net.connection import KafkaConnection
from kafka.net.inet import KafkaNetSocket
from kafka.net.manager import KafkaConnectionManager
from kafka.net.transport import KafkaSSLTransport, KafkaTCPTransport
from kafka.protocol.frame import KafkaBytes
from kafka.protocol.parser import KafkaProtocol

from replication.wire.buffers import BufferPool, FrameBuffer
from replication.wire.errors import tls_refusal
from replication.wire.loop import EngineLoop

MAX_FRAME_BYTES = 2**31 - 1
POOLED_FROM_BYTES = 32 * 1024
MAX_BUFFERS_PER_SEND = 512
REQUESTS_IN_FLIGHT = 64  # ours are limited per purpose; this only keeps the library from refusing them


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


class _Frames:
    """The state of one connection's incoming frame."""

    __slots__ = ("body", "buffer", "filled", "head", "pool", "size")

    def __init__(self, pool: BufferPool) -> None:
        self.pool = pool
        self.head = memoryview(bytearray(4))
        self.filled = 0
        self.size = -1
        self.buffer: FrameBuffer | None = None
        self.body = self.head

    def target(self) -> memoryview:
        """Where the next bytes go."""
        return self.body[self.filled : 4 if self.size < 0 else self.size]

    def advance(self, received: int) -> bool:
        """Count received bytes; True when a frame is complete."""
        self.filled += received
        if self.size < 0 and self.filled == 4:
            self.size = int.from_bytes(self.head, "big", signed=True)
            if self.size < 4:
                raise kafka_errors.InvalidReceiveError(f"invalid frame length: {self.size}")
            self.filled = 0
            if self.size >= POOLED_FROM_BYTES:
                self.buffer = self.pool.take(self.size)
                self.body = self.buffer.view
            else:
                self.body = memoryview(bytearray(self.size))
            return False
        return self.size >= 0 and self.filled == self.size

    def take(self) -> tuple[memoryview, FrameBuffer | None]:
        frame = self.body[: self.size], self.buffer
        self.filled, self.size, self.buffer, self.body = 0, -1, None, self.head
        return frame

    def drop(self) -> None:
        if self.buffer is not None:
            self.buffer.release()
            self.buffer = None


class _FrameTransport(KafkaTCPTransport):  # type: ignore[misc] # kafka-python has no types
    """Receives into frame buffers and sends lists of buffers at once."""

    frames: _Frames
    _writing: bool
    _read: bool

    def resume_reading(self) -> None:
        """Hand over frames from now on."""
        if not self._read and not self._closed:
            self._read = True
            self._read_task = self._net.read_from(self._sock, self._readable)

    def pause_reading(self) -> None:
        """Leave what comes in the kernel's buffers."""
        self._read = False
        if self._read_task is not None and self._sock is not None:
            self._net.stop_reading(self._sock, self._read_task)
        self._read_task = None

    def _readable(self) -> None:
        try:
            self._receive()
        except (OSError, kafka_errors.KafkaError) as error:
            self.abort(error=error if isinstance(error, kafka_errors.KafkaError) else _lost(error))

    def _receive(self) -> None:
        frames, has_answered = self.frames, False
        while self._sock is not None:
            try:
                received = self._sock.recv_into(frames.target())
            except (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return
            if received == 0:
                if has_answered:
                    return  # why it hangs up is in the answer; the loop will tell of the end once more
                raise kafka_errors.KafkaConnectionError("the broker closed the connection")
            self.last_read = time.monotonic()
            if frames.advance(received):
                has_answered = True
                body, buffer = frames.take()
                self._protocol.frame_received(body, buffer)

    def write(self, data: "list[bytes | memoryview] | bytes") -> None:
        """Send now what the socket takes; the loop sends the rest."""
        if not self._write or self._closed:
            raise RuntimeError("transport closed for writes")
        self._write_buffer.extend(data if isinstance(data, list) else [data])
        if self._writing:
            return
        _sent, error = self._sock_send()
        if error is not None:
            self.abort(error=error)
        elif self._write_buffer:
            self._writing = True
            self._write_task = self._net.call_soon(self._write_to_sock)

    def _close(self, error: BaseException | None = None) -> None:
        self.frames.drop()
        super()._close(error)


class PlainTransport(_FrameTransport):
    """TCP without encryption: one system call for many buffers."""

    def _sock_send(self) -> tuple[int, BaseException | None]:
        total, pending = 0, self._write_buffer
        if self._sock is None:
            return total, kafka_errors.KafkaConnectionError("connection closed during send")
        while pending:
            chunk = [pending[i] for i in range(min(len(pending), MAX_BUFFERS_PER_SEND))]
            try:
                sent = self._sock.sendmsg(chunk)
            except (BlockingIOError, InterruptedError):
                break
            except OSError as error:
                return total, _lost(error)
            total += sent
            _consume(pending, sent)
        self.last_write = time.monotonic()
        return total, None


class TlsTransport(_FrameTransport, KafkaSSLTransport):  # type: ignore[misc] # kafka-python has no types
    """TLS: buffers go one by one, `sendmsg` does not exist there."""

    def _sock_send(self) -> tuple[int, BaseException | None]:
        total, pending = 0, self._write_buffer
        if self._sock is None:
            return total, kafka_errors.KafkaConnectionError("connection closed during send")
        while pending:
            try:
                sent = self._sock.send(pending[0])
            except (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                break
            except OSError as error:
                return total, _lost(error)
            total += sent
            _consume(pending, sent)
        self.last_write = time.monotonic()
        return total, None


def _consume(pending: "deque[bytes | memoryview]", sent: int) -> None:
    while sent:
        first = pending[0]
        if sent < len(first):
            pending[0] = memoryview(first)[sent:]
            return
        sent -= len(first)
        pending.popleft()


def _lost(error: OSError) -> Exception:
    return tls_refusal(error) or kafka_errors.KafkaConnectionError(str(error))


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
    """A broker connection over frames."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.parser = _FrameProtocol(client_id=self.config["client_id"], receive_message_max_bytes=MAX_FRAME_BYTES)

    def frame_received(self, body: memoryview, frame: FrameBuffer | None) -> None:
        """One whole answer; the frame is released afterwards unless its request retained it."""
        try:
            if self.closed:
                return
            number, response = self.parser.decode(body, frame)
            expected, future, _sent, _timeout_at, timer = self.in_flight_requests.popleft()
            if number != expected:
                raise kafka_errors.CorrelationIdError(f"answer {number} where {expected} was expected")
            self.net.cancel(timer)
            self._maybe_throttle(response)
            future.success(response)
            if "max_in_flight" in self.paused and len(self.in_flight_requests) < REQUESTS_IN_FLIGHT:
                self.unpause("max_in_flight")
            self._reauth.on_response_processed()
        finally:
            if frame is not None:
                frame.release()


class FrameConnectionManager(KafkaConnectionManager):  # type: ignore[misc] # kafka-python has no types
    """kafka-python's manager, making our connections and resolving names off the loop."""

    connection_class = FrameConnection

    def __init__(self, loop: EngineLoop, pool: BufferPool, **configs: Any) -> None:
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
        sock = await self._connect_socket(node, timeout_at)
        if self.ssl_enabled:
            settings = {key: value for key, value in self.config.items() if key.startswith("ssl_")}
            transport: Any = TlsTransport(self._net, sock, host=node.host, **settings)
        else:
            transport = PlainTransport(self._net, sock, host=node.host)
        transport.frames = _Frames(self._pool)
        try:
            await transport.handshake()
        except Exception as error:
            transport.close()
            if (refusal := tls_refusal(error)) is not None:
                raise refusal from error
            raise kafka_errors.KafkaConnectionError(
                f"handshake with {node.host}:{node.port} failed: {error}"
            ) from error
        return transport

    async def _connect_socket(self, node: Any, timeout_at: float | None) -> Any:
        try:
            addresses = await self._loop.resolve(node.host, node.port)
        except OSError as error:
            raise kafka_errors.KafkaConnectionError(f"cannot resolve {node.host}: {error}") from error
        failure: Exception = kafka_errors.KafkaConnectionError(f"{node.host} has no address")
        for address in addresses:
            try:
                return await KafkaNetSocket().connect(
                    self._net, address, self.config["socket_options"], timeout_at=timeout_at
                )
            except (OSError, kafka_errors.KafkaError) as error:
                failure = error
        raise kafka_errors.KafkaConnectionError(f"cannot connect to {node.host}:{node.port}: {failure}") from failure

    def get_connection(
        self,
        node_id: Any,
        timeout_ms: float | None = None,
        pop_on_close: bool = True,
        refresh_metadata_on_err: bool = True,
        reset_backoff_on_connect: bool = True,
    ) -> FrameConnection:
        """As the library's, with our connection class."""
        if node_id is None:
            raise kafka_errors.NodeNotReadyError("no node known yet")
        self.maybe_raise_auth_failure(node_id)
        if self.connection_delay(node_id) > 0:
            raise kafka_errors.NodeNotReadyError(node_id)
        if node_id in self._conns:
            known: FrameConnection = self._conns[node_id]
            return known
        node = self.cluster.broker_metadata(node_id)
        if node is None:
            raise kafka_errors.UnknownBrokerIdError(node_id)
        connection = self.connection_class(
            self._net, node_id=node_id, broker_version_data=self.broker_version_data, **self.config
        )
        if pop_on_close:
            connection.close_future.add_both(lambda _: self._conns.pop(node.node_id, None))
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

    def abort(self) -> None:
        """Close without flushing; every open request fails."""
        for connection in list(self._conns.values()):
            if connection.transport is not None:
                connection.transport.abort(kafka_errors.KafkaConnectionError("closed by us"))
        self.close()

    def forget_auth_failures(self) -> None:
        """Let the next request try again; the library would refuse for ever after one failed login."""
        self._auth_failures.clear()
