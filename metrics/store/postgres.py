"""The metrics store as the schema `metrics` of a PostgreSQL database."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import Any

import psycopg

from metrics.errors import StoreUnavailableError, TablesMissingError
from metrics.schemas import Table
from metrics.store.connection import Row
from metrics.store.merging.dialect import POSTGRES
from metrics.store.statements import last_lags_sql, select_at_sql, select_between_sql, upsert_from_sql, upsert_sql

_CONNECT_TIMEOUT_S = 5
_AMONG = "= ANY (CAST(? AS bigint[]))"
_COPY_FROM_ROWS = 200
# A statement that hangs on a lost connection must not hold a query for ever.
_SESSION = "-c search_path=metrics -c statement_timeout=60000 -c lock_timeout=20000"
# The server gives up locks of a client whose host is gone or frozen; a backfill counts for minutes within one.
_SESSION += " -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
_SESSION += " -c idle_in_transaction_session_timeout=600000"
_READ_ONLY = " -c default_transaction_read_only=on"
_NOT_MIGRATED = (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn, psycopg.errors.InvalidSchemaName)


class PostgresConnection:
    """Autocommit outside of `begin`; writers of one target queue behind its row in `writer`."""

    dialect = POSTGRES

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        self._taking_over: Future[None] | None = None
        with self._translated():
            self._connection = psycopg.connect(
                url,
                autocommit=True,
                connect_timeout=_CONNECT_TIMEOUT_S,
                options=_SESSION + (_READ_ONLY if read_only else ""),
                keepalives_idle=5,
                keepalives_interval=2,
                keepalives_count=3,
                tcp_user_timeout=15_000,
            )

    def rows(self, sql: str, parameters: Row = ()) -> list[Row]:
        self._wait_for_copy()
        with self._translated():
            return list(self._connection.execute(_placeholders(sql), parameters).fetchall())

    def run(self, sql: str, parameters: Row = ()) -> int:
        self._wait_for_copy()
        with self._translated():
            return self._connection.execute(_placeholders(sql), parameters).rowcount

    def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        self._wait_for_copy()
        with self._translated(), self._connection.cursor() as cursor:
            cursor.executemany(_placeholders(sql), rows)

    def upsert(self, table: Table, rows: Sequence[Row]) -> None:
        """Many rows go through COPY into a table of the transaction, three times as fast as one by one.

        The server takes them over from there while the caller prepares what comes next; the next call waits for it
        and raises what it raised.
        """
        if len(rows) < _COPY_FROM_ROWS:
            if rows:
                self.run_many(upsert_sql(table), rows)
            return
        staged = f"incoming_{table.name}"
        self.run(f"CREATE TEMPORARY TABLE IF NOT EXISTS {staged} (LIKE {table.name}) ON COMMIT DELETE ROWS")
        self._copy(staged, table, rows)
        taken_over = f"{upsert_from_sql(table, staged)}; DELETE FROM {staged}".encode()  # noqa: S608 - our own names
        taking_over: Future[None] = Future()
        arguments = (taking_over, self._connection, taken_over)
        Thread(target=_execute, args=arguments, name="metrics-store", daemon=True).start()
        self._taking_over = taking_over  # not before the thread runs: who waits for it must not wait in vain

    def add(self, table: Table, rows: Sequence[Row]) -> None:
        self._wait_for_copy()
        self._copy(table.name, table, rows)

    def vacuum(self, table: Table) -> None:
        self.run(f"VACUUM {table.name}")

    def _copy(self, into: str, table: Table, rows: Sequence[Row]) -> None:
        copying = f"COPY {into} ({', '.join(table.column_names)}) FROM STDIN".encode()
        with self._translated(), self._connection.cursor() as cursor, cursor.copy(copying) as copy:
            for row in rows:
                copy.write_row(row)

    def rows_at(self, table: Table, ids: Iterable[int], time_ms: int) -> list[Row]:
        sql = select_at_sql(table, _AMONG)
        return self.rows(sql, (time_ms, _listed(ids)))

    def rows_between(self, table: Table, ids: Iterable[int], begin_ms: int, end_ms: int) -> list[Row]:
        return self.rows(select_between_sql(table, _AMONG), (begin_ms, end_ms, _listed(ids)))

    def last_lags(self, table: Table, ids: Iterable[int], begin_ms: int, end_ms: int) -> dict[int, tuple[int, int]]:
        rows = self.rows(last_lags_sql(table, _AMONG), (begin_ms, end_ms, _listed(ids)))
        return {row[0]: (row[1], row[2]) for row in rows}

    def among(self, values: Iterable[str]) -> tuple[str, Any]:
        return "= ANY(CAST(? AS text[]))", list(values)

    def begin(self, target: str) -> None:
        self.run("BEGIN")
        try:
            self.hold_off(target)
        except BaseException:
            self.rollback()
            raise

    def hold_off(self, target: str) -> None:
        self.rows("SELECT epoch FROM writer WHERE target = ? FOR UPDATE", (target,))

    def commit(self) -> None:
        self.run("COMMIT")

    def rollback(self) -> None:
        with contextlib.suppress(Exception):
            self._wait_for_copy()
        with contextlib.suppress(psycopg.Error):
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        with contextlib.suppress(psycopg.Error):
            self._connection.close()

    def _wait_for_copy(self) -> None:
        """Wait until the server has taken over the rows of the last large table."""
        taking_over, self._taking_over = self._taking_over, None
        if taking_over is not None:
            with self._translated():
                taking_over.result()

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except _NOT_MIGRATED as error:
            raise TablesMissingError(_first_line(error)) from error
        except psycopg.Error as error:
            raise StoreUnavailableError(f"the metrics store failed: {_first_line(error)}") from error


def _execute(done: Future[None], connection: psycopg.Connection, statement: bytes) -> None:
    try:
        connection.execute(statement)
    except BaseException as error:  # whoever settles raises it; without an answer they would wait for ever
        done.set_exception(error)
    else:
        done.set_result(None)


def _listed(ids: Iterable[int]) -> str:
    return f"{{{','.join(map(str, ids))}}}"


def _placeholders(sql: str) -> bytes:
    """Our SQL has no literals, so every question mark is a parameter. Bytes, as psycopg asks of built statements."""
    return sql.replace("?", "%s").encode()


def _first_line(error: psycopg.Error) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
