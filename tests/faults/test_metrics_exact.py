"""Tiles equal an independent recount of the raw topic after kills and after everything that happens to the topic."""

import random
import shutil
import time
from functools import partial

import pytest

from tests.integration.metrics.raw_log import RawLog
from tests.support.eventually import eventually
from tests.support.kafka.clusters import StartCluster
from tests.support.metrics.metrics_process import PATIENCE, START_LIMIT_S, MetricsProcess, metrics_process, spark_jars
from tests.support.metrics.raw_metrics import TILE_MS, RawTask
from tests.support.metrics.tile_check import assert_exact, assert_reach, has_committed, is_counted

__all__ = ["metrics_process", "spark_jars"]
pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

KILLS = 6


def recent_ms(ago_s: int) -> int:
    """The start of a tile some time ago."""
    return (time.time_ns() // 1_000_000 - ago_s * 1_000) // TILE_MS * TILE_MS


@pytest.mark.timeout(480 * PATIENCE)
def test_six_kills_aborts_new_partitions_late_records_and_a_recreated_topic(
    start_cluster: StartCluster, metrics_process: MetricsProcess
) -> None:
    rng = random.Random(6)
    raw = RawLog(start_cluster().bootstrap, "a")
    raw.create()
    metrics_process.create_store()
    metrics_process.write_targets(b=raw.bootstrap)
    tasks = [
        RawTask(slot=slot, topic=f"topic-{slot}", partitions=(0, 1, 2), now_ms=recent_ms(900)) for slot in range(4)
    ]

    raw.write([task.report() for _ in range(10) for task in tasks])
    for kill in range(KILLS):
        metrics_process.start()
        raw.write([task.report() for task in tasks])
        eventually(lambda: has_committed(metrics_process), START_LIMIT_S, "the process counts")
        before = _last_batch_ms(metrics_process)
        raw.write([task.report(skip=rng.randrange(2), again=0) for _ in range(20) for task in tasks])
        if kill == 0:  # the moment between the database's commit and Spark's
            eventually(partial(_has_batch_after, metrics_process, before), 60 * PATIENCE, "a batch is committed")
        else:
            time.sleep(rng.uniform(0.0, 1.5))  # any moment will do
        metrics_process.kill()
        _between_two_runs(kill, raw, tasks, metrics_process)

    late = RawTask(slot=9, topic="late", partitions=(0, 1), now_ms=recent_ms(4_500))
    raw.write([late.report() for _ in range(20)])
    metrics_process.start()
    eventually(lambda: is_counted(metrics_process, raw.counting), START_LIMIT_S, "everything so far is counted")
    raw.recreate()
    raw.write([task.report(records=3) for _ in range(50) for task in tasks])
    eventually(lambda: is_counted(metrics_process, raw.counting), START_LIMIT_S, "the new topic is counted")

    assert_exact(metrics_process, raw.counting)
    assert_reach(metrics_process, 4 * 3 + 2 + 2)
    assert metrics_process.rows("SELECT DISTINCT cause FROM ingest_gap") == [{"cause": "topic_recreated"}]
    eventually(lambda: _wide_tiles_hold_all(metrics_process), 90 * PATIENCE, "coarser tiles hold the same")
    assert metrics_process.terminate() == 0


def _between_two_runs(kill: int, raw: RawLog, tasks: list[RawTask], process: MetricsProcess) -> None:
    if kill == 1:
        shutil.rmtree(process.home / "metrics" / "checkpoints")
    if kill == 2:
        aborted = RawTask(slot=0, boot="aborted", topic="topic-0", partitions=(0, 1, 2), now_ms=tasks[0].now_ms)
        raw.write_transaction([aborted.report(records=999) for _ in range(20)], commit=False)
        raw.write_transaction([task.report() for task in tasks], commit=True)
    if kill == 3:
        raw.add_partitions(6)
        new = RawTask(slot=7, topic="in-new-partitions", partitions=(0, 1), now_ms=tasks[0].now_ms)
        raw.write([new.report() for _ in range(10)], partition=5)
    if kill == 4:  # a driver that was restarted sends its last records again, then continues
        raw.write([task.report() for task in tasks], times=2)
        for task in tasks:
            task.restart("boot-2")
        raw.write([task.report(again=5) for task in tasks], times=2)


def _has_batch_after(process: MetricsProcess, before_ms: int) -> bool:
    return _last_batch_ms(process) > before_ms


def _last_batch_ms(process: MetricsProcess) -> int:
    return int(process.rows("SELECT COALESCE(MAX(last_batch_ms), 0) AS at FROM writer")[0]["at"])


def _wide_tiles_hold_all(process: MetricsProcess) -> bool:
    """Up to the roll-up's mark, minutes and hours hold what the ten seconds hold."""
    marks = {row["width"]: row["rolled_to_ms"] for row in process.rows("SELECT width, rolled_to_ms FROM rollup")}
    whole_hours = marks["1h"] // 3_600_000 * 3_600_000
    sums = [
        process.rows(f"SELECT COALESCE(SUM(records), 0) AS n FROM tile_flow_{width} WHERE time_ms < {limit}")[0]["n"]
        for width, limit in (("10s", marks["1m"]), ("1m", marks["1m"]), ("1h", whole_hours))
    ]
    hours = process.rows(f"SELECT COALESCE(SUM(records), 0) AS n FROM tile_flow_10s WHERE time_ms < {whole_hours}")
    assert sums[0] == sums[1]
    assert hours[0]["n"] == sums[2]
    return bool(sums[0])
