"""Transports that hand over whole frames without copying them, below kafka-python's connections.

kafka-python is pinned exactly, because this module and `frame_connection` reach into its `net` package: authentication,
API versions, back-off and throttling stay there, receiving and sending bytes are ours. Its stock receive path copies
each frame six times.
"""

import ssl
import time
from collections import deque

import kafka.errors as kafka_errors
import structlog
from kafka.net.transport import KafkaSSLTransport, KafkaTCPTransport

from replication.wire.network.buffers import FrameBuffer, FrameMemory
from replication.wire.network.error_translation import reason_of, tls_refusal

log = structlog.get_logger(__name__)

POOLED_FROM_BYTES = 32 * 1024
FIRST_FRAMES_BYTES = 1024 * 1024  # versions and logins; what is no Kafka broker soon claims more
MAX_BUFFERS_PER_SEND = 512


class IncomingFrames:
    """The state of one connection's incoming frame."""

    __slots__ = ("body", "buffer", "filled", "head", "is_broker", "pool", "size")

    def __init__(self, pool: FrameMemory) -> None:
        self.pool = pool
        self.is_broker = False  # it has answered as one does: its lengths are believed
        self.head = memoryview(bytearray(4))
        self.filled = 0
        self.size = -1
        self.buffer: FrameBuffer | None = None
        self.body = self.head

    def target(self) -> memoryview:
        """Return the buffer for the next bytes."""
        return self.body[self.filled : 4 if self.size < 0 else self.size]

    def advance(self, received: int) -> bool:
        """Count received bytes; True when a frame is complete."""
        self.filled += received
        if self.size < 0 and self.filled == 4:
            self.size = int.from_bytes(self.head, "big", signed=True)
            if self.size < 4:
                raise kafka_errors.InvalidReceiveError(f"invalid frame length: {self.size}")
            if self.size > FIRST_FRAMES_BYTES and not self.is_broker:
                raise kafka_errors.InvalidReceiveError(
                    f"what answers there is no Kafka broker, or its port wants TLS: it begins with {bytes(self.head)!r}"
                )
            self.filled = 0
            if self.size >= POOLED_FROM_BYTES:
                self.buffer = self.pool.acquire(self.size)
                self.body = self.buffer.view
            else:
                self.body = memoryview(bytearray(self.size))
            return False
        return self.size >= 0 and self.filled == self.size

    def pop(self) -> tuple[memoryview, FrameBuffer | None]:
        """Return the complete frame with its buffer; the next frame begins."""
        frame = self.body[: self.size], self.buffer
        self.filled, self.size, self.buffer, self.body = 0, -1, None, self.head
        return frame

    def drop(self) -> None:
        if self.buffer is not None:
            self.buffer.release()
            self.buffer = None


class _FrameTransport(KafkaTCPTransport):  # type: ignore[misc] # kafka-python has no types
    """Receives into frame buffers and sends lists of buffers in one call."""

    frames: IncomingFrames
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
        except kafka_errors.KafkaError as error:
            self.abort(error=error)
        except OSError as error:
            self.abort(error=_lost(error))
        except Exception as error:  # an invalid answer costs its connection, never the loop of all others
            log.exception("unreadable answer", error=f"{type(error).__name__}: {error}")
            self.abort(error=kafka_errors.KafkaConnectionError(f"unreadable answer: {type(error).__name__}: {error}"))

    def _receive(self) -> None:
        frames, has_answered = self.frames, False
        while self._sock is not None:
            try:
                received = self._sock.recv_into(frames.target())
            except (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return
            if received == 0:
                if has_answered:
                    return  # why it hangs up is in the answer; the loop reports the end once more
                raise kafka_errors.KafkaConnectionError("the broker closed the connection")
            self.last_read = time.monotonic()
            if frames.advance(received):
                has_answered = True
                body, buffer = frames.pop()
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
    return tls_refusal(error) or kafka_errors.KafkaConnectionError(reason_of(error))
