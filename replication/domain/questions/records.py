"""A record and its copy side by side: what both clusters hold at one offset."""

import base64
from dataclasses import dataclass
from typing import Annotated, Literal

RecordState = Literal[
    "found", "before_start", "beyond_end", "no_record", "not_copied_yet", "not_copied", "place_unknown", "unreachable"
]
RecordPart = Literal["timestamp", "key", "value", "headers"]
MOST_KEY_BYTES, MOST_HEADER_BYTES, MOST_VALUE_BYTES, MOST_HEADERS = 4_096, 1_024, 65_536, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownBytes:
    """Bytes of a record as text if they are UTF-8, else in Base64; cut to a limit."""

    size: Annotated[int, "bytes in the record"]
    text: Annotated[str | None, "null: the bytes are no UTF-8"] = None
    base64: Annotated[str | None, "null: the bytes are in `text`"] = None
    is_cut: Annotated[bool, "true: only the beginning is shown"] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownHeader:
    """A header of a record; its value may be null."""

    name: str
    value: ShownBytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRecord:
    """A record without its value, unless this was asked for."""

    offset: int
    timestamp_ms: int
    key: Annotated[ShownBytes | None, "null: the record has no key"] = None
    headers: Annotated[tuple[ShownHeader, ...], "the first 100"] = ()
    headers_total: int = 0
    value_size: Annotated[int | None, "bytes; null: the record has no value (a tombstone)"] = None
    value: Annotated[ShownBytes | None, "null: not asked for, or a tombstone"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSide:
    """The record on one cluster, or the reason why there is none. Bounds are those of the partition's log now."""

    cluster: str
    topic: str
    partition: int
    state: RecordState
    text: Annotated[str, "the state in words"]
    log_start: int | None = None
    log_end: int | None = None
    record: ShownRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPair:
    """The answer to `record`. `differences` are parts in which both records differ; null: there are not two."""

    source: str
    target: str
    original: RecordSide
    copy: RecordSide
    evidence: Annotated[str, "how the place on the other cluster is known"]
    differences: tuple[RecordPart, ...] | None = None


def shown_bytes(content: bytes | None, most: int) -> ShownBytes | None:
    """Return bytes as text or Base64; None for null."""
    if content is None:
        return None
    cut = content[:most]
    is_cut = len(cut) < len(content)
    text = _text(cut, is_cut=is_cut)
    if text is not None:
        return ShownBytes(size=len(content), text=text, is_cut=is_cut)
    return ShownBytes(size=len(content), base64=base64.b64encode(cut).decode(), is_cut=is_cut)


def _text(content: bytes, *, is_cut: bool) -> str | None:
    """Return UTF-8 as text. A character at the cut may be incomplete: it is omitted."""
    for end in range(len(content), max(len(content) - 4, -1) if is_cut else len(content) - 1, -1):
        try:
            return content[:end].decode()
        except UnicodeDecodeError:
            continue
    return None
