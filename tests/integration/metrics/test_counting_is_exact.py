"""Tiles equal an independent recount of the raw topic, whatever happens to the process and to the topic."""

import json
import time
from collections.abc import Iterable

import pytest

from tests.integration.metrics.raw_log import RawLog
from tests.support.clusters import StartCluster
from tests.support.eventually import eventually
from tests.support.metrics_process import START_LIMIT_S, MetricsProcess
from tests.support.raw_metrics import TILE_MS, Counted, RawTask, Record, SeriesTile, recount

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

_SUMS = [
    "records",
    "bytes",
    "wire_bytes",
    "throttled_ms",
    "covered_offsets",
    "hole_offsets",
    "overlap_offsets",
    "latency_count",
    "latency_sum_ms",
]


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
    eventually(lambda: _counted(metrics_process, raw.counting), START_LIMIT_S, "the first records are counted")

    _write_mischief(raw, orders, clicks)
    metrics_process.kill()
    orders.restart("boot-2")
    raw.write([orders.report(again=10), clicks.report(skip=25)])
    metrics_process.start()
    raw.write([task.report() for _ in range(30) for task in (orders, clicks)])
    eventually(lambda: _jvm_reads(metrics_process), START_LIMIT_S, "the second process counts")
    raw.write([task.report() for _ in range(30) for task in (orders, clicks)])
    metrics_process.kill()
    metrics_process.start()
    eventually(lambda: _counted(metrics_process, raw.counting), START_LIMIT_S, "everything so far is counted")

    raw.recreate()
    raw.write([task.report(records=3) for _ in range(100) for task in (orders, clicks)])
    eventually(lambda: _counted(metrics_process, raw.counting), START_LIMIT_S, "the new topic is counted")

    _assert_exact(metrics_process, raw.counting)
    _assert_reach(metrics_process)
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


def _tiles(process: MetricsProcess) -> dict[SeriesTile, dict[str, object]]:
    tiles: dict[SeriesTile, dict[str, object]] = {}
    for level in ("partition", "topic", "flow"):
        rows = process.rows(
            f"SELECT s.source, s.topic, s.partition, t.* FROM tile_{level}_10s t JOIN series s ON s.id = t.id"
        )
        tiles |= {(row["source"], row["topic"], row["partition"], row["time_ms"]): row for row in rows}
    return tiles


def _counted(process: MetricsProcess, records: Iterable[Record]) -> bool:
    """Whether the sums of all flows have reached what has been written; `_assert_exact` then compares tile by tile."""
    expected = sum(part[9] for record in records for part in record["parts"])
    found = process.rows("SELECT COALESCE(SUM(records), 0) AS records FROM tile_flow_10s")[0]["records"]
    assert found <= expected, f"{found} counted, {expected} written"
    return bool(found == expected)


def _jvm_reads(process: MetricsProcess) -> bool:
    """Whether the process has committed a batch since it claimed the target."""
    writer = process.rows("SELECT started_ms, last_batch_ms FROM writer")[0]
    assert process.process is not None
    owner = process.rows("SELECT owner FROM writer")[0]["owner"]
    return bool(owner.endswith(f":{process.process.pid}") and (writer["last_batch_ms"] or 0) > writer["started_ms"])


def _assert_exact(process: MetricsProcess, records: Iterable[Record]) -> None:
    expected = recount(records)
    found = _tiles(process)
    assert found.keys() == expected.keys()
    for key, row in found.items():
        _assert_tile(key, row, expected[key])


def _assert_tile(key: SeriesTile, row: dict[str, object], expected: Counted) -> None:
    assert {name: row[name] for name in _SUMS} == {name: getattr(expected, name) for name in _SUMS}, key
    assert row["latency_max_ms"] == (expected.latency_max_ms if expected.latency_count else None), key
    assert json.loads(str(row["latency_hist"])) == dict(expected.latency_hist), key


def _assert_reach(process: MetricsProcess) -> None:
    """covered - overlap + hole = next - first, for every partition, in the store alone."""
    rows = process.rows(
        "SELECT c.next_offset - c.first_offset AS reach, "
        "SUM(t.covered_offsets - t.overlap_offsets + t.hole_offsets) AS arithmetic "
        "FROM covered c JOIN tile_partition_10s t ON t.id = c.series_id GROUP BY c.series_id"
    )
    assert len(rows) == 5
    assert all(row["reach"] == row["arithmetic"] for row in rows)
