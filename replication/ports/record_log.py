"""Reading small (mostly compacted) topics as a whole."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from replication.domain.settings.choices import IsolationLevel


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRecord:
    """One record of a log, as stored."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()


class RecordLog(Protocol):
    """Reader of one cluster's logs. Blocking; one thread at a time.

    Raises `replication.domain.errors` as ClusterAdmin does. A missing topic reads as an empty one.
    """

    def read_to_end(self, topic: str, *, isolation: IsolationLevel = "read_uncommitted") -> Iterator[LogRecord]:
        """All records up to the end offsets taken at the call, in order within a partition."""

    def newest(self, topic: str, partition: int = 0) -> LogRecord | None:
        """The last record of a partition, or None when it holds none."""

    def at(self, topic: str, partition: int, offset: int) -> LogRecord | None:
        """Return the record at exactly this offset; None where there is none (any more)."""

    def read_from(
        self,
        topic: str,
        partition: int,
        offset: int,
        *,
        end: int | None = None,
        isolation: IsolationLevel = "read_uncommitted",
    ) -> Iterator[LogRecord]:
        """Records of one partition from this offset, or the log's start if later, up to the end taken at the call.

        With `end`, up to that offset at most. The caller may stop before the end.
        """

    def close(self) -> None: ...
