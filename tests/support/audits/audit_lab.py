"""Audits of a planted flow by the job itself, in this process."""

import gc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from metrics.audit.job.audit_job import run_audit
from metrics.jobs.context import JobContext
from metrics.session import close_session, open_session
from metrics.store.address import connect
from metrics.store.job_table import JobTable
from replication.domain.plan.slot import ClusterClient
from tests.support.audits.planted_copy import BASE_MS, KINDS, Planted
from tests.support.audits.planted_flow import PlantedFlow
from tests.support.kafka.clusters import TwoClusters
from tests.support.metrics.metrics_store import create_sqlite_store


class AuditLab(PlantedFlow):
    """One flow between two clusters; `audit` runs the job in this process."""

    def __init__(
        self, source: ClusterClient, target: ClusterClient, spark: SparkSession, folder: Path, *, new: bool = True
    ) -> None:
        """`new`: the flow's own topics are to be made."""
        super().__init__(source, target, new=new)
        self.store_url = create_sqlite_store(folder / f"{source.alias}.sqlite3")
        self._spark = spark
        self._jobs = 0

    @classmethod
    def between(cls, clusters: TwoClusters, spark: SparkSession, folder: Path, alias: str) -> "AuditLab":
        """A separate flow between the two clusters."""
        source = ClusterClient(alias=f"{alias}-a", bootstrap=tuple(clusters.source.bootstrap.split(",")))
        target = ClusterClient(alias=f"{alias}-b", bootstrap=tuple(clusters.target.bootstrap.split(",")))
        return cls(source, target, spark, folder)

    def note_skipped(self, topic: str, partition: int, offset: int) -> None:
        """The event of a skipped record, as the metrics process keeps it."""
        self._write(
            "INSERT INTO event (source, target, task, driver, time_ms, scope, topic, partition, to_state, cause, text) "
            "VALUES (?, ?, 't', 'd', ?, 'record', ?, ?, 'skip', 'record_refused', ?)",
            (self.source.alias, self.target.alias, BASE_MS, topic, partition, f"offset {offset} (1 records): broken"),
        )

    def note_filtered(self, records: int) -> None:
        """So many records that transforms removed, as the metrics process counts them."""
        self._write(
            "INSERT INTO series (source, target, topic, remote_topic, partition, consumer_group) "
            "VALUES (?, ?, '', '', -1, '')",
            (self.source.alias, self.target.alias),
        )
        self._write(
            'INSERT INTO gauge_10s (id, name, time_ms, count, "min", "max", "sum", last) '
            "SELECT id, 'filtered_records', 0, 1, 0, 0, ?, 0 FROM series WHERE topic = '' AND source = ?",
            (records, self.source.alias),
        )

    def _write(self, sql: str, parameters: Sequence[Any]) -> None:
        connection = connect(self.store_url)
        try:
            with connection.writing(self.target.alias) as writer:
                writer.run(sql, parameters)
        finally:
            connection.close()

    def audit(self, *pairs: tuple[str, str], cancelled: Callable[[], bool] = lambda: False, **spec: Any) -> int:
        """Run the job over these (topic, remote topic); the number of the audit."""
        table = JobTable(connect(self.store_url), "audit-lab")
        self._jobs = table.request("audit", self.target.alias, {})
        assert table.claim([self.target.alias], BASE_MS) is not None
        table.close()
        context = JobContext(
            spark=self._spark,
            store_url=self.store_url,
            target=self.target,
            targets={self.source.alias: self.source, self.target.alias: self.target},
            job_id=self._jobs,
            spec={
                "source": self.source.alias,
                "target": self.target.alias,
                "topics": [list(pair) for pair in pairs],
                **spec,
            },
            progress=lambda _done, _text: None,
            cancelled=cancelled,
            now_ms=lambda: BASE_MS + self._jobs,
        )
        run_audit(context)
        return self._jobs

    def findings(self, job_id: int) -> list[Planted]:
        """Return the differences that an audit has stored, one entry per record."""
        found: list[Planted] = []
        for row in self.rows(
            "SELECT partition, kind, source_offset, target_offset, records FROM audit_finding WHERE job_id = ?", job_id
        ):
            partition, kind, source, target, records = row
            for step in range(records):
                found.append(
                    Planted(
                        partition,
                        kind,
                        None if source is None else source + step,
                        None if target is None else target + step,
                    )
                )
        return sorted(found, key=repr)

    def run_row(self, job_id: int, topic: str) -> dict[str, Any]:
        names: tuple[str, ...] = ("state", "compared", "records_source", "records_target", "ranges_bad", *KINDS)
        names = (*names, "gap", "skipped", "dead_lettered", "filtered_records", "local_records")
        names = (*names, "not_compared", "proven_until_ms", "error")
        sql = f"SELECT {', '.join(names)} FROM audit_run WHERE job_id = ? AND topic = ?"
        return dict(zip(names, self.rows(sql, job_id, topic)[0], strict=True))

    def rows(self, sql: str, *parameters: Any) -> list[Sequence[Any]]:
        connection = connect(self.store_url)
        try:
            with connection.reading() as reader:
                return reader.rows(sql, parameters)
        finally:
            connection.close()


@pytest.fixture(scope="session")
def spark_with_kafka(tmp_path_factory: pytest.TempPathFactory, spark_jars: Path) -> Iterator[SparkSession]:
    """A session that can read brokers, in the test's own process."""
    session = open_session(jars=spark_jars, scratch=tmp_path_factory.mktemp("spark"), app_name="srm-audit-tests")
    yield session
    gc.collect()  # py4j's finalizers talk to the JVM: now, and not in the midst of what the interpreter does later
    close_session(session)
    gc.collect()
