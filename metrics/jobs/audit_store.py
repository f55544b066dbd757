"""What an audit writes to the metrics store; its rows are made anew when it runs again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics.audit.cuts import Cut
from metrics.audit.findings import Finding
from metrics.audit.proof import Proof
from metrics.errors import JobCancelledError
from metrics.schemas import AUDIT_FINDING, AUDIT_PROVEN, AUDIT_RUN
from metrics.store.connection import Connection, SharedConnection
from metrics.store.statements import insert_sql, upsert_sql

RETENTION_MS = 90 * 24 * 3_600_000
MAX_FINDING_ROWS = 10_000  # of a topic; all are counted


@dataclass(slots=True, kw_only=True)
class TopicRow:
    """A row of `audit_run`: one topic of an audit."""

    topic: str
    remote_topic: str
    mode: str
    started_ms: int
    state: str = "running"
    compared: str = "records"
    ended_ms: int | None = None
    records_source: int = 0
    records_target: int = 0
    ranges: int = 0
    ranges_bad: int = 0
    findings: dict[str, int] = field(default_factory=dict)  # by kind, records
    foreign_records: int = 0
    not_compared: str = "[]"
    proven_until_ms: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Proven:
    """What is proven of a partition of this incarnation of the source topic."""

    topic_id: str
    proof: Proof


class AuditStore:
    """One audit's hold on its rows. Raises StoreUnavailableError.

    Every write is part of a transaction that first finds the job still claimed as it was when this attempt began;
    otherwise JobCancelledError and nothing is written: the rows are another process's by then.
    """

    def __init__(self, connection: SharedConnection, job_id: int, source: str, target: str) -> None:
        self._connection = connection
        self._job_id = job_id
        self._source = source
        self._target = target
        self._claim: tuple[str, int] | None = None  # claimer and attempt

    def begin(self, now_ms: int) -> None:
        """Forget what an interrupted attempt wrote, and audits of this flow that are too old."""
        with self._connection.reading() as connection:
            found = connection.rows("SELECT claimed_by, attempts FROM job_request WHERE id = ?", (self._job_id,))
        self._claim = (found[0][0], found[0][1]) if found else None
        with self._connection.writing(self._target) as connection:
            self._fence(connection, "claimed")
            old = connection.rows(
                "SELECT DISTINCT job_id FROM audit_run WHERE source = ? AND target = ? AND started_ms < ?",
                (self._source, self._target, now_ms - RETENTION_MS),
            )
            for job_id in {self._job_id, *(int(row[0]) for row in old)}:
                connection.run("DELETE FROM audit_finding WHERE job_id = ?", (job_id,))
                connection.run("DELETE FROM audit_run WHERE job_id = ?", (job_id,))

    def proven(self, topic: str) -> dict[int, Proven]:
        """Per partition, what earlier audits have proven."""
        with self._connection.reading() as connection:
            rows = connection.rows(
                "SELECT partition, topic_id, proven_offset, proven_target_offset, proven_ms FROM audit_proven "
                "WHERE source = ? AND target = ? AND topic = ?",
                (self._source, self._target, topic),
            )
        return {int(row[0]): Proven(row[1], Proof(Cut(row[2], row[3]), row[4])) for row in rows}

    def write(
        self, row: TopicRow, findings: Sequence[Finding] = (), proven: Mapping[int, Proven] | None = None
    ) -> None:
        """The topic's row as it is now; findings and proofs come with its last version, in one transaction."""
        with self._connection.writing(self._target) as connection:
            self._fence(connection, row.state)
            connection.run(
                "DELETE FROM audit_finding WHERE job_id = ? AND topic = ?",
                (self._job_id, row.topic),
            )
            connection.run(upsert_sql(AUDIT_RUN), self._run_row(row))
            connection.run_many(insert_sql(AUDIT_FINDING), self._finding_rows(row.topic, findings))
            connection.run_many(
                upsert_sql(AUDIT_PROVEN),
                [
                    (
                        self._source,
                        self._target,
                        row.topic,
                        partition,
                        each.topic_id,
                        each.proof.cut.upstream,
                        each.proof.cut.downstream,
                        each.proof.until_ms,
                    )
                    for partition, each in (proven or {}).items()
                ],
            )

    def close(self) -> None:
        self._connection.close()

    def _fence(self, connection: Connection, state: str) -> None:
        """A write that changes nothing holds the job's row to the end of the transaction."""
        last = "cancelled" if state == "cancelled" else "running"  # a cancelled audit still says so of its topic
        held = self._claim is not None and connection.run(
            "UPDATE job_request SET attempts = attempts "
            "WHERE id = ? AND claimed_by = ? AND attempts = ? AND state IN ('claimed', 'running', ?)",
            (self._job_id, *self._claim, last),
        )
        if not held:
            raise JobCancelledError(f"audit {self._job_id} is no longer this process's")

    def _run_row(self, row: TopicRow) -> tuple[Any, ...]:
        values: dict[str, Any] = {
            "job_id": self._job_id,
            "source": self._source,
            "target": self._target,
            **{kind: row.findings.get(kind, 0) for kind in _KIND_COLUMNS},
        }
        return tuple(values[name] if name in values else getattr(row, name) for name in AUDIT_RUN.column_names)

    def _finding_rows(self, topic: str, findings: Iterable[Finding]) -> list[tuple[Any, ...]]:
        return [
            (
                self._job_id,
                topic,
                finding.partition,
                finding.kind,
                finding.source_offset,
                finding.target_offset,
                finding.records,
                finding.detail,
            )
            for finding in list(findings)[:MAX_FINDING_ROWS]
        ]


_KIND_COLUMNS = ("missing", "duplicate", "changed", "reordered", "unexpected")
