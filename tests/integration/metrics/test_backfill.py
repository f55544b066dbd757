"""Counting a range again replaces its tiles with the same ones, while the stream continues."""

import time

import pytest

from metrics.jobs.request import run_request
from tests.integration.metrics.raw_log import RawLog
from tests.support.eventually import eventually
from tests.support.kafka.clusters import StartCluster
from tests.support.metrics.metrics_process import PATIENCE, START_LIMIT_S, MetricsProcess
from tests.support.metrics.raw_metrics import PERIOD_MS, RawTask, Record
from tests.support.metrics.tile_check import is_counted

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

HOUR_MS = 3_600_000
MINUTE_MS = 60_000
_WIDTHS = ("1m", "1h")


@pytest.mark.timeout(300 * PATIENCE)
def test_damaged_tiles_of_an_hour_are_counted_again(
    start_cluster: StartCluster, metrics_process: MetricsProcess
) -> None:
    raw = RawLog(start_cluster().bootstrap, "a")
    raw.create()
    metrics_process.create_store()
    metrics_process.write_targets(b=raw.bootstrap)
    hour_ms = (time.time_ns() // 1_000_000) // HOUR_MS * HOUR_MS - HOUR_MS
    task = RawTask(partitions=(0, 1), now_ms=hour_ms + 600_000)
    before = RawTask(slot=3, topic="hour-before", now_ms=hour_ms - 60_000)
    raw.write([before.report() for _ in range(5)])
    raw.write([task.report(skip=n % 2) for n in range(60)], times=2)
    metrics_process.start()
    eventually(lambda: is_counted(metrics_process, raw.counting), START_LIMIT_S, "the records are counted")
    true = {width: _tiles(metrics_process, width) for width in _WIDTHS}
    _damage(metrics_process, hour_ms)
    assert _tiles(metrics_process, "1h") != true["1h"]

    spec = {"from_ms": hour_ms + 1, "to_ms": hour_ms + 5}
    said: list[str] = []
    code = run_request("backfill", "b", spec, f"sqlite:///{metrics_process.store}", wait=True, say=said.append)

    assert code == 0, said
    assert {width: _tiles(metrics_process, width) for width in _WIDTHS} == true
    newest = task.report()
    raw.write([newest])
    # not by 10 s tiles: those of the hour before the last may be past their retention by now
    eventually(lambda: _newest_ms(metrics_process) == newest["to_ms"], 60 * PATIENCE, "the stream counts on")
    assert metrics_process.terminate() == 0


@pytest.mark.timeout(300 * PATIENCE)
def test_lags_of_raw_partitions_of_different_density_are_counted_again(
    start_cluster: StartCluster, metrics_process: MetricsProcess
) -> None:
    raw = RawLog(start_cluster().bootstrap, "a")
    raw.create()
    metrics_process.create_store()
    metrics_process.write_targets(b=raw.bootstrap)
    hour_ms = (time.time_ns() // 1_000_000) // HOUR_MS * HOUR_MS - HOUR_MS
    idle, busy = RawTask(slot=0), RawTask(slot=1, partitions=(1, 2))
    raw.write([_report(idle, hour_ms + n * MINUTE_MS, 1_000 * n) for n in range(1, 40)], partition=0, dated=True)
    busy_ms = hour_ms + 20 * MINUTE_MS
    raw.write([_report(busy, busy_ms + n * 3_000, n) for n in range(1, 201)], partition=1, dated=True)
    metrics_process.start()  # its first batch holds all of these, so each tile is of one time
    eventually(lambda: is_counted(metrics_process, raw.counting), START_LIMIT_S, "the records are counted")
    true = {width: _tiles(metrics_process, width) for width in _WIDTHS}
    raw.write([_report(busy, hour_ms + HOUR_MS + n, 5) for n in range(1, 1_001)], partition=1, dated=True)
    newest_ms = raw.counting[-1]["to_ms"]
    eventually(lambda: _newest_ms(metrics_process) == newest_ms, 60 * PATIENCE, "the stream counts on")
    _damage(metrics_process, hour_ms)

    spec = {"from_ms": hour_ms, "to_ms": hour_ms + HOUR_MS}
    said: list[str] = []
    code = run_request("backfill", "b", spec, f"sqlite:///{metrics_process.store}", wait=True, say=said.append)

    assert code == 0, said
    for width in _WIDTHS:
        assert _of_hour(_tiles(metrics_process, width), hour_ms) == _of_hour(true[width], hour_ms)
    flow = [row for row in true["1m"] if row["id"] == _flow_id(metrics_process)]
    assert len({row["lag_last"] for row in flow}) > 30
    assert metrics_process.terminate() == 0


def _report(task: RawTask, to_ms: int, lag: int) -> Record:
    """The next report, of a period that ended then, its partitions that far behind."""
    task.now_ms = to_ms - PERIOD_MS
    record = task.report()
    for part in record["parts"]:
        part[7] = part[5] + lag
    return record


def _of_hour(rows: list[dict[str, object]], hour_ms: int) -> list[dict[str, object]]:
    return [row for row in rows if hour_ms <= int(str(row["time_ms"])) < hour_ms + HOUR_MS]


def _flow_id(process: MetricsProcess) -> object:
    return process.rows("SELECT id FROM series WHERE topic = ''")[0]["id"]


def _tiles(process: MetricsProcess, width: str) -> list[dict[str, object]]:
    return [
        row
        for level in ("partition", "topic", "flow")
        for row in process.rows(f"SELECT * FROM tile_{level}_{width} ORDER BY id, time_ms")
    ]


def _newest_ms(process: MetricsProcess) -> object:
    return process.rows("SELECT MAX(last_ms) AS newest FROM partition_now")[0]["newest"]


def _damage(process: MetricsProcess, hour_ms: int) -> None:
    """As if a writer with a defect had been at work."""
    bounds = f"time_ms >= {hour_ms} AND time_ms < {hour_ms + HOUR_MS}"
    for level in ("partition", "flow"):
        process.change(f"UPDATE tile_{level}_1h SET records = records * 7 WHERE {bounds}")
        process.change(f"DELETE FROM tile_{level}_1m WHERE {bounds}")
