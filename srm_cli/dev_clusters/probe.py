"""Probes a broker with one Metadata request over a plain socket, so that no client library is needed."""

import socket
import struct

_METADATA, _VERSION, _CORRELATION_ID = 3, 1, 7
# Request header v1 (api key, version, correlation id, client id "srm") and an empty list of topics.
_BODY = struct.pack(">hhih3si", _METADATA, _VERSION, _CORRELATION_ID, 3, b"srm", 0)
_REQUEST = struct.pack(">i", len(_BODY)) + _BODY
_BROKER_COUNT = struct.Struct(">iii")  # size, correlation id, length of the broker array


def brokers_seen(host: str, port: int, timeout_seconds: float = 2.0) -> int:
    """Return the number of brokers that the cluster at this address reports; 0 when it does not answer."""
    try:
        with socket.create_connection((host, port), timeout_seconds) as connection:
            connection.settimeout(timeout_seconds)
            connection.sendall(_REQUEST)
            with connection.makefile("rb") as answer:
                head = answer.read(_BROKER_COUNT.size)
    except OSError:
        return 0
    if len(head) < _BROKER_COUNT.size:
        return 0
    _, correlation_id, brokers = _BROKER_COUNT.unpack(head)
    return int(brokers) if correlation_id == _CORRELATION_ID else 0
