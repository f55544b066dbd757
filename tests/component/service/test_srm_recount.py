"""The numbers of every path of the metric APIs equal a recount of the raw metrics, under every naming policy."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.component.service.conftest import BOTH, at_ms, configured, flow_definition, service_targets
from tests.support.configuration import config_import
from tests.support.metrics.folding.counted_rows import count_into_service
from tests.support.metrics.raw_metrics import PERIOD_MS, RawTask, Record, recount

pytestmark = BOTH

_SOURCE, _TARGET = "us-east", "eu-central"
_FLOW = f"{_SOURCE}/{_TARGET}"
_PERIODS = 12
_COPIES = {"orders": "us-east.orders", "bills": "bills", "stock": "copies_stock_eu"}  # prefix, identity, template
_GROUP = "team/billing"


@pytest.fixture
def begin(one_flow: str, tmp_path: Path) -> int:
    """The start of a minute of raw metrics that are counted, and its records in `counted`."""
    begin_ms = at_ms() // 10_000 * 10_000 - 300_000
    count_into_service(raw(begin_ms), tmp_path, target=_TARGET, now_ms=at_ms())
    return begin_ms


def raw(begin_ms: int) -> list[Record]:
    """Return the reports of three topics in two partitions each, with records copied twice, and of a group."""
    tasks = [
        RawTask(source=_SOURCE, target=_TARGET, slot=slot, topic=topic, partitions=(0, 1), now_ms=begin_ms)
        for slot, topic in enumerate(_COPIES)
    ]
    found = []
    for period in range(_PERIODS):
        for slot, task in enumerate(tasks):
            report = task.report(10 * slot + period, again=2 * (period == 6))
            report["topics"][0][1] = _COPIES[task.topic]
            found.append(report)
    latencies = [2, 30, 60, 90, 0, {"19": 1, "23": 1}]
    groups = [[_GROUP, "orders", number, 10, 10, 15 + number, latencies] for number in (0, 1)]
    group_task = RawTask(source=_SOURCE, target=_TARGET, slot=9, now_ms=begin_ms + 50_000)
    group_task.seq, group_task.now_ms = 1, group_task.now_ms + PERIOD_MS
    return [*found, group_task.envelope(kind="group", groups=groups)]


def measured(begin_ms: int, topic: str) -> dict[str, Any]:
    """Return throughput and latency of a topic (the flow: empty) over the minute, counted the plain way."""
    reports: Iterable[Record] = [record for record in raw(begin_ms) if record["kind"] == "task"]
    tiles = [
        tile for (_, name, partition, _), tile in sorted(recount(reports).items()) if (name, partition) == (topic, -1)
    ]
    assert len(tiles) == _PERIODS * PERIOD_MS / 10_000
    count = sum(tile.latency_count for tile in tiles)
    return {
        "bytes": sum(tile.bytes for tile in tiles),
        "rates": [tile.bytes / 10 for tile in tiles],
        "count": count,
        "latency_sum": sum(tile.latency_sum_ms for tile in tiles),
        "latency_max": max(tile.latency_max_ms for tile in tiles),
        "twice": sum(tile.overlap_offsets for tile in tiles),
    }


def get(client: APIClient, path: str, begin_ms: int) -> Any:
    answer = client.get(f"/{path}", {"from_ms": begin_ms, "to_ms": begin_ms + _PERIODS * PERIOD_MS})
    assert answer.status_code == 200, answer.content
    return answer.json()


def assert_throughput(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    rates = wanted["rates"]
    assert (found["sum"], found["min"], found["max"]) == (wanted["bytes"], min(rates), max(rates))
    assert found["avg"] == pytest.approx(wanted["bytes"] / (_PERIODS * PERIOD_MS / 1_000))
    assert [point[1] for point in found["points"]] == rates
    assert (found["p50"], found["count"]) == (sorted(rates)[(len(rates) - 1) // 2], len(rates))


def assert_latency(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert (found["count"], found["sum"]) == (wanted["count"], wanted["latency_sum"])
    assert (found["min"], found["max"]) == (1, wanted["latency_max"])
    assert found["avg"] == pytest.approx(wanted["latency_sum"] / wanted["count"])
    assert 4 <= found["p50"] <= 5  # each report has 1, 4 and 16 or 32 ms: 4 is the middle
    assert found["p50"] < found["p95"] <= found["p99"] <= found["max"]


@pytest.mark.parametrize(("topic", "remote_topic"), _COPIES.items())
def test_a_topic_has_the_recounted_numbers_by_both_names(
    viewer: APIClient, begin: int, topic: str, remote_topic: str
) -> None:
    wanted = measured(begin, topic)
    for name, check in (("byte-rate", assert_throughput), ("replication-latency-ms", assert_latency)):
        found = get(viewer, f"api/v2/topic-metrics/{_FLOW}/{topic}/{name}", begin)
        check(found, wanted)
        others = (
            f"v2/topic-metrics/{_TARGET}/{remote_topic}/{name}",
            f"v1/topic-metrics/{_SOURCE}/{topic}/{name}",
            f"api/v1/topic-metrics/{remote_topic}/{name}",
        )
        assert [get(viewer, other, begin) for other in others] == [found] * 3

    assert get(viewer, f"v2/topic-metrics/{_FLOW}/{topic}/duplicates", begin)["sum"] == wanted["twice"] == 4


def test_a_flow_has_the_recounted_numbers(viewer: APIClient, begin: int) -> None:
    wanted = measured(begin, "")

    assert_throughput(get(viewer, f"v2/cluster-metrics/{_FLOW}/byte-rate", begin), wanted)
    assert_latency(get(viewer, f"v1/cluster-metrics/{_SOURCE}/replication-latency-ms", begin), wanted)


def test_a_group_has_its_reported_lag_and_latency(viewer: APIClient, begin: int) -> None:
    for root in (f"v2/group-metrics/{_FLOW}", f"v1/group-metrics/{_SOURCE}"):
        latency = get(viewer, f"{root}/{_GROUP}/checkpoint-latency-ms", begin)
        lag = get(viewer, f"{root}/{_GROUP}/replication-records-lag", begin)

        assert (latency["count"], latency["sum"], latency["min"], latency["max"]) == (4, 180, 30, 60)
        assert lag["max"] == 5 + 6
        assert (latency["group"], latency["source"], latency["target"]) == (_GROUP, _SOURCE, _TARGET)


def test_the_replication_statistics_have_the_recounted_numbers(viewer: APIClient, begin: int) -> None:
    root = "api/v1/admin/replication-stats"
    [flow] = get(viewer, root, begin)["items"]
    topics = get(viewer, f"{root}/topics/{_FLOW}", begin)["items"]

    assert_throughput(flow["throughput"], measured(begin, ""))
    assert_latency(flow["replication_latency"], measured(begin, ""))
    assert flow["checkpoint_latency"]["sum"] == 180
    assert [(topic["topic"], topic["remote_topic"]) for topic in topics] == sorted(_COPIES.items())
    for topic in topics:
        one = get(viewer, f"{root}/topics/{_FLOW}/{topic['topic']}", begin)
        [copy] = get(viewer, f"{root}/topics/{topic['remote_topic']}", begin)["items"]
        assert one == {**topic, "as_of_ms": one["as_of_ms"], "partial": one["partial"]}
        assert copy == topic
        assert_throughput(topic["throughput"], measured(begin, topic["topic"]))
        assert_latency(topic["replication_latency"], measured(begin, topic["topic"]))
        assert topic["consumer_groups"] == (1 if topic["topic"] == "orders" else 0)


def test_v1_has_the_target_of_the_service_or_says_that_it_has_several(
    viewer: APIClient, db: None, tmp_path: Path
) -> None:
    config_import(configured(flow_definition(_SOURCE, _TARGET), flow_definition(_TARGET, _SOURCE)))
    begin_ms = at_ms() // 10_000 * 10_000 - 300_000
    count_into_service(raw(begin_ms), tmp_path, target=_TARGET, now_ms=at_ms())

    refused = viewer.get(f"/v1/cluster-metrics/{_SOURCE}/byte-rate")
    assert refused.status_code == 404
    assert "several target clusters (eu-central, us-east)" in refused.json()["detail"]

    service_targets(f"{_TARGET},{_SOURCE}")
    assert_throughput(get(viewer, f"v1/cluster-metrics/{_SOURCE}/byte-rate", begin_ms), measured(begin_ms, ""))
    listed = viewer.get("/v1/remote-topics").json()["items"]
    assert [pair["remote_topic"] for pair in listed] == [_COPIES[topic] for topic in sorted(_COPIES)]
    assert viewer.get(f"/v1/remote-topics/{_SOURCE}").json()["items"] == listed
    service_targets(_SOURCE)
    assert viewer.get("/api/v1/remote-topics").json()["items"] == []
