"""Rewrites a broker's answers for a gateway: the addresses of brokers, and the newest versions it understands.

Layouts are those of Kafka's message schemas. Everything that is not an address passes as it is.
"""

import struct
from collections.abc import Callable

PRODUCE, FETCH, METADATA, FIND_COORDINATOR, SASL_HANDSHAKE, API_VERSIONS = 0, 1, 3, 10, 17, 18
SASL_AUTHENTICATE, DESCRIBE_CLUSTER = 36, 60
# Newer versions of these carry addresses elsewhere (KIP-951), or logins in another layout.
NEWEST = {
    PRODUCE: 9,
    FETCH: 15,
    METADATA: 12,
    FIND_COORDINATOR: 2,
    SASL_HANDSHAKE: 1,
    SASL_AUTHENTICATE: 1,
    DESCRIBE_CLUSTER: 0,
}
_FLEXIBLE_API_VERSIONS = 3
_FLEXIBLE_METADATA = 9
_INT16, _INT32 = struct.Struct(">h"), struct.Struct(">i")

Address = tuple[str, int]
Redirect = Callable[[Address], Address]


def rewritten(api_key: int, version: int, answer: bytes, redirect: Redirect) -> bytes:
    """The answer (from the correlation id on) with every broker where `redirect` says. Raises ValueError."""
    if api_key == API_VERSIONS:
        return _capped(answer, version)
    editor = _Editor(answer, redirect)
    if api_key == METADATA:
        if version < _FLEXIBLE_METADATA:
            raise ValueError(f"Metadata version {version} is too old: brokers from Kafka 2.8 on are served")
        editor.keep(4 + 1 + 4)  # correlation id, no tags, throttle time
        editor.brokers()
    elif api_key == DESCRIBE_CLUSTER:
        editor.keep(4 + 1 + 4 + 2)  # and the error code
        editor.keep_compact()  # its message
        editor.keep_compact()  # the cluster's id
        editor.keep(4)  # the controller
        editor.brokers()
    elif api_key == FIND_COORDINATOR:
        editor.keep(4 + (4 if version >= 1 else 0) + 2)
        if version >= 1:
            editor.keep(2 + max(0, _INT16.unpack(editor.peek(2))[0]))
        editor.keep(4)  # the coordinator's node id
        editor.plain_address()
    return editor.done()


def _capped(answer: bytes, version: int) -> bytes:
    """ApiVersions without the versions we do not know; its header is the old one in every version."""
    if _INT16.unpack_from(answer, 4)[0] != 0:
        return answer
    data, is_flexible = bytearray(answer), version >= _FLEXIBLE_API_VERSIONS
    if is_flexible:
        count, at = _uvarint(answer, 6)
        count -= 1
    else:
        count, at = _INT32.unpack_from(answer, 6)[0], 10
    for _ in range(count):
        key, _oldest, newest = struct.unpack_from(">hhh", answer, at)
        _INT16.pack_into(data, at + 4, min(newest, NEWEST.get(key, newest)))
        at += 6
        if is_flexible:
            at = _after_tags(answer, at)
    return bytes(data)


class _Editor:
    """Copies an answer from front to back, changing addresses on the way."""

    def __init__(self, data: bytes, redirect: Redirect) -> None:
        self._data = data
        self._redirect = redirect
        self._at = 0
        self._out = bytearray()

    def done(self) -> bytes:
        return bytes(self._out + self._data[self._at :])

    def peek(self, size: int) -> bytes:
        part = self._data[self._at : self._at + size]
        if len(part) < size:
            raise ValueError("a broker's answer ends too early")
        return part

    def keep(self, size: int) -> None:
        self._out += self.peek(size)
        self._at += size

    def keep_compact(self) -> None:
        length, at = _uvarint(self._data, self._at)
        self.keep(at - self._at + max(0, length - 1))

    def brokers(self) -> None:
        """A compact array of node id, host, port, rack."""
        count, at = _uvarint(self._data, self._at)
        self.keep(at - self._at)
        for _ in range(count - 1):
            self.keep(4)
            length, at = _uvarint(self._data, self._at)
            host = self._data[at : at + length - 1].decode()
            self._at = at + length - 1
            new_host, new_port = self._redirect((host, _INT32.unpack(self.peek(4))[0]))
            self._at += 4
            self._out += bytes([len(new_host) + 1]) + new_host.encode() + _INT32.pack(new_port)
            self.keep_compact()  # rack
            self.keep(_after_tags(self._data, self._at) - self._at)

    def plain_address(self) -> None:
        """A host with its length as 16 bits, and a port; no host where there is no coordinator."""
        length = _INT16.unpack(self.peek(2))[0]
        host = self._data[self._at + 2 : self._at + 2 + length].decode()
        port = _INT32.unpack_from(self._data, self._at + 2 + length)[0]
        self._at += 2 + length + 4
        new_host, new_port = self._redirect((host, port)) if host else (host, port)
        self._out += _INT16.pack(len(new_host)) + new_host.encode() + _INT32.pack(new_port)


def _uvarint(data: bytes, at: int) -> tuple[int, int]:
    """(value, place after it)."""
    value = shift = 0
    while True:
        if at >= len(data):
            raise ValueError("a broker's answer ends too early")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _after_tags(data: bytes, at: int) -> int:
    count, at = _uvarint(data, at)
    for _ in range(count):
        _tag, at = _uvarint(data, at)
        size, at = _uvarint(data, at)
        at += size
    return at
