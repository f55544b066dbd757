"""Rows that belong to nothing any more: old jobs and audits, and series of which no tile is left.

Each step is a separate, short transaction; everything here may be put off and done again.
"""

import json
from collections.abc import Callable, Sequence

from metrics.schemas import AUDIT_RETENTION_MS, EVENT_RETENTION_MS, GAUGES, SERIES_DELETED, TILES
from metrics.store.backfill.running import end_abandoned
from metrics.store.connection import Connection, Row, SharedConnection
from replication.domain.reporting.tile_retention import TileRetention

_CHUNK = 500
_TASK_SEQ_LIFE_MS = 26 * 3_600_000  # longer than a raw record lives
_DEFAULT_RETENTION = TileRetention()


def delete_forgotten(
    store: SharedConnection,
    target: str,
    now_ms: int,
    stopped: Callable[[], bool],
    retention: TileRetention = _DEFAULT_RETENTION,
) -> int:
    """Delete series that were silent for as long as hourly tiles are kept; the number of rows."""
    since_ms = now_ms - retention.hours_ms
    with store.writing(target) as connection:
        deleted = _delete_old(connection, target, now_ms, since_ms)
        deleted += _delete_audits(connection, target, now_ms - AUDIT_RETENTION_MS)
    for step, before_ms in ((_delete_jobs, now_ms - AUDIT_RETENTION_MS), (_delete_series, since_ms)):
        done = _CHUNK
        while done >= _CHUNK and not stopped():
            with store.writing(target) as connection:
                done = step(connection, target, before_ms)
            deleted += done
    end_abandoned(store, target)
    with store.writing(target) as connection:  # after the series: a topic without one is not measured any more
        return deleted + _delete_proofs(connection, target)


def _delete_old(connection: Connection, target: str, now_ms: int, since_ms: int) -> int:
    old = (
        ("DELETE FROM task_seq WHERE target = ? AND last_ms < ?", now_ms - _TASK_SEQ_LIFE_MS),
        ("DELETE FROM event WHERE target = ? AND time_ms < ?", now_ms - EVENT_RETENTION_MS),
        ("DELETE FROM gap WHERE target = ? AND detected_ms < ?", since_ms),
        ("DELETE FROM ingest_gap WHERE target = ? AND detected_ms < ?", since_ms),
        ("DELETE FROM bad_record WHERE target = ? AND last_ms < ?", since_ms),
        ("DELETE FROM group_now WHERE target = ? AND last_ms < ?", since_ms),
    )
    return sum(connection.run(sql, (target, before_ms)) for sql, before_ms in old)


def _delete_audits(connection: Connection, target: str, before_ms: int) -> int:
    old = "SELECT job_id FROM audit_run WHERE target = ? AND started_ms < ?"
    tables = ("audit_finding", "audit_run")
    return sum(
        connection.run(f"DELETE FROM {table} WHERE job_id IN ({old})", (target, before_ms))  # noqa: S608 - our own names
        for table in tables
    )


def _delete_proofs(connection: Connection, target: str) -> int:
    """Of topics that are neither audited nor measured any more."""
    return connection.run(
        "DELETE FROM audit_proven WHERE target = ? "
        "AND NOT EXISTS (SELECT 1 FROM audit_run r WHERE r.source = audit_proven.source "
        "AND r.target = audit_proven.target AND r.topic = audit_proven.topic) "
        "AND NOT EXISTS (SELECT 1 FROM series s WHERE s.source = audit_proven.source "
        "AND s.target = audit_proven.target AND s.topic = audit_proven.topic)",
        (target,),
    )


def _delete_jobs(connection: Connection, target: str, before_ms: int) -> int:
    ended = connection.rows(
        "SELECT id, heartbeat_ms, spec FROM job_request WHERE target = ? AND state IN ('done', 'failed', 'cancelled') "
        "ORDER BY id LIMIT ?",
        (target, _CHUNK),
    )
    old = expired_jobs([(int(row[0]), _job_ms(row)) for row in ended], before_ms)
    connection.run_many("DELETE FROM job_request WHERE id = ?", [(job_id,) for job_id in old])
    return len(old)


def expired_jobs(jobs: Sequence[tuple[int, int | None]], before_ms: int) -> list[int]:
    """Numbers of jobs that ended before then. One that tells no time is as old as the next one that does."""
    old: list[int] = []
    is_old = False
    for job_id, at_ms in sorted(jobs, reverse=True):
        is_old = is_old if at_ms is None else at_ms < before_ms
        if is_old:
            old.append(job_id)
    return old


def _job_ms(row: Row) -> int | None:
    """When a job was last worked on, or else asked for."""
    if row[1] is not None:
        return int(row[1])
    try:
        asked = json.loads(row[2] or "{}").get("requested_ms")
    except (ValueError, AttributeError):
        return None
    return asked if isinstance(asked, int) else None


def _delete_series(connection: Connection, target: str, before_ms: int) -> int:
    """Series without a tile or gauge, silent since then. Writers see by `revision` that numbers are void."""
    empty = " ".join(
        f"AND NOT EXISTS (SELECT 1 FROM {table.name} WHERE {table.name}.id = s.id)"  # noqa: S608 - our own names
        for table in (*TILES, *GAUGES)
    )
    forgotten = (
        "SELECT s.id FROM series s LEFT JOIN partition_now n ON n.series_id = s.id "  # noqa: S608 - our own names
        f"WHERE s.target = ? AND COALESCE(n.last_ms, 0) < ? {empty} ORDER BY s.id LIMIT {_CHUNK}"
    )
    connection.run(f"DELETE FROM covered WHERE series_id IN ({forgotten})", (target, before_ms))  # noqa: S608 - our own names
    deleted = connection.run(f"DELETE FROM series WHERE id IN ({forgotten})", (target, before_ms))  # noqa: S608 - our own names
    if deleted:  # the last report is the condition of both, so it goes last
        orphaned = "NOT EXISTS (SELECT 1 FROM series s WHERE s.id = partition_now.series_id)"
        connection.run(f"DELETE FROM partition_now WHERE last_ms < ? AND {orphaned}", (before_ms,))  # noqa: S608 - our own names
        connection.run("UPDATE writer SET revision = revision + ? WHERE target = ?", (SERIES_DELETED, target))
    return deleted
