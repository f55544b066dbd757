"""Writing records that only the newest owner of a transactional id may write: checkpoints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from replication.domain.errors import RetriableError


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRecord:
    """A record to write; its partition is chosen by the caller."""

    topic: str
    key: bytes
    value: bytes
    timestamp_ms: int
    partition: int = 0


class FencedProducer(Protocol):
    """One owner of a transactional id. Blocking; one thread at a time.

    Raises `replication.domain.errors` as ClusterAdmin does, and FencedError once another owner has the id.
    """

    def fence(self) -> None:
        """Take the id: earlier owners cannot write from now on, and what they did not commit is aborted."""

    def fence_others(self, transactional_ids: Sequence[str]) -> None:
        """Take ids that no one uses any more from owners that may still have them."""

    def write(self, records: Sequence[NewRecord]) -> None:
        """Write the records in one transaction; returns when all of them are committed.

        Raises RetriableError before `fence`. After an error none of the records counts, and the id may be lost: take it
        again before the next records are computed, because another owner may have written since.
        """

    def close(self) -> None: ...


def not_owned(cluster: str, transactional_id: str) -> RetriableError:
    """Return the error for a write without `fence`."""
    return RetriableError(f"cluster {cluster}: the transactional id {transactional_id} has not been taken")
