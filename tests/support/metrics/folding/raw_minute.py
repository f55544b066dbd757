"""A minute of raw metrics of three topics under different naming policies, and its numbers, counted the plain way."""

from collections.abc import Iterable
from typing import Any

from tests.support.metrics.raw_metrics import PERIOD_MS, TILE_MS, RawTask, Record, recount

SOURCE, TARGET = "us-east", "eu-central"
PERIODS = 12
PARTITIONS = (0, 1)
COPIES = {"orders": "us-east.orders", "bills": "bills", "stock": "copies_stock_eu"}  # prefix, identity, template
GROUP = "team/billing"


def raw(begin_ms: int, target: str = TARGET) -> list[Record]:
    """Return the reports of three topics in two partitions each, with records copied twice, and of a group."""
    tasks = [
        RawTask(source=SOURCE, target=target, slot=slot, topic=topic, partitions=PARTITIONS, now_ms=begin_ms)
        for slot, topic in enumerate(COPIES)
    ]
    found = []
    for period in range(PERIODS):
        for slot, task in enumerate(tasks):
            report = task.report(10 * slot + period, again=2 * (period == 6))
            report["topics"][0][1] = COPIES[task.topic]
            found.append(report)
    latencies = [2, 30, 60, 90, 0, {"19": 1, "23": 1}]
    groups = [[GROUP, "orders", number, 10, 10, 15 + number, latencies] for number in PARTITIONS]
    group_task = RawTask(source=SOURCE, target=target, slot=9, now_ms=begin_ms + 50_000)
    group_task.seq, group_task.now_ms = 1, group_task.now_ms + PERIOD_MS
    return [*found, group_task.envelope(kind="group", groups=groups)]


def measured(begin_ms: int, topic: str, partition: int = -1) -> dict[str, Any]:
    """Return throughput and latency of a partition, a topic (-1) or the flow (empty) over the minute."""
    reports: Iterable[Record] = [record for record in raw(begin_ms) if record["kind"] == "task"]
    counted = sorted(recount(reports).items())
    tiles = [tile for (_, name, number, _), tile in counted if (name, number) == (topic, partition)]
    assert len(tiles) == PERIODS * PERIOD_MS / TILE_MS
    seconds = TILE_MS / 1_000
    return {
        "records": sum(tile.records for tile in tiles),
        "record_rates": [tile.records / seconds for tile in tiles],
        "bytes": sum(tile.bytes for tile in tiles),
        "rates": [tile.bytes / seconds for tile in tiles],
        "count": sum(tile.latency_count for tile in tiles),
        "latency_sum": sum(tile.latency_sum_ms for tile in tiles),
        "latency_max": max(tile.latency_max_ms for tile in tiles),
        "twice": sum(tile.overlap_offsets for tile in tiles),
    }


def last_parts(begin_ms: int) -> dict[tuple[str, int], list[Any]]:
    """Return what the last report says of each partition (docs/contracts/raw-metrics.md), by topic and number."""
    reports = [record for record in raw(begin_ms) if record["kind"] == "task"]
    return {(report["topics"][part[0]][0], part[1]): part for report in reports for part in report["parts"]}
