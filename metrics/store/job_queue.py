"""The rows of `job_request` as people see them: what is open, why it waits, and its end by a person's word."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from metrics.store.connection import SharedConnection
from metrics.time_format import iso_time

_SILENT_MS = 30_000  # a writer says that it lives every two seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenJob:
    """A job that waits or runs."""

    job_id: int
    kind: str
    target: str
    state: str
    claimed_by: str | None
    progress: str | None  # JSON, as its metrics process has written it

    @property
    def named(self) -> str:
        return f"job {self.job_id} ({self.kind} of {self.target})"

    @property
    def said(self) -> str:
        """Its state, and how far it has come."""
        if not self.progress:
            return self.state
        found = json.loads(self.progress)
        return f"{self.state}: {100 * found['done']:.0f} %, {found['text']}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetWriter:
    """The metrics process that counts a target, and takes its jobs."""

    owner: str
    heartbeat_ms: int


class JobQueue:
    """Raises StoreUnavailableError, TablesMissingError."""

    def __init__(self, connection: SharedConnection) -> None:
        self._connection = connection

    def open_jobs(self) -> tuple[OpenJob, ...]:
        """Of all targets, the oldest first."""
        with self._connection.reading() as connection:
            rows = connection.rows(
                "SELECT id, kind, target, state, claimed_by, progress FROM job_request "
                "WHERE state IN ('requested', 'claimed', 'running') ORDER BY id"
            )
        names = ("job_id", "kind", "target", "state", "claimed_by", "progress")
        return tuple(OpenJob(**dict(zip(names, row, strict=True))) for row in rows)

    def writers(self) -> dict[str, TargetWriter]:
        """By target: every one that was ever counted into this store."""
        with self._connection.reading() as connection:
            rows = connection.rows("SELECT target, owner, heartbeat_ms FROM writer ORDER BY target")
        return {
            str(target): TargetWriter(owner=str(owner), heartbeat_ms=int(sent_ms)) for target, owner, sent_ms in rows
        }

    def cancel(self, job_id: int) -> bool:
        """A running one stops at its next step; False when no such job is open."""
        with self._connection.writing("jobs") as connection:
            changed = connection.run(
                "UPDATE job_request SET state = 'cancelled' "
                "WHERE id = ? AND state IN ('requested', 'claimed', 'running')",
                (job_id,),
            )
        return changed > 0


def why_it_waits(job_id: int, target: str, jobs: Iterable[OpenJob], writer: TargetWriter | None, now_ms: int) -> str:
    """Return why a requested job waits. A process runs one job at a time, the oldest of its targets first."""
    if writer is None:
        return f"no metrics process has counted {target} yet: does one run?"
    if now_ms - writer.heartbeat_ms > _SILENT_MS:
        since = iso_time(writer.heartbeat_ms)
        return f"the metrics process of {target} has not been heard of since {since}: does it run?"
    for job in jobs:
        is_in_its_hands = job.state != "requested" and job.claimed_by == writer.owner
        if job.job_id != job_id and is_in_its_hands:
            return f"{job.named} is done first"
    for job in jobs:
        if job.job_id < job_id and job.target == target:
            return f"{job.named} comes first"
    return "the metrics process takes it up"
