"""Transforms of headers, and the filter of whole records."""

from collections.abc import Sequence

from replication.domain.batches.record import Record
from replication.domain.identifiers import TopicPartition
from replication.domain.transforms.options import Options

ACTIONS = ("drop", "keep")
HEADER_PREFIX = "header:"


class InsertHeader:
    """Adds a header with a constant text, after those the record has."""

    def __init__(self, options: dict[str, str]) -> None:
        """`header` and `value`."""
        read = Options(options)
        self._added = (read.text("header"), read.text("value").encode())
        read.done()

    def opened(self, record: Record) -> Sequence[bytes]:
        return ()

    def apply(self, upstream: TopicPartition, record: Record) -> Record | None:
        return record._replace(headers=[*record.headers, self._added])


class DropHeader:
    """Removes every header of the given names."""

    def __init__(self, options: dict[str, str]) -> None:
        """`headers`."""
        read = Options(options)
        self._names = frozenset(read.names("headers"))
        read.done()

    def opened(self, record: Record) -> Sequence[bytes]:
        return ()

    def apply(self, upstream: TopicPartition, record: Record) -> Record | None:
        if not any(name in self._names for name, _value in record.headers):
            return record
        return record._replace(headers=[header for header in record.headers if header[0] not in self._names])


class Filter:
    """Drops, or keeps alone, the records of which a part holds a match of the pattern.

    A null has no text and never matches; bytes that are no UTF-8 are compared with replacement characters.
    """

    def __init__(self, options: dict[str, str]) -> None:
        """`pattern`, `on` (`value`, `key` or `header:<name>`) and `action` (`drop` or `keep`)."""
        read = Options(options)
        self._pattern = read.pattern("pattern")
        self._on = read.text("on", "value")
        self._keeps = read.choice("action", ACTIONS) == "keep"
        read.done()
        if self._on not in ("value", "key") and not self._on.removeprefix(HEADER_PREFIX).strip():
            raise ValueError(f"on={self._on} names no header")
        if self._on not in ("value", "key") and not self._on.startswith(HEADER_PREFIX):
            raise ValueError(f"on must be value, key or {HEADER_PREFIX}<name>, not {self._on!r}")

    def apply(self, upstream: TopicPartition, record: Record) -> Record | None:
        matches = any(self._pattern.is_in(data.decode(errors="replace").encode()) for data in self.opened(record))
        return record if matches == self._keeps else None

    def opened(self, record: Record) -> Sequence[bytes]:
        if self._on == "value":
            found = [record.value]
        elif self._on == "key":
            found = [record.key]
        else:
            wanted = self._on.removeprefix(HEADER_PREFIX)
            found = [value for name, value in record.headers if name == wanted]
        return [data for data in found if data is not None]
