"""The running metrics process exports closed hours: on its schedule, and as a command asks for."""

import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from metrics.jobs.job_commands import export
from tests.integration.metrics.raw_log import RawLog
from tests.support.eventually import eventually
from tests.support.kafka.clusters import StartCluster
from tests.support.metrics.history_lab import rows_of
from tests.support.metrics.metrics_process import PATIENCE, START_LIMIT_S, MetricsProcess
from tests.support.metrics.raw_metrics import RawTask
from tests.support.metrics.tile_check import is_counted

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

HOUR_MS = 3_600_000


@pytest.mark.timeout(400 * PATIENCE)
def test_a_closed_hour_is_exported_on_the_schedule_and_by_a_command(
    start_cluster: StartCluster, metrics_process: MetricsProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduled, asked = tmp_path / "scheduled", tmp_path / "asked for"
    raw = RawLog(start_cluster().bootstrap, "a")
    raw.create()
    metrics_process.create_store()
    metrics_process.write_targets(b=raw.bootstrap)
    hour_ms = time.time_ns() // 1_000_000 // HOUR_MS * HOUR_MS - HOUR_MS
    task = RawTask(partitions=(0, 1), now_ms=hour_ms + 600_000)
    raw.write([task.report(skip=n % 2) for n in range(60)])
    metrics_process.start()
    eventually(lambda: is_counted(metrics_process, raw.counting), START_LIMIT_S, "the records are counted")

    url = f"sqlite:///{metrics_process.store}"
    words = ["--from", str(hour_ms), "--to", str(hour_ms + HOUR_MS), "--uri", str(asked), "--store", url]
    result = CliRunner().invoke(export, words)

    assert result.exit_code == 0, result.output
    assert "done: 1 hours exported" in result.output
    sums = "SUM(records), SUM(covered_offsets), SUM(hole_offsets) FROM"
    counted = metrics_process.rows(f"SELECT {sums} tile_partition_1h")
    for width in ("1m", "1h"):
        found = rows_of(asked, f"SELECT {sums} tiles_{width} WHERE level = 'partition'")
        assert [int(value) for value in found[0]] == list(counted[0].values()) == [1_200, 1_200, 60]
    assert metrics_process.terminate() == 0
    monkeypatch.setenv("SRM_METRICS_EXPORT_URI", str(scheduled))
    metrics_process.start()
    exported = scheduled / "_hours"  # files come and go beside it
    eventually(lambda: list(exported.rglob("hour=*.json")), START_LIMIT_S, "the hour is exported on the schedule")
    assert rows_of(scheduled, f"SELECT {sums} tiles_1m") == rows_of(asked, f"SELECT {sums} tiles_1m")
    assert metrics_process.terminate() == 0
