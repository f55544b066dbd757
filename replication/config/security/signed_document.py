"""Signs documents that travel through Redis, so that write access to Redis alone does not command the drivers.

The signature is the last field of the JSON object, over the bytes before it: HMAC-SHA256 under a key derived from a
transport key.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Literal

from replication.domain.errors import ConfigurationError

_FIELD = b',"signature":"'
_END = b'"}'
Purpose = Literal["desired document", "driver orders", "question"]
"""A signature for one purpose is not valid for another."""


def signed(keys: Sequence[str], text: str, purpose: Purpose = "desired document") -> str:
    """Return the JSON object with a signature by the first key. Raises ConfigurationError without a key."""
    if not keys:
        raise ConfigurationError("SRM_TRANSPORT_KEYS is empty; it must hold at least one key")
    content = text.encode()
    if not content.endswith(b"}") or content == b"{}":
        raise ValueError("only a JSON object with a field can be signed")
    return (content[:-1] + _FIELD + _signature(keys[0], content, purpose) + _END).decode()


def is_signed(keys: Sequence[str], raw: bytes, purpose: Purpose = "desired document") -> bool:
    """Return True when one of the keys signed the object as it is."""
    body, field, rest = raw.rpartition(_FIELD)
    if not field or not rest.endswith(_END):
        return False
    found = rest.removesuffix(_END)
    return any(hmac.compare_digest(found, _signature(key, body + b"}", purpose)) for key in keys)


def _signature(key: str, content: bytes, purpose: Purpose) -> bytes:
    derived = hmac.new(key.encode(), f"srm {purpose}".encode(), hashlib.sha256).digest()
    return hmac.new(derived, content, hashlib.sha256).hexdigest().encode()
