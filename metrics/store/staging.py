"""Rows that tasks have prepared, waiting in tables of their own until the driver's transaction takes them over.

Each attempt of a task has its own number. The driver takes over the attempts that the results of the batch name;
all others of the target, failed or speculative, are deleted with them.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

from metrics.errors import StoreUnavailableError
from metrics.schemas import (
    COVERED,
    PARTITION_NOW,
    STAGED_ATTEMPT,
    STAGED_COVERED,
    STAGED_NOW,
    STAGED_TILE,
    TILES,
    Table,
)
from metrics.store.connection import Connection, Row
from metrics.store.statements import upsert_from_sql

_STAGED_OF: Mapping[str, Table] = {
    **{table.name: STAGED_TILE for table in TILES},
    PARTITION_NOW.name: STAGED_NOW,
    COVERED.name: STAGED_COVERED,
}
TABLE_OF: Mapping[str, Table] = {table.name: table for table in (*TILES, PARTITION_NOW, COVERED)}
_STAGED = (STAGED_TILE, STAGED_NOW, STAGED_COVERED)


def stage(
    connection: Connection,
    attempt: int,
    tag: tuple[str, int, int],
    tables: Collection[tuple[Table, Sequence[Row]]],
) -> dict[str, int]:
    """Write the rows of an attempt, in a transaction of the caller's; how many of each table.

    `tag` is target, epoch and batch.
    """
    connection.add(STAGED_ATTEMPT, [(attempt, *tag)])
    counts: dict[str, int] = {}
    for table, rows in tables:
        marks: Row = (attempt, table.name) if _STAGED_OF[table.name] is STAGED_TILE else (attempt,)
        connection.add(_STAGED_OF[table.name], [(*marks, *row) for row in rows])
        counts[table.name] = counts.get(table.name, 0) + len(rows)
    return counts


def take_over(
    connection: Connection, counts: Mapping[int, Mapping[str, int]], statement: Callable[[str, str], str] | None = None
) -> int:
    """Move the rows of these attempts to where they belong; how many there were.

    `statement` makes the SQL from the name of a table and from what follows FROM; without it the rows replace those of
    the table. StoreUnavailableError when some are missing: a database that crashed keeps no row of these tables.
    """
    expected: dict[str, int] = {}
    for own in counts.values():
        for name, count in own.items():
            expected[name] = expected.get(name, 0) + count
    among = ", ".join(str(int(attempt)) for attempt in counts)
    for name, count in expected.items():
        staged = _STAGED_OF[name]
        is_tile = staged is STAGED_TILE
        source = f"{staged.name} WHERE attempt IN ({among})" + (" AND relation = ?" if is_tile else " AND attempt > ?")
        moved = connection.run((statement or _replacing)(name, source), (name if is_tile else 0,))
        if moved != count:
            raise StoreUnavailableError(f"{moved} of {count} staged rows of {name} were found")
    return sum(expected.values())


def _replacing(name: str, source: str) -> str:
    return upsert_from_sql(TABLE_OF[name], source)


def delete_staged(connection: Connection, target: str, epoch: int, batch: int) -> None:
    """Delete the rows that attempts left up to this batch."""
    _delete_attempts(
        connection, "target = ? AND (epoch < ? OR (epoch = ? AND batch <= ?))", (target, epoch, epoch, batch)
    )


def delete_staged_of(connection: Connection, epochs: str, parameters: Row = ()) -> None:
    """Delete the rows that attempts of these epochs left; `epochs` is a condition on the column."""
    _delete_attempts(connection, f"epoch {epochs}", parameters)


def _delete_attempts(connection: Connection, condition: str, parameters: Row) -> None:
    attempts = connection.rows(f"SELECT attempt FROM staged_attempt WHERE {condition}", parameters)  # noqa: S608 - our own names
    for table in (*_STAGED, STAGED_ATTEMPT):
        for (attempt,) in attempts:
            connection.run(f"DELETE FROM {table.name} WHERE attempt = ?", (attempt,))  # noqa: S608 - our own names


def vacuum_staged(connection: Connection) -> None:
    """Give back the room of deleted rows, outside of a transaction."""
    for table in _STAGED:
        connection.vacuum(table)
