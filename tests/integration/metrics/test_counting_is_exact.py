"""Tiles equal an independent recount of the raw topic, through all failures of the process and changes of the topic."""

import json
import time

import pytest

from tests.integration.metrics.raw_log import RawLog
from tests.support.eventually import eventually
from tests.support.kafka.clusters import StartCluster
from tests.support.metrics.metrics_process import START_LIMIT_S, MetricsProcess
from tests.support.metrics.raw_metrics import TILE_MS, RawTask
from tests.support.metrics.tile_check import assert_exact, assert_reach, has_committed, is_counted

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]


def recent_ms(ago_s: int) -> int:
    """The start of a tile some time ago."""
    return (time.time_ns() // 1_000_000 - ago_s * 1_000) // TILE_MS * TILE_MS


@pytest.mark.timeout(600)
def test_tiles_are_exact_after_kills_duplicates_aborts_and_a_recreated_topic(
    start_cluster: StartCluster, metrics_process: MetricsProcess
) -> None:
    cluster = start_cluster()
    raw = RawLog(cluster.bootstrap, "a")
    raw.create()
    metrics_process.create_store()
    metrics_process.write_targets(b=cluster.bootstrap)
    start_ms = recent_ms(600)
    orders = RawTask(slot=0, partitions=(0, 1), now_ms=start_ms)
    clicks = RawTask(slot=1, topic="clicks", topic_id="11" * 16, partitions=(0, 1, 2), now_ms=start_ms)

    raw.write([task.report() for _ in range(10) for task in (orders, clicks)])
    metrics_process.start()
    eventually(lambda: is_counted(metrics_process, raw.counting), START_LIMIT_S, "the first records are counted")

    _write_mischief(raw, orders, clicks)
    metrics_process.kill()
    orders.restart("boot-2")
    raw.write([orders.report(again=10), clicks.report(skip=25)])
    metrics_process.start()
    raw.write([task.report() for _ in range(30) for task in (orders, clicks)])
    eventually(lambda: has_committed(metrics_process), START_LIMIT_S, "the second process counts")
    raw.write([task.report() for _ in range(30) for task in (orders, clicks)])
    metrics_process.kill()
    metrics_process.start()
    eventually(lambda: is_counted(metrics_process, raw.counting), START_LIMIT_S, "everything so far is counted")

    raw.recreate()
    raw.write([task.report(records=3) for _ in range(100) for task in (orders, clicks)])
    eventually(lambda: is_counted(metrics_process, raw.counting), START_LIMIT_S, "the new topic is counted")

    assert_exact(metrics_process, raw.counting)
    assert_reach(metrics_process, 5)
    gaps = metrics_process.rows("SELECT DISTINCT topic, cause FROM ingest_gap")
    assert gaps == [{"topic": raw.topic, "cause": "topic_recreated"}]
    bad = metrics_process.rows("SELECT SUM(count) AS bad FROM bad_record")
    assert bad == [{"bad": 5}]
    assert metrics_process.terminate() == 0


def _write_mischief(raw: RawLog, orders: RawTask, clicks: RawTask) -> None:
    raw.write([orders.report(), clicks.report()], times=3)
    raw.write_transaction([orders.report(), clicks.report()], commit=True)
    aborted = RawTask(slot=0, boot="aborted", partitions=(0, 1), now_ms=orders.now_ms)
    raw.write_transaction([aborted.report(records=999) for _ in range(20)], commit=False)
    raw.write([orders.report(skip=7), clicks.report(again=4)])
    unreadable = orders.envelope(seq=10_000, boot="unreadable", topics=[["t", "a.t", "00"]], parts=[[0, "x"]])
    foreign = orders.envelope(target="elsewhere", topics=[], parts=[])
    newer = orders.envelope(v=9, topics=[], parts=[])
    raw.write_bytes(b"{not json", b"\xff\xfe", *(json.dumps(each).encode() for each in (unreadable, foreign, newer)))
    raw.write([orders.report(), clicks.report()])
