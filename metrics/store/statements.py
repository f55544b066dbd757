"""Builds SQL from the table definitions."""

from collections.abc import Sequence
from functools import cache

from metrics.schemas import PARTITION_NOW, Table

# of a table of latest reports named n, in the order of LatestReport
REPORT_COLUMNS = ", ".join(f"n.{name}" for name in PARTITION_NOW.column_names if name != "series_id")


@cache
def upsert_sql(table: Table) -> str:
    """Insert whole rows; on an existing key every other column is replaced."""
    return _upsert_sql(table, f"VALUES ({', '.join('?' * len(table.columns))})")


def upsert_from_sql(table: Table, source: str) -> str:
    """Insert the rows that follow FROM, as `upsert_sql` does. Not kept: sources name attempts, each of them once."""
    return _upsert_sql(table, f"SELECT {_quoted(table.column_names)} FROM {source}")  # noqa: S608 - our own names


def upsert_differing_sql(table: Table, source: str) -> str:
    """Insert the rows that follow FROM; on an existing key the other columns are replaced if one of them differs."""
    differs = " OR ".join(
        f'COALESCE({table.name}."{column.name}", -1) <> COALESCE(excluded."{column.name}", -1)'
        if column.null
        else f'{table.name}."{column.name}" <> excluded."{column.name}"'
        for column in table.columns
        if column.name not in table.key
    )
    return f"{upsert_from_sql(table, source)} WHERE {differs}"


def _upsert_sql(table: Table, values: str) -> str:
    changed = [name for name in table.column_names if name not in table.key]
    updates = ", ".join(f'"{name}" = excluded."{name}"' for name in changed)
    return (
        f"INSERT INTO {table.name} ({_quoted(table.column_names)}) {values} "
        f"ON CONFLICT ({_quoted(table.key)}) DO UPDATE SET {updates}"
    )


def _quoted(names: Sequence[str]) -> str:
    """Some columns are named as functions are."""
    return ", ".join(f'"{name}"' for name in names)


@cache
def insert_sql(table: Table, *, ignore_conflict: bool = False) -> str:
    """Insert rows without their identity column."""
    names = [column.name for column in table.columns if not column.identity]
    conflict = " ON CONFLICT DO NOTHING" if ignore_conflict else ""
    return f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))}){conflict}"  # noqa: S608 - our own names


@cache
def last_lags_sql(table: Table, ids: str) -> str:
    """Select series, time and last known lag in a range of a tile table; `ids` is a condition with one parameter."""
    latest = (
        f"SELECT id, MAX(time_ms) AS time_ms FROM {table.name} "  # noqa: S608 - our own names
        f"WHERE time_ms >= ? AND time_ms < ? AND lag_last IS NOT NULL AND id {ids} GROUP BY id"
    )
    return (
        f"SELECT t.id, t.time_ms, t.lag_last FROM {table.name} t "  # noqa: S608 - our own names
        f"JOIN ({latest}) l ON l.id = t.id AND l.time_ms = t.time_ms"
    )


@cache
def select_at_sql(table: Table, ids: str) -> str:
    """Select the rows of a tile table at one time; `ids` is a condition with one parameter."""
    return f"SELECT {', '.join(table.column_names)} FROM {table.name} WHERE time_ms = ? AND id {ids}"  # noqa: S608 - our own names


@cache
def select_between_sql(table: Table, ids: str) -> str:
    """The rows of a tile table from one time to before another, of the series in a condition with one parameter."""
    return f"SELECT {', '.join(table.column_names)} FROM {table.name} WHERE time_ms >= ? AND time_ms < ? AND id {ids}"  # noqa: S608 - our own names
