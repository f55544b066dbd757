"""Appending small records: offset syncs, offset runs, gaps, raw metrics, dead letters."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class OutgoingRecord(NamedTuple):
    """A record that the manager itself writes."""

    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes | None]] = ()
    partition: int = 0


class RecordAppender(Protocol):
    """Appends without a producer id: at least once, in order per call. Coroutines belong to the loop's thread."""

    async def append(self, topic: str, records: Sequence[OutgoingRecord]) -> int:
        """Append the records and return the bytes written. RetriableError when the cluster does not take them now."""
        ...
