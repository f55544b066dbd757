"""SQL built from the table definitions, so that a column has one home."""

from collections.abc import Iterable, Sequence
from functools import cache

from metrics.schemas import Table
from metrics.store.connection import Connection, Row

# Both databases allow some ten thousand parameters in a statement.
_KEYS_PER_QUERY = 5_000


@cache
def upsert_sql(table: Table, source: str | None = None) -> str:
    """Insert whole rows, from another table or as parameters; on an existing key every other column is replaced."""
    names = table.column_names
    changed = [name for name in names if name not in table.key]
    updates = ", ".join(f"{name} = excluded.{name}" for name in changed)
    columns = ", ".join(names)
    values = f"VALUES ({', '.join('?' * len(names))})" if source is None else f"SELECT {columns} FROM {source}"  # noqa: S608 - our own names
    return f"INSERT INTO {table.name} ({columns}) {values} ON CONFLICT ({', '.join(table.key)}) DO UPDATE SET {updates}"


@cache
def insert_sql(table: Table, *, ignore_conflict: bool = False) -> str:
    """Insert rows without their identity column."""
    names = [column.name for column in table.columns if not column.identity]
    conflict = " ON CONFLICT DO NOTHING" if ignore_conflict else ""
    return f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))}){conflict}"  # noqa: S608 - our own names


def rows_at(connection: Connection, table: Table, ids: Sequence[int], time_ms: int) -> Iterable[Row]:
    """The rows of a tile table for these series at one time."""
    for start in range(0, len(ids), _KEYS_PER_QUERY):
        chunk = ids[start : start + _KEYS_PER_QUERY]
        yield from connection.rows(
            f"SELECT {', '.join(table.column_names)} FROM {table.name} "  # noqa: S608 - our own names
            f"WHERE time_ms = ? AND id IN ({', '.join('?' * len(chunk))})",
            (time_ms, *chunk),
        )
