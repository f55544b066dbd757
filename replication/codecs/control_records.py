"""The records of a control topic: one per pattern of a list (docs/contracts/control-topic.md).

Key `<kind>:<side>:<pattern>`, value `{"v": 1, "by": user}`; a record without a value removes the pattern.
"""

import json

from replication.domain.desired.name_lists import LIST_KINDS, LIST_SIDES, ListPlace
from replication.domain.errors import MalformedRecordError
from replication.domain.json_documents import read_json

VERSION = 1
_SEPARATOR = ":"


def encode_listed(place: ListPlace, *, by: str) -> tuple[bytes, bytes]:
    """Return key and value of the record that puts a pattern on a list."""
    value = {"v": VERSION, "by": by}
    return encode_place(place), json.dumps(value, separators=(",", ":")).encode()


def encode_place(place: ListPlace) -> bytes:
    """Return the key, which alone removes the pattern."""
    return _SEPARATOR.join((place.kind, place.side, place.pattern)).encode()


def decode_place(key: bytes | None) -> ListPlace:
    """Raises MalformedRecordError."""
    try:
        kind, side, pattern = (key or b"").decode().split(_SEPARATOR, 2)
    except ValueError as error:
        raise MalformedRecordError(f"not a key of a control topic: {(key or b'')[:200]!r}") from error
    kinds = {known: known for known in LIST_KINDS}
    sides = {known: known for known in LIST_SIDES}
    if kind not in kinds or side not in sides:
        raise MalformedRecordError(f"no list {kind}{_SEPARATOR}{side}: expected {_expected()}")
    if "\0" in pattern:  # databases cannot store it
        raise MalformedRecordError(f"a pattern with a NUL character: {pattern[:200]!r}")
    return ListPlace(kind=kinds[kind], side=sides[side], pattern=pattern)


def decode_author(value: bytes) -> str:
    """Return who wrote the record, empty if it does not say. Raises MalformedRecordError for a later version."""
    try:
        document = read_json(value) if value else {}
    except ValueError:
        return ""  # written by hand with a console producer: the key says everything
    if not isinstance(document, dict):
        return ""
    version = document.get("v", VERSION)
    if not isinstance(version, int) or version > VERSION:
        raise MalformedRecordError(f"version {version!r} of a control record: upgrade the service")
    by = document.get("by", "")
    return by.replace("\0", "") if isinstance(by, str) else ""


def _expected() -> str:
    return f"one of {', '.join(LIST_KINDS)}, then one of {', '.join(LIST_SIDES)}"
