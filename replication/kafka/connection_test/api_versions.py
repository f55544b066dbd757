"""ApiVersions (KIP-35) on a plain socket: brokers answer it before a login, other servers do not."""

import socket
import ssl
import struct
import time

from replication.domain.connection_test.failures import StepFailedError
from replication.kafka.connection_test.sockets import tls_failure

_CORRELATION = 0x53524D
_CLIENT = b"srm-test"
_REQUEST = struct.pack(">hhih", 18, 0, _CORRELATION, len(_CLIENT)) + _CLIENT
_HEAD = struct.Struct(">ihi")  # correlation id, error code, number of APIs
_ENTRY = struct.Struct(">hhh")  # API, lowest and highest version
_TLS_ALERT = b"\x15\x03"
_LARGEST_BYTES = 64 * 1024


def ask_api_versions(connection: socket.socket, deadline_s: float) -> dict[int, int]:
    """Return the highest version of each API that the broker knows. Raises StepFailedError."""
    connection.settimeout(max(0.05, deadline_s - time.monotonic()))
    try:
        connection.sendall(struct.pack(">i", len(_REQUEST)) + _REQUEST)
        head = _exactly(connection, 4, deadline_s)
        if head.startswith(_TLS_ALERT):
            raise StepFailedError("wants_tls", "the listener speaks TLS, and security.protocol does not")
        (size,) = struct.unpack(">i", head)
        if not _HEAD.size <= size <= _LARGEST_BYTES:
            raise StepFailedError("not_kafka", "the answer is not of the Kafka protocol")
        body = _exactly(connection, size, deadline_s)
    except TimeoutError as error:
        raise StepFailedError("no_answer", "no answer to ApiVersions in time") from error
    except ssl.SSLEOFError as error:
        text = "the connection was closed after the TLS handshake; the broker may want a certificate of ours"
        raise StepFailedError("connection_closed", text) from error
    except ssl.SSLError as error:
        raise tls_failure(error) from error
    except OSError as error:
        text = f"the connection was closed: {error.strerror or error}"
        raise StepFailedError("connection_closed", text) from error
    correlation, code, count = _HEAD.unpack_from(body)
    if correlation != _CORRELATION or count < 0 or _HEAD.size + count * _ENTRY.size > size:
        raise StepFailedError("not_kafka", "the answer is not of the Kafka protocol")
    if code:
        raise StepFailedError("metadata_refused", f"the broker refused ApiVersions with Kafka's error code {code}")
    return {api: newest for api, _, newest in _ENTRY.iter_unpack(body[_HEAD.size :][: count * _ENTRY.size])}


def _exactly(connection: socket.socket, size: int, deadline_s: float) -> bytes:
    data = b""
    while len(data) < size:
        connection.settimeout(max(0.05, deadline_s - time.monotonic()))
        part = connection.recv(size - len(data))
        if not part:
            raise StepFailedError("connection_closed", "the connection was closed without an answer")
        data += part
    return data
