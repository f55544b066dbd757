"""The numbers of the other reads equal a recount of the raw metrics: partitions, topics, groups, series, `/metrics`."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from srm_service.monitoring.flows.freshness import forget_store_state
from srm_service.monitoring.models import Series
from srm_service.monitoring.peers.merged import forget_reports
from srm_service.remote.models import ServiceIdentity
from srm_service.remote.services import own_service
from tests.component.service.conftest import BOTH, at_ms, configured, flow_definition
from tests.component.service.remote.peers import advertised, report_targets, with_token
from tests.support.configuration import config_import
from tests.support.metrics.folding.counted_rows import count_into_service
from tests.support.metrics.folding.raw_minute import (
    COPIES,
    GROUP,
    PARTITIONS,
    PERIODS,
    SOURCE,
    TARGET,
    last_parts,
    measured,
    raw,
)
from tests.support.metrics.raw_metrics import PERIOD_MS
from tests.support.servers.peer import running_peer, says

pytestmark = [BOTH, pytest.mark.redis]

_FLOW = f"replications/{SOURCE}/{TARGET}"
_PERIOD_S = PERIOD_MS / 1_000


@pytest.fixture
def begin(one_flow: str, live_redis: redis.Redis, tmp_path: Path) -> int:
    """The start of the last minute, whose raw metrics are counted; no driver reports live."""
    begin_ms = at_ms() // 10_000 * 10_000 - 70_000
    count_into_service(raw(begin_ms), tmp_path, target=TARGET, now_ms=at_ms())
    return begin_ms


def get(client: APIClient, path: str, **query: Any) -> Any:
    answer = client.get(f"/api/v2/{path}", query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def over(begin_ms: int, **more: Any) -> dict[str, Any]:
    return {"from_ms": begin_ms, "to_ms": begin_ms + PERIODS * PERIOD_MS, "step_ms": 10_000, **more}


def rate(begin_ms: int, place: int, topics: Iterable[str] = COPIES) -> float:
    """The sum of a column of the last reports, per second."""
    return float(sum(part[place] for (topic, _), part in last_parts(begin_ms).items() if topic in topics)) / _PERIOD_S


def test_partitions_have_the_numbers_of_the_last_report(viewer: APIClient, begin: int) -> None:
    reports = last_parts(begin)
    for topic, remote_topic in COPIES.items():
        rows = get(viewer, f"{_FLOW}/topics/{topic}/partitions")["items"]

        assert [row["partition"] for row in rows] == list(PARTITIONS)
        for row in rows:
            (_, number, state, _, _, end, log_start, log_end, target_end, records, size, *_) = reports[
                topic, row["partition"]
            ]
            assert (row["partition"], row["remote_topic"], row["state"]) == (number, remote_topic, state)
            assert (row["source_start"], row["copied_to"], row["source_end"]) == (log_start, end, log_end)
            assert (row["target_end"], row["lag_offsets"]) == (target_end, log_end - end)
            assert (row["records_per_second"], row["bytes_per_second"]) == (records / _PERIOD_S, size / _PERIOD_S)


def test_topics_have_the_sums_of_their_partitions(viewer: APIClient, begin: int) -> None:
    window = over(begin)
    bounds = {name: window[name] for name in ("from_ms", "to_ms")}
    rows = {row["topic"]: row for row in get(viewer, f"{_FLOW}/topics", **bounds)["items"]}

    assert rows.keys() == COPIES.keys()
    for topic, row in rows.items():
        metrics, wanted = row["metrics"], measured(begin, topic)
        assert row == get(viewer, f"{_FLOW}/topics/{topic}", **bounds)
        assert (row["remote_topic"], row["lag_offsets"]) == (COPIES[topic], sum(PARTITIONS))
        assert row["records_per_second"] == pytest.approx(rate(begin, 9, [topic]))
        assert row["bytes_per_second"] == pytest.approx(rate(begin, 10, [topic]))
        assert row["latency_max_ms"] == wanted["latency_max"]
        records, latency = metrics["records_per_second"], metrics["replication_latency_ms"]
        assert (records["sum"], metrics["bytes_per_second"]["sum"]) == (wanted["records"], wanted["bytes"])
        assert (records["min"], records["max"]) == (min(wanted["record_rates"]), max(wanted["record_rates"]))
        assert (latency["count"], latency["max"]) == (wanted["count"], wanted["latency_max"])


@pytest.mark.parametrize("partition", [None, *PARTITIONS])
def test_a_series_has_the_recounted_rate_of_each_tile(viewer: APIClient, begin: int, partition: int | None) -> None:
    for topic in COPIES:
        one = {} if partition is None else {"partition": partition}
        query = over(begin, metric="records_per_second", topic=topic, **one)
        points = get(viewer, f"{_FLOW}/series", **query)["points"]

        wanted = measured(begin, topic, -1 if partition is None else partition)
        assert [point[1] for point in points] == wanted["record_rates"]


def test_flows_and_clusters_have_the_recounted_numbers(viewer: APIClient, begin: int) -> None:
    wanted, window = measured(begin, ""), over(begin)
    without_step = {name: window[name] for name in ("from_ms", "to_ms")}
    (listed,) = get(viewer, "replications", **without_step)["items"]
    detail = get(viewer, _FLOW, **without_step)
    (line,) = get(viewer, "metrics/flows", metric="bytes_per_second", **window)["items"]
    summary = get(viewer, "metrics/summary", **window)

    for flow in (listed, detail):
        records, size = flow["metrics"]["records_per_second"], flow["metrics"]["bytes_per_second"]
        latency = flow["metrics"]["replication_latency_ms"]
        assert (records["sum"], size["sum"]) == (wanted["records"], wanted["bytes"])
        assert (records["min"], records["max"]) == (min(wanted["record_rates"]), max(wanted["record_rates"]))
        assert (latency["count"], latency["sum"], latency["max"]) == (
            wanted["count"],
            wanted["latency_sum"],
            wanted["latency_max"],
        )
        assert records["latest"] == pytest.approx(rate(begin, 9))
    assert [point[1] for point in line["points"]] == wanted["rates"]
    assert [point[1] for point in summary["series"]["bytes_per_second"]["points"]] == wanted["rates"]
    for alias, direction in ((TARGET, "in"), (SOURCE, "out")):
        series = get(viewer, f"clusters/{alias}/series", metric="bytes_per_second", direction=direction, **window)
        assert [point[1] for point in series["points"]] == wanted["rates"]


def test_groups_have_the_reported_offsets(viewer: APIClient, begin: int) -> None:
    (report,) = [record for record in raw(begin) if record["kind"] == "group"]
    rows = get(viewer, f"{_FLOW}/group-partitions")["items"]

    found = [
        [*(row[name] for name in ("group", "topic", "partition", "committed", "checkpointed", "source_end"))]
        for row in rows
    ]
    assert found == [reported[:6] for reported in report["groups"]]
    assert [row["lag_offsets"] for row in rows] == [end - at for _, _, _, at, _, end, _ in report["groups"]]
    assert {row["group"] for row in rows} == {GROUP}


def test_the_pages_for_prometheus_have_the_same_numbers(viewer: APIClient, begin: int) -> None:
    def samples(**query: str) -> dict[tuple[str, str, str], float]:
        """By name, topic and partition."""
        text = viewer.get("/metrics", query).content.decode()
        found = {}
        for name, labels, value in re.findall(r"^(srm_\w+)\{(.*)\} (\S+)$", text, re.MULTILINE):
            label = dict(re.findall(r'(\w+)="([^"]*)"', labels))
            found[name, label.get("topic", ""), label.get("partition", "")] = float(value)
        return found

    flow, topics, partitions = samples(), samples(per="topic"), samples(per="partition")

    assert flow["srm_flow_records_per_second", "", ""] == pytest.approx(rate(begin, 9))
    assert flow["srm_flow_lag_offsets", "", ""] == sum(PARTITIONS) * len(COPIES)
    for topic in COPIES:
        assert topics["srm_topic_bytes_per_second", topic, ""] == pytest.approx(rate(begin, 10, [topic]))
        assert topics["srm_topic_latency_max_ms", topic, ""] == measured(begin, topic)["latency_max"]
    for (topic, number), part in last_parts(begin).items():
        found = [
            partitions[f"srm_partition_{name}", topic, str(number)]
            for name in ("copied_to_offset", "source_end_offset", "lag_offsets", "records_per_second")
        ]
        assert found == [part[5], part[7], part[7] - part[5], part[9] / _PERIOD_S]


def test_a_gateway_passes_on_a_series_with_the_recounted_rates(
    viewer: APIClient, live_redis: redis.Redis, tmp_path: Path, settings: Any
) -> None:
    """This service first reports the flow, then asks one that answers as it did."""
    settings.SRM_REMOTE = settings.SRM_REMOTE  # restored after the test
    other, path = "ap-south", f"replications/{SOURCE}/ap-south/series"
    config_import(configured(flow_definition(SOURCE, TARGET), flow_definition(SOURCE, other)))
    report_targets(other, "")
    begin_ms = at_ms() // 10_000 * 10_000 - 70_000
    count_into_service(raw(begin_ms, other), tmp_path, target=other, now_ms=at_ms())
    service, query, peer_client = own_service(), over(begin_ms, metric="records_per_second"), with_token("peer")
    bodies = {
        name: peer_client.get(f"/internal/v1/{name}", asked).json() for name, asked in (("flows", {}), (path, query))
    }
    Series.objects.all().delete()
    ServiceIdentity.objects.all().delete()
    report_targets(TARGET, other)
    forget_store_state()
    forget_reports()
    with running_peer() as peer:
        peer.answers.update({name: says(body) for name, body in bodies.items()})
        advertised(peer, service=service)

        points = get(viewer, path, **query)["points"]

    assert [point[1] for point in points] == measured(begin_ms, "")["record_rates"]
