"""The rows that an audit writes to the metrics store; a second run writes them again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics.audit.cuts import Cut
from metrics.audit.findings import Finding
from metrics.audit.proof import Proof
from metrics.audit.recorded_loss import RecordedLoss, skipped_of
from metrics.errors import JobCancelledError
from metrics.schemas import AUDIT_FINDING, AUDIT_PROVEN, AUDIT_RUN, gauge_table
from metrics.store.connection import Connection, SharedConnection
from metrics.store.rollup import rolled_to
from metrics.store.statements import insert_sql, upsert_sql
from replication.domain.reporting.audit_words import FINDING_KINDS
from replication.domain.reporting.metric_defs import TileWidth

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
    filtered_records: int = 0  # dropped by the flow's transforms, as its drivers counted them
    local_records: int = 0  # written to the target by others
    not_compared: str = "[]"
    proven_until_ms: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Proven:
    """The proof of a partition of these incarnations of the source topic and its copy."""

    topic_id: str
    remote_topic_id: str
    proof: Proof

    def holds_for(self, topic_id: str, remote_topic_id: str) -> bool:
        """Return True if it is about these two topics, not about older ones of the same names."""
        return (self.topic_id, self.remote_topic_id) == (topic_id, remote_topic_id)


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

    def begin(self) -> None:
        """Forget what an interrupted attempt wrote."""
        with self._connection.reading() as connection:
            found = connection.rows("SELECT claimed_by, attempts FROM job_request WHERE id = ?", (self._job_id,))
        self._claim = (found[0][0], found[0][1]) if found else None
        with self._connection.writing(self._target) as connection:
            self._fence(connection, "claimed")
            connection.run("DELETE FROM audit_finding WHERE job_id = ?", (self._job_id,))
            connection.run("DELETE FROM audit_run WHERE job_id = ?", (self._job_id,))

    def proven(self, topic: str) -> dict[int, Proven]:
        """Per partition, what earlier audits have proven."""
        with self._connection.reading() as connection:
            rows = connection.rows(
                "SELECT partition, topic_id, remote_topic_id, proven_offset, proven_target_offset, proven_ms "
                "FROM audit_proven WHERE source = ? AND target = ? AND topic = ?",
                (self._source, self._target, topic),
            )
        return {int(row[0]): Proven(row[1], row[2], Proof(Cut(row[3], row[4]), row[5])) for row in rows}

    def skipped(self, topic: str) -> list[RecordedLoss]:
        """Records the flow's errors policy skipped, by the events of its drivers."""
        with self._connection.reading() as connection:
            rows = connection.rows(
                "SELECT partition, text, time_ms FROM event WHERE source = ? AND target = ? AND scope = ? "
                "AND topic = ? AND to_state = ? AND cause = ?",
                (self._source, self._target, "record", topic, "skip", "record_refused"),
            )
        found = (skipped_of(int(partition), text or "", int(at_ms)) for partition, text, at_ms in rows)
        return [each for each in found if each is not None]

    def counted_filtered(self) -> int:
        """Records that the flow's transforms dropped, over all the time that gauges are kept."""
        with self._connection.reading() as connection:
            rolled = rolled_to(connection, self._target)
            since: tuple[tuple[TileWidth, int], ...] = (("1h", 0), ("1m", rolled.hour_ms), ("10s", rolled.minute_ms))
            return sum(self._gauge_sum(connection, "filtered_records", width, from_ms) for width, from_ms in since)

    def _gauge_sum(self, connection: Connection, name: str, width: TileWidth, from_ms: int) -> int:
        rows = connection.rows(
            f'SELECT SUM(g."sum") FROM {gauge_table(width)} g JOIN series s ON s.id = g.id '  # noqa: S608 - our own names
            "WHERE s.source = ? AND s.target = ? AND g.name = ? AND g.time_ms >= ?",
            (self._source, self._target, name, from_ms),
        )
        return int(rows[0][0] or 0)

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
                        each.remote_topic_id,
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
            **{kind: row.findings.get(kind, 0) for kind in FINDING_KINDS},
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
