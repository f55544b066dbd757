"""Java key stores of the old kind (JKS), as `sun.security.provider.JavaKeyStore` writes them.

A JKS file is a list of entries and, at its end, a SHA-1 digest over password and content. Private keys are hidden by a
stream of SHA-1 digests that starts with the password and a salt; that is the format, not our choice.
"""

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass

MAGIC = b"\xfe\xed\xfe\xed"
_SALT_OF_INTEGRITY = b"Mighty Aphrodite"
_DIGEST_BYTES = 20
_KEY_ENTRY, _TRUSTED_ENTRY = 1, 2


class JksError(ValueError):
    """The file is damaged, or the password does not fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JksEntry:
    """`protected_key` is the DER of the EncryptedPrivateKeyInfo, None for a trusted certificate; chain in DER."""

    alias: str
    protected_key: bytes | None
    chain: tuple[bytes, ...]


def read_jks(data: bytes, password: str | None) -> tuple[JksEntry, ...]:
    """All entries. Without a password the integrity is not checked, as in Java. Raises JksError."""
    if password is not None:
        _check_integrity(data, password)
    reader = _Reader(data)
    if reader.read(4) != MAGIC or reader.number() not in (1, 2):
        raise JksError("it is no JKS store of version 1 or 2")
    return tuple(_entries(reader))


def reveal_key(protected: bytes, password: str) -> bytes:
    """The PKCS #8 DER of a private key (sun.security.provider.KeyProtector). Raises JksError."""
    hidden = _encrypted_data(protected)
    salt, body, check = hidden[:_DIGEST_BYTES], hidden[_DIGEST_BYTES:-_DIGEST_BYTES], hidden[-_DIGEST_BYTES:]
    secret = password.encode("utf-16-be")
    stream, block = b"", salt
    while len(stream) < len(body):
        block = hashlib.sha1(secret + block).digest()  # noqa: S324  # the format's own
        stream += block
    key = bytes(a ^ b for a, b in zip(body, stream, strict=False))
    if not hmac.compare_digest(hashlib.sha1(secret + key).digest(), check):  # noqa: S324  # the format's own
        raise JksError("the key's password does not fit")
    return key


def _entries(reader: "_Reader") -> Iterator[JksEntry]:
    for _ in range(reader.number()):
        kind, alias = reader.number(), reader.text()
        reader.read(8)  # creation time
        if kind == _KEY_ENTRY:
            protected = reader.block()
            yield JksEntry(alias=alias, protected_key=protected, chain=tuple(reader.certificates(reader.number())))
        elif kind == _TRUSTED_ENTRY:
            yield JksEntry(alias=alias, protected_key=None, chain=tuple(reader.certificates(1)))
        else:
            raise JksError(f"entry {alias} is of the unknown kind {kind}")


def _check_integrity(data: bytes, password: str) -> None:
    content, digest = data[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:]
    made = hashlib.sha1(password.encode("utf-16-be") + _SALT_OF_INTEGRITY + content).digest()  # noqa: S324
    if not hmac.compare_digest(made, digest):
        raise JksError("the store's password does not fit, or the file is damaged")


def _encrypted_data(protected: bytes) -> bytes:
    """EncryptedPrivateKeyInfo ::= SEQUENCE { algorithm SEQUENCE, encryptedData OCTET STRING }."""
    body, _ = _der(protected, 0x30)
    _, rest = _der(body, 0x30)
    hidden, _ = _der(rest, 0x04)
    if len(hidden) <= 2 * _DIGEST_BYTES:
        raise JksError("a private key is damaged")
    return hidden


def _der(data: bytes, tag: int) -> tuple[bytes, bytes]:
    """The content of the first DER element and what follows it."""
    if len(data) < 2 or data[0] != tag:
        raise JksError("a private key is damaged")
    length, start = data[1], 2
    if length & 0x80:
        start += length & 0x7F
        length = int.from_bytes(data[2:start], "big")
    if start + length > len(data):
        raise JksError("a private key is damaged")
    return data[start : start + length], data[start + length :]


class _Reader:
    """Big-endian numbers, and blocks with their length in front."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def read(self, size: int) -> bytes:
        part = self._data[self._place : self._place + size]
        if size < 0 or len(part) < size:
            raise JksError("the file ends too early")
        self._place += size
        return part

    def number(self) -> int:
        return int.from_bytes(self.read(4), "big")

    def block(self) -> bytes:
        return self.read(self.number())

    def text(self) -> str:
        return self.read(int.from_bytes(self.read(2), "big")).decode("utf-8", "replace")

    def certificates(self, count: int) -> Iterator[bytes]:
        for _ in range(count):
            kind = self.text()
            if kind != "X.509":
                raise JksError(f"a certificate is of the unknown kind {kind}")
            yield self.block()
