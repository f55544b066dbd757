"""A connection to the metrics store: one small set of calls over SQLite and PostgreSQL.

SQL is written with `?` and in the part of the language that both share (`ON CONFLICT ... DO UPDATE`).
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from metrics.schemas import Table
from metrics.store.merging.dialect import MergeDialect

Row = Sequence[Any]


class Connection(Protocol):
    """One session with the database; for one thread at a time (see `SharedConnection`).

    Raises StoreUnavailableError when the database does not answer, TablesMissingError when it is not migrated.
    """

    @property
    def dialect(self) -> MergeDialect:
        """The expressions that the two write differently."""

    def rows(self, sql: str, parameters: Row = ()) -> list[Row]:
        """Run a query and read all of its rows."""

    def run(self, sql: str, parameters: Row = ()) -> int:
        """Run one statement and return the number of changed rows."""

    def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        """Run one statement for many rows."""

    def upsert(self, table: Table, rows: Sequence[Row]) -> None:
        """Write whole rows, each with its own key; a row that exists is replaced."""

    def add(self, table: Table, rows: Sequence[Row]) -> None:
        """Write rows that are new, fast."""

    def vacuum(self, table: Table) -> None:
        """Make the room of deleted rows usable, outside of a transaction."""

    def rows_at(self, table: Table, ids: Iterable[int], time_ms: int) -> list[Row]:
        """The rows of a tile table for these series at one time."""

    def rows_between(self, table: Table, ids: Iterable[int], begin_ms: int, end_ms: int) -> list[Row]:
        """The rows of a tile table for these series in [begin_ms, end_ms)."""

    def last_lags(self, table: Table, ids: Iterable[int], begin_ms: int, end_ms: int) -> dict[int, tuple[int, int]]:
        """The last lag, in offsets, that a tile table knows of these series in [begin_ms, end_ms), after its time."""

    def among(self, values: Iterable[str]) -> tuple[str, Any]:
        """The condition that a text column has one of these values, and its parameter."""

    def begin(self, target: str) -> None:
        """Start a writing transaction that holds off other writers of this target until it ends."""

    def hold_off(self, target: str) -> None:
        """Hold off the writers of a target from here to the end of the transaction."""

    def commit(self) -> None: ...

    def rollback(self) -> None:
        """Undo the transaction; never raises."""

    def close(self) -> None: ...


class SharedConnection:
    """A connection for several threads. A thread holds it for a whole transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Queries outside of a transaction."""
        with self._lock:
            yield self._connection

    @contextmanager
    def writing(self, target: str) -> Iterator[Connection]:
        """One transaction: committed at the end, undone on any exception."""
        with self._lock:
            self._connection.begin(target)
            try:
                yield self._connection
                self._connection.commit()
            except BaseException:
                self._connection.rollback()
                raise

    def close(self) -> None:
        with self._lock:
            self._connection.close()
