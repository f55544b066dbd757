"""The metrics store as a separate SQLite file: one host, one writing process, readers beside it."""

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from metrics.errors import StoreUnavailableError, TablesMissingError
from metrics.schemas import Table
from metrics.store.connection import Row
from metrics.store.merging.dialect import SQLITE
from metrics.store.statements import insert_sql, last_lags_sql, select_at_sql, select_between_sql, upsert_sql

_BUSY_TIMEOUT_S = 10.0
_AMONG = "IN (SELECT value FROM json_each(?))"
_NOT_MIGRATED = ("no such table", "no such column", "has no column")


class SqliteConnection:
    """WAL, so that readers never wait; `synchronous=FULL`, so that a commit survives a power cut."""

    dialect = SQLITE

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        if not path.is_file():
            raise TablesMissingError(f"{path} does not exist")
        uri = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}"
        with self._translated():
            self._connection = sqlite3.connect(
                uri, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            if not read_only:
                self._connection.execute("PRAGMA journal_mode=WAL")
                self._connection.execute("PRAGMA synchronous=FULL")

    def rows(self, sql: str, parameters: Row = ()) -> list[Row]:
        with self._translated():
            return self._connection.execute(sql, parameters).fetchall()

    def run(self, sql: str, parameters: Row = ()) -> int:
        with self._translated():
            return self._connection.execute(sql, parameters).rowcount

    def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        with self._translated():
            self._connection.executemany(sql, rows)

    def upsert(self, table: Table, rows: Sequence[Row]) -> None:
        if rows:
            self.run_many(upsert_sql(table), rows)

    def add(self, table: Table, rows: Sequence[Row]) -> None:
        self.run_many(insert_sql(table), rows)

    def vacuum(self, table: Table) -> None:
        """Nothing to do: free pages are used again."""

    def rows_at(self, table: Table, ids: Iterable[int], time_ms: int) -> list[Row]:
        sql = select_at_sql(table, _AMONG)
        return self.rows(sql, (time_ms, _listed(ids)))

    def rows_between(self, table: Table, ids: Iterable[int], begin_ms: int, end_ms: int) -> list[Row]:
        return self.rows(select_between_sql(table, _AMONG), (begin_ms, end_ms, _listed(ids)))

    def last_lags(self, table: Table, ids: Iterable[int], begin_ms: int, end_ms: int) -> dict[int, tuple[int, int]]:
        rows = self.rows(last_lags_sql(table, _AMONG), (begin_ms, end_ms, _listed(ids)))
        return {row[0]: (row[1], row[2]) for row in rows}

    def among(self, values: Iterable[str]) -> tuple[str, Any]:
        return _AMONG, json.dumps(list(values))

    def begin(self, target: str) -> None:
        """SQLite has one writer for the whole file, so the target makes no difference."""
        self.run("BEGIN IMMEDIATE")

    def hold_off(self, target: str) -> None:
        """Nothing to do: every transaction does."""

    def commit(self) -> None:
        self.run("COMMIT")

    def rollback(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        self._connection.close()

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            text = str(error)
            if any(sign in text for sign in _NOT_MIGRATED):
                raise TablesMissingError(text) from error
            raise StoreUnavailableError(f"the metrics store failed: {text}") from error
        except sqlite3.DatabaseError as error:
            raise StoreUnavailableError(f"the metrics store failed: {error}") from error


def _listed(ids: Iterable[int]) -> str:
    return f"[{','.join(map(str, ids))}]"
