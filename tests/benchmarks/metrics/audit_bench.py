"""Measures how fast an audit reads both clusters.

Run it with `RECORDS=1000000 python -m tests.benchmarks.metrics.audit_bench`.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from metrics.session import close_session, open_session
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.machine.jars import ensure_jars
from tests.benchmarks.report import Result
from tests.support.audits.audit_lab import AuditLab
from tests.support.audits.planted_copy import damaged, random_damage, record
from tests.support.kafka.clusters import TwoClusters

PARTITIONS = 8
RUNS = 3
TOPIC, DAMAGED = "even", "uneven"


def audit_results(home: Path) -> list[Result]:
    """Rows for the table of benchmarks: records of both clusters together per second, medians of warm runs."""
    records = int(os.environ.get("RECORDS", "1000000"))
    kafka, spark_jars = ensure_jars(home, "kafka"), ensure_jars(home, "spark")
    with tempfile.TemporaryDirectory(prefix="srm-bench-") as scratch:
        folder = Path(scratch)
        clusters = DevClusters(folder / "brokers", kafka, tie_to_parent=True)
        spark = open_session(jars=spark_jars, scratch=folder / "spark", app_name="srm-audit-bench")
        try:
            started = clusters.up(["source", "target"])
            pair = TwoClusters(source=started["source"], target=started["target"])
            lab = AuditLab.between(pair, spark, folder, "bench")
            fill(lab, TOPIC, records, errors=0)
            fill(lab, DAMAGED, records, errors=16)
            return [
                _measured(lab, "audit, equal copy", records, topic=TOPIC),
                _measured(lab, "audit, equal copy, SHA-256", records, topic=TOPIC, strict=True),
                _measured(lab, "audit, 16 errors read record by record", records, topic=DAMAGED),
            ]
        finally:
            close_session(spark)
            clusters.stop()


def fill(lab: AuditLab, topic: str, records: int, *, errors: int) -> None:
    """A topic of that many records and its copy."""
    lab.create(topic, PARTITIONS)
    runs = {}
    each = records // PARTITIONS
    for partition in range(PARTITIONS):
        source = [record(partition, number) for number in range(each)]
        copy = damaged(partition, source, random_damage(partition, each, errors // PARTITIONS))
        lab.write_source(topic, partition, source)
        lab.write_copy(topic, partition, copy)
        runs[partition] = copy.runs
    lab.write_history(topic, runs)


def _measured(lab: AuditLab, name: str, records: int, *, topic: str, strict: bool = False) -> Result:
    def once() -> None:
        lab.audit((topic, lab.remote(topic)), strict=strict)

    once()  # Spark compiles
    seconds = statistics.median(_timed(once) for _ in range(RUNS))
    return Result.alone(name, "records/s of both clusters", 2 * records / seconds)


def _timed(run: Callable[[], None]) -> float:
    began_s = time.monotonic()
    run()
    return time.monotonic() - began_s


if __name__ == "__main__":
    for result in audit_results(Path(os.environ.get("SRM_HOME", ".srm")).absolute()):
        print(f"{result.name}: {result.ours:,.0f} {result.unit}")
