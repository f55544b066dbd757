"""The numbers of every path of the metric APIs equal a recount of the raw metrics, under every naming policy."""

from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.component.service.conftest import BOTH, at_ms, configured, flow_definition, service_targets
from tests.support.configuration import config_import
from tests.support.metrics.folding.counted_rows import count_into_service
from tests.support.metrics.folding.raw_minute import COPIES, GROUP, PERIODS, SOURCE, TARGET, measured, raw
from tests.support.metrics.raw_metrics import PERIOD_MS

pytestmark = BOTH

_FLOW = f"{SOURCE}/{TARGET}"


@pytest.fixture
def begin(one_flow: str, tmp_path: Path) -> int:
    """The start of a minute of raw metrics that are counted, and its records in `counted`."""
    begin_ms = at_ms() // 10_000 * 10_000 - 300_000
    count_into_service(raw(begin_ms), tmp_path, target=TARGET, now_ms=at_ms())
    return begin_ms


def get(client: APIClient, path: str, begin_ms: int) -> Any:
    answer = client.get(f"/{path}", {"from_ms": begin_ms, "to_ms": begin_ms + PERIODS * PERIOD_MS})
    assert answer.status_code == 200, answer.content
    return answer.json()


def assert_throughput(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    rates = wanted["rates"]
    assert (found["sum"], found["min"], found["max"]) == (wanted["bytes"], min(rates), max(rates))
    assert found["avg"] == pytest.approx(wanted["bytes"] / (PERIODS * PERIOD_MS / 1_000))
    assert [point[1] for point in found["points"]] == rates
    assert (found["p50"], found["count"]) == (sorted(rates)[(len(rates) - 1) // 2], len(rates))


def assert_latency(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert (found["count"], found["sum"]) == (wanted["count"], wanted["latency_sum"])
    assert (found["min"], found["max"]) == (1, wanted["latency_max"])
    assert found["avg"] == pytest.approx(wanted["latency_sum"] / wanted["count"])
    assert 4 <= found["p50"] <= 5  # each report has 1, 4 and 16 or 32 ms: 4 is the middle
    assert found["p50"] < found["p95"] <= found["p99"] <= found["max"]


@pytest.mark.parametrize(("topic", "remote_topic"), COPIES.items())
def test_a_topic_has_the_recounted_numbers_by_both_names(
    viewer: APIClient, begin: int, topic: str, remote_topic: str
) -> None:
    wanted = measured(begin, topic)
    for name, check in (("byte-rate", assert_throughput), ("replication-latency-ms", assert_latency)):
        found = get(viewer, f"api/v2/topic-metrics/{_FLOW}/{topic}/{name}", begin)
        check(found, wanted)
        others = (
            f"v2/topic-metrics/{TARGET}/{remote_topic}/{name}",
            f"v1/topic-metrics/{SOURCE}/{topic}/{name}",
            f"api/v1/topic-metrics/{remote_topic}/{name}",
        )
        assert [get(viewer, other, begin) for other in others] == [found] * 3

    assert get(viewer, f"v2/topic-metrics/{_FLOW}/{topic}/duplicates", begin)["sum"] == wanted["twice"] == 4


def test_a_flow_has_the_recounted_numbers(viewer: APIClient, begin: int) -> None:
    wanted = measured(begin, "")

    assert_throughput(get(viewer, f"v2/cluster-metrics/{_FLOW}/byte-rate", begin), wanted)
    assert_latency(get(viewer, f"v1/cluster-metrics/{SOURCE}/replication-latency-ms", begin), wanted)


def test_a_group_has_its_reported_lag_and_latency(viewer: APIClient, begin: int) -> None:
    for root in (f"v2/group-metrics/{_FLOW}", f"v1/group-metrics/{SOURCE}"):
        latency = get(viewer, f"{root}/{GROUP}/checkpoint-latency-ms", begin)
        lag = get(viewer, f"{root}/{GROUP}/replication-records-lag", begin)

        assert (latency["count"], latency["sum"], latency["min"], latency["max"]) == (4, 180, 30, 60)
        assert lag["max"] == 5 + 6
        assert (latency["group"], latency["source"], latency["target"]) == (GROUP, SOURCE, TARGET)


def test_the_replication_statistics_have_the_recounted_numbers(viewer: APIClient, begin: int) -> None:
    root = "api/v1/admin/replication-stats"
    [flow] = get(viewer, root, begin)["items"]
    topics = get(viewer, f"{root}/topics/{_FLOW}", begin)["items"]

    assert_throughput(flow["throughput"], measured(begin, ""))
    assert_latency(flow["replication_latency"], measured(begin, ""))
    assert flow["checkpoint_latency"]["sum"] == 180
    assert [(topic["topic"], topic["remote_topic"]) for topic in topics] == sorted(COPIES.items())
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
    config_import(configured(flow_definition(SOURCE, TARGET), flow_definition(TARGET, SOURCE)))
    begin_ms = at_ms() // 10_000 * 10_000 - 300_000
    count_into_service(raw(begin_ms), tmp_path, target=TARGET, now_ms=at_ms())

    refused = viewer.get(f"/v1/cluster-metrics/{SOURCE}/byte-rate")
    assert refused.status_code == 404
    assert "several target clusters (eu-central, us-east)" in refused.json()["detail"]

    service_targets(f"{TARGET},{SOURCE}")
    assert_throughput(get(viewer, f"v1/cluster-metrics/{SOURCE}/byte-rate", begin_ms), measured(begin_ms, ""))
    listed = viewer.get("/v1/remote-topics").json()["items"]
    assert [pair["remote_topic"] for pair in listed] == [COPIES[topic] for topic in sorted(COPIES)]
    assert viewer.get(f"/v1/remote-topics/{SOURCE}").json()["items"] == listed
    service_targets(SOURCE)
    assert viewer.get("/api/v1/remote-topics").json()["items"] == []
