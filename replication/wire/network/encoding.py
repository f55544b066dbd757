"""The few encodings of Kafka's protocol that our own requests need (KIP-482 flexible versions)."""

import struct

INT8 = struct.Struct(">b")
INT16 = struct.Struct(">h")
INT32 = struct.Struct(">i")
INT64 = struct.Struct(">q")
_HEADER = struct.Struct(">hhi")
NO_TAGS = b"\0"


def uvarint(number: int) -> bytes:
    """An unsigned varint."""
    if number < 0x80:
        return bytes((number,))
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def compact_string(text: str) -> bytes:
    data = text.encode()
    return uvarint(len(data) + 1) + data


def request_header(api_key: int, api_version: int, correlation_id: int, client_id: str) -> bytes:
    """A flexible request header (version 2), without the frame's length."""
    client = client_id.encode()
    return _HEADER.pack(api_key, api_version, correlation_id) + INT16.pack(len(client)) + client + NO_TAGS


class ProtocolReader:
    """Reads flexible answers from a view; nothing is copied but strings."""

    __slots__ = ("at", "view")

    def __init__(self, view: memoryview, at: int) -> None:
        self.view = view
        self.at = at

    def int16(self) -> int:
        value: int = INT16.unpack_from(self.view, self.at)[0]
        self.at += 2
        return value

    def int32(self) -> int:
        value: int = INT32.unpack_from(self.view, self.at)[0]
        self.at += 4
        return value

    def int64(self) -> int:
        value: int = INT64.unpack_from(self.view, self.at)[0]
        self.at += 8
        return value

    def uvarint(self) -> int:
        view, at = self.view, self.at
        number, shift = 0, 0
        while True:
            byte = view[at]
            at += 1
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                self.at = at
                return number
            shift += 7

    def array_length(self) -> int:
        """The length of a compact array; a null array reads as empty."""
        return max(0, self.uvarint() - 1)

    def bytes16(self) -> bytes:
        value = bytes(self.view[self.at : self.at + 16])
        self.at += 16
        return value

    def compact_string(self) -> str | None:
        length = self.uvarint() - 1
        if length < 0:
            return None
        text = str(self.view[self.at : self.at + length], "utf-8")
        self.at += length
        return text

    def compact_view(self) -> memoryview | None:
        """Compact bytes as a slice of the frame."""
        length = self.uvarint() - 1
        if length < 0:
            return None
        data = self.view[self.at : self.at + length]
        self.at += length
        return data

    def tags(self) -> dict[int, memoryview]:
        """Tagged fields by their number."""
        count = self.uvarint()
        if count == 0:
            return {}
        found: dict[int, memoryview] = {}
        for _ in range(count):
            tag, length = self.uvarint(), self.uvarint()
            found[tag] = self.view[self.at : self.at + length]
            self.at += length
        return found
