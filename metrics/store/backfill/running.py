"""The backfill that runs for a target: one at a time, known by its id; rows of others are void."""

from collections.abc import Iterator

from metrics.errors import JobError
from metrics.schemas import BACKFILL_COVERED, BACKFILL_NOW, BACKFILL_TILE
from metrics.store.backfill.backfill_range import FIRST_BACKFILL_ID
from metrics.store.connection import Connection, SharedConnection
from metrics.store.staging import delete_staged_of

ROWS_AT_ONCE = 50_000
_STATES = (BACKFILL_NOW, BACKFILL_COVERED)
_TABLES = (BACKFILL_TILE, *_STATES)

Part = tuple[str, int]  # a relation and an hour of it


def begin(store: SharedConnection, target: str, backfill_id: int, job_id: int) -> None:
    """Make this the running backfill of a target: tasks of an earlier one are refused from here on."""
    with store.writing(target) as connection:
        connection.run("DELETE FROM backfill WHERE target = ?", (target,))
        connection.run(
            "INSERT INTO backfill (target, backfill_id, job_id) VALUES (?, ?, ?)", (target, backfill_id, job_id)
        )
    delete_void(store)


def check_runs(connection: Connection, target: str, backfill_id: int) -> int:
    """Return the revision of the target. JobError when another backfill of it has begun, or the rows are lost."""
    found = connection.rows(
        "SELECT w.revision FROM backfill b JOIN writer w ON w.target = b.target "
        "WHERE b.target = ? AND b.backfill_id = ?",
        (target, backfill_id),
    )
    if not found:
        raise JobError(f"another backfill of target {target} has begun, or the database has lost the rows of this one")
    return int(found[0][0])


def end(store: SharedConnection, backfill_id: int) -> None:
    """Delete the rows of a backfill."""
    with store.writing("backfills") as connection:
        connection.run("DELETE FROM backfill WHERE backfill_id = ?", (backfill_id,))
    delete_void(store)
    with store.reading() as connection:
        for table in _TABLES:
            connection.vacuum(table)


def end_abandoned(store: SharedConnection, target: str) -> None:
    """Delete the rows of a backfill whose job no process works on: its process was killed, and no other took it."""
    with store.writing("backfills") as connection:
        connection.run(
            "DELETE FROM backfill WHERE target = ? AND NOT EXISTS (SELECT 1 FROM job_request j "
            "WHERE j.id = backfill.job_id AND j.state IN ('claimed', 'running', 'requested'))",
            (target,),
        )
    delete_void(store)


def delete_void(store: SharedConnection) -> None:
    """Delete the rows of backfills that run no more, some thousand per transaction."""
    void: set[int] = set()
    with store.reading() as connection:
        for table in _TABLES:
            found = connection.rows(
                f"SELECT DISTINCT backfill_id FROM {table.name} "  # noqa: S608 - our own names
                "WHERE backfill_id NOT IN (SELECT backfill_id FROM backfill)"
            )
            void.update(int(backfill_id) for (backfill_id,) in found)
    for backfill_id in void:
        _delete_rows(store, backfill_id)
    with store.writing("backfills") as connection:
        delete_staged_of(connection, ">= ? AND epoch NOT IN (SELECT backfill_id FROM backfill)", (FIRST_BACKFILL_ID,))


def _delete_rows(store: SharedConnection, backfill_id: int) -> None:
    with store.reading() as connection:
        parts = [
            (str(relation), int(hour_ms))
            for relation, hour_ms in connection.rows(
                "SELECT DISTINCT relation, hour_ms FROM backfill_tile WHERE backfill_id = ?", (backfill_id,)
            )
        ]
    for part in parts:
        delete_part(store, backfill_id, part)
    for table in _STATES:
        with store.writing("backfills") as connection:
            connection.run(f"DELETE FROM {table.name} WHERE backfill_id = ?", (backfill_id,))  # noqa: S608 - our own names


def delete_part(store: SharedConnection, backfill_id: int, part: Part) -> None:
    """Delete the tiles of an hour, some thousand per transaction."""
    with store.reading() as connection:
        ranges = list(id_ranges(connection, backfill_id, part))
    for after, last in ranges:
        with store.writing("backfills") as connection:
            connection.run(
                "DELETE FROM backfill_tile "
                "WHERE backfill_id = ? AND relation = ? AND hour_ms = ? AND id > ? AND id <= ?",
                (backfill_id, *part, after, last),
            )


def id_ranges(connection: Connection, backfill_id: int, part: Part) -> Iterator[tuple[int, int]]:
    """Series of an hour, some thousand tiles at a time: those with ids after the first one, up to the second."""
    after = -1
    while True:
        found = connection.rows(
            "SELECT MAX(id) FROM (SELECT id FROM backfill_tile "
            "WHERE backfill_id = ? AND relation = ? AND hour_ms = ? AND id > ? ORDER BY id LIMIT ?) AS next",
            (backfill_id, *part, after, ROWS_AT_ONCE),
        )
        if found[0][0] is None:
            return
        yield after, int(found[0][0])
        after = int(found[0][0])
