"""Tiles equal an independent recount of the raw topic after the database, the writer or Spark was away."""

import time
from pathlib import Path

import pytest

from tests.integration.metrics.raw_log import RawLog
from tests.support.eventually import eventually
from tests.support.kafka.clusters import StartCluster
from tests.support.metrics.metrics_process import PATIENCE, START_LIMIT_S, MetricsProcess, metrics_process, spark_jars
from tests.support.metrics.raw_metrics import TILE_MS, RawTask
from tests.support.metrics.tile_check import assert_exact, assert_reach, is_counted
from tests.support.servers.postgres import running_postgres

__all__ = ["metrics_process", "spark_jars"]
pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

DATABASE_OUTAGE_S = 30
SPARK_OUTAGE_S = 120


@pytest.mark.timeout(480 * PATIENCE)
def test_a_database_outage_a_second_process_and_two_minutes_without_spark(
    start_cluster: StartCluster, metrics_process: MetricsProcess, tmp_path: Path
) -> None:
    with running_postgres() as server:
        metrics_process.postgres = server.url
        raw = RawLog(start_cluster().bootstrap, "a")
        raw.create()
        metrics_process.create_store()
        metrics_process.write_targets(b=raw.bootstrap)
        task = RawTask(partitions=tuple(range(8)), now_ms=(time.time_ns() // 1_000_000 - 600_000) // TILE_MS * TILE_MS)
        raw.write([task.report() for _ in range(10)])
        metrics_process.start()
        eventually(lambda: is_counted(metrics_process, raw.counting), START_LIMIT_S, "the first records are counted")

        server.stop()
        for _ in range(DATABASE_OUTAGE_S // 5):
            raw.write([task.report()])
            time.sleep(5)  # how long the database is away
        server.start()
        eventually(
            lambda: is_counted(metrics_process, raw.counting), 90 * PATIENCE, "counted after the database came back"
        )

        second = MetricsProcess(tmp_path / "second", metrics_process.jars, postgres=server.url)
        second.write_targets(b=raw.bootstrap)
        second.start()
        try:
            eventually(lambda: _is_writer(second), START_LIMIT_S, "the second process takes the target")
            raw.write([task.report() for _ in range(20)])
            eventually(lambda: is_counted(metrics_process, raw.counting), 60 * PATIENCE, "counted by one of the two")
            eventually(
                lambda: "are written by" in metrics_process.log.read_text(), 60 * PATIENCE, "the first one is fenced"
            )
        finally:
            second.kill()

        metrics_process.kill()
        ended_s = time.monotonic()
        while time.monotonic() - ended_s < SPARK_OUTAGE_S:
            raw.write([task.report() for _ in range(5)])
            time.sleep(10)  # how long Spark is away
        metrics_process.start()
        eventually(lambda: is_counted(metrics_process, raw.counting), START_LIMIT_S, "what was missed is counted")
        assert_exact(metrics_process, raw.counting)
        assert_reach(metrics_process, 8)
        assert metrics_process.rows("SELECT COUNT(*) AS n FROM ingest_gap") == [{"n": 0}]
        assert metrics_process.terminate() == 0


def _is_writer(process: MetricsProcess) -> bool:
    """True when this process is the target's writer."""
    assert process.process is not None
    found = process.rows("SELECT owner FROM writer")
    return bool(found) and str(found[0]["owner"]).endswith(f":{process.process.pid}")
