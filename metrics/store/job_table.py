"""The rows of `job_request` as a metrics process sees them: claim, keep, finish.

A claim is kept by its heartbeat: after `CLAIM_LIFE_MS` of silence another process may take the job over. Every write
names the claimer, so that one who was away too long, or whose job was cancelled meanwhile, changes nothing.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from metrics.schemas import JOB_ATTEMPTS
from metrics.store.connection import SharedConnection

CLAIM_LIFE_MS = 15_000
_LOCK = "jobs"  # claims queue behind this name; with SQLite behind every writer of the file
_MAX_TEXT_CHARS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A claimed row."""

    job_id: int
    kind: str
    target: str
    spec: Mapping[str, Any]


class JobTable:
    """One process's view; `claimer` names it and no other. Raises StoreUnavailableError, TablesMissingError."""

    def __init__(self, connection: SharedConnection, claimer: str) -> None:
        self._connection = connection
        self._claimer = claimer

    def claim(self, targets: Collection[str], now_ms: int) -> Job | None:
        """The oldest job of these targets that waits or whose claimer is silent; it is this process's then."""
        if not targets:
            return None
        marks = ", ".join("?" * len(targets))
        waits = (
            "(state = 'requested' OR (state IN ('claimed', 'running') AND (heartbeat_ms IS NULL OR heartbeat_ms < ?)))"
        )
        with self._connection.reading() as connection:
            found = connection.rows(
                f"SELECT id FROM job_request WHERE target IN ({marks}) AND {waits} ORDER BY id LIMIT 1",  # noqa: S608 - our own words
                (*targets, now_ms - CLAIM_LIFE_MS),
            )
        if not found:
            return None
        with self._connection.writing(_LOCK) as connection:
            claimed = connection.rows(
                f"UPDATE job_request SET state = 'claimed', claimed_by = ?, heartbeat_ms = ?, error = NULL, "  # noqa: S608 - our own words
                f"attempts = attempts + 1 WHERE id = ? AND {waits} RETURNING id, kind, target, spec, attempts",
                (self._claimer, now_ms, found[0][0], now_ms - CLAIM_LIFE_MS),
            )
        if not claimed:
            return None
        job_id, kind, target, spec, attempts = claimed[0]
        return self._checked(int(job_id), str(kind), str(target), str(spec), int(attempts))

    def _checked(self, job_id: int, kind: str, target: str, spec: str, attempts: int) -> Job | None:
        try:
            content = json.loads(spec or "{}")
        except ValueError:
            content = None
        if attempts > JOB_ATTEMPTS:
            self.finish(job_id, f"given up: the metrics process ended {JOB_ATTEMPTS} times while it ran")
        elif not isinstance(content, dict):
            self.finish(job_id, "the job's spec is no JSON object")
        else:
            return Job(job_id=job_id, kind=kind, target=target, spec=content)
        return None

    def keep(self, job_id: int, now_ms: int, progress: tuple[float, str] | None) -> bool:
        """Heartbeat and progress; False when the job is no longer this process's: cancelled, or taken over."""
        text = None if progress is None else json.dumps({"done": round(progress[0], 4), "text": progress[1]})
        return self._write(
            job_id, "state = 'running', heartbeat_ms = ?, progress = COALESCE(?, progress)", (now_ms, text)
        )

    def finish(self, job_id: int, error: str | None) -> bool:
        """Done, or failed for this reason; False when the job was no longer this process's."""
        state = "done" if error is None else "failed"
        return self._write(job_id, "state = ?, error = ?", (state, error and error[:_MAX_TEXT_CHARS]))

    def give_back(self, job_id: int) -> bool:
        """Let another process begin it at once: this one ends, which is no fault of the job."""
        return self._write(
            job_id, "state = 'requested', claimed_by = NULL, heartbeat_ms = NULL, attempts = attempts - 1", ()
        )

    def request(self, kind: str, target: str, spec: Mapping[str, Any]) -> int:
        """Ask for a job; its id."""
        with self._connection.writing(_LOCK) as connection:
            rows = connection.rows(
                "INSERT INTO job_request (kind, target, spec, state, attempts) VALUES (?, ?, ?, 'requested', 0) "
                "RETURNING id",
                (kind, target, json.dumps(spec)),
            )
        return int(rows[0][0])

    def state(self, job_id: int) -> tuple[str, str | None, str | None]:
        """State, progress and error of a job."""
        with self._connection.reading() as connection:
            rows = connection.rows("SELECT state, progress, error FROM job_request WHERE id = ?", (job_id,))
        return rows[0][0], rows[0][1], rows[0][2]

    def close(self) -> None:
        self._connection.close()

    def _write(self, job_id: int, changes: str, values: tuple[Any, ...]) -> bool:
        with self._connection.writing(_LOCK) as connection:
            changed = connection.run(
                f"UPDATE job_request SET {changes} "  # noqa: S608 - our own words
                "WHERE id = ? AND claimed_by = ? AND state IN ('claimed', 'running')",
                (*values, job_id, self._claimer),
            )
        return changed > 0
