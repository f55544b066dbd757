"""The pages for Prometheus: flows, topics and partitions have the numbers of REST; processes are described."""

import os
from typing import Any

import pytest
import redis
from django.db import connections
from django.test.utils import CaptureQueriesContext
from prometheus_client.parser import text_string_to_metric_families
from rest_framework.test import APIClient

from srm_service.monitoring.prometheus.flow_metrics import FLOW_METRICS
from srm_service.monitoring.prometheus.topic_metrics import PARTITION_METRICS, TOPIC_METRICS
from tests.component.service.conftest import BOTH, at_ms, configured, flow_definition, put
from tests.support.configuration import config_import
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles

pytestmark = [BOTH, pytest.mark.redis]

_FLOW = ("us-east", "eu-central")
_TOPICS = "/api/v2/replications/us-east/eu-central/topics"
Labels = frozenset[tuple[str, str]]


def _page(client: APIClient, **query: str) -> dict[tuple[str, Labels], float]:
    text = client.get("/metrics", query).content.decode()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def _of(page: dict[tuple[str, Labels], float], name: str, **labels: str) -> float | None:
    wanted = set(labels.items())
    return next((value for (metric, having), value in page.items() if metric == name and wanted <= having), None)


@pytest.fixture
def reported(one_flow: str, live_redis: redis.Redis) -> None:
    """Two topics of which drivers and metrics report, in three and one partitions."""
    now = at_ms()
    put(live_redis, live.source_task(*_FLOW, now), live.plan_document(*_FLOW, now))
    tiles.writer("eu-central", now)
    for topic in ("orders", "payments"):
        topic_series = tiles.series(*_FLOW, topic)
        tiles.tile(topic_series, now - now % 10_000 - 20_000, level="topic", latencies_ms=[5, 50])
        tiles.now_row(topic_series, now, state="stalled")
        series = tiles.series(*_FLOW, topic, partition=0)
        tiles.now_row(series, now, covered_to=93, log_end=100, downstream_end=95, log_start=20, state="stalled")


def test_topics_have_the_numbers_of_their_list(viewer: APIClient, reported: None) -> None:
    page = _page(viewer, per="topic")
    rows = viewer.get(_TOPICS).json()["items"]

    assert [row["topic"] for row in rows] == ["orders", "payments"]
    for row in rows:
        for name in ("records_per_second", "bytes_per_second", "lag_offsets", "latency_p95_ms", "partitions"):
            found = _of(page, f"srm_topic_{name}", topic=row["topic"], remote_topic=row["remote_topic"])
            assert found == pytest.approx(row[name]), name
    assert _of(page, "srm_topic_state", topic="orders", state="stalled") == 1
    assert {name for name, _ in page} == {"srm_topic_state", *(metric.name for metric in TOPIC_METRICS)}


def test_partitions_have_the_numbers_of_their_list(viewer: APIClient, reported: None) -> None:
    page = _page(viewer, per="partition", source="us-east", topic="orders")
    rows = viewer.get(f"{_TOPICS}/orders/partitions").json()["items"]

    fields = {"source_start_offset": "source_start", "source_end_offset": "source_end", "lag_offsets": "lag_offsets"}
    fields |= {"copied_to_offset": "copied_to", "target_end_offset": "target_end"}
    for row in rows:
        for name, field in fields.items():
            assert _of(page, f"srm_partition_{name}", partition=str(row["partition"])) == row[field]
    assert _of(page, "srm_partition_copied_to_offset", partition="0") == 93
    known = {name for name, _ in page} - {"srm_partition_state"}
    assert known <= {metric.name for metric in PARTITION_METRICS}
    assert _of(page, "srm_partition_copied_to_offset", topic="payments") is None, "the filter left it out"


def test_one_flow_is_read_with_few_queries_whatever_the_number_of_its_partitions(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    for topic in range(5):
        for number in range(4):
            tiles.now_row(tiles.series(*_FLOW, f"topic-{topic}", partition=number), now, covered_to=number)

    with CaptureQueriesContext(connections["metrics"]) as queries:
        page = _page(viewer, per="partition")

    assert sum(name == "srm_partition_copied_to_offset" for name, _ in page) == 20
    assert len(queries) <= 4


def test_filters_choose_the_flow(viewer: APIClient, live_redis: redis.Redis, db: None) -> None:
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("eu-central", "us-east")))
    now = at_ms()
    for pair in (_FLOW, _FLOW[::-1]):
        tiles.now_row(tiles.series(*pair, "orders", partition=0), now)

    page = _page(viewer, per="partition", target="us-east")

    assert {dict(labels)["source"] for _, labels in page} == {"eu-central"}


def test_flows_have_every_declared_metric_that_is_known(viewer: APIClient, reported: None) -> None:
    page = _page(viewer)

    names = {name for name, _ in page}
    assert {"srm_flow_lag_offsets", "srm_flow_latency_p99_ms", "srm_flow_tasks"} <= names
    assert "srm_flow_heartbeat_age_ms" not in names, "unknown"
    assert {name for name in names if name.startswith("srm_flow_")} <= {
        *(metric.name for metric in FLOW_METRICS),
        *("srm_flow_status", "srm_flow_groups"),
    }


def test_sources_of_data_that_do_not_answer_are_0(viewer: APIClient, one_flow: str, settings: Any) -> None:
    settings.SRM_REDIS_URL = "redis://127.0.0.1:1/0"

    page = _page(viewer)

    assert _of(page, "srm_service_data_up", data="redis") == 0
    assert _of(page, "srm_service_data_up", data="metrics") == 1


def test_the_process_is_described(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    page, pid = _page(viewer), str(os.getpid())

    resident = _of(page, "srm_service_resident_bytes", pid=pid)
    assert resident is not None
    assert 10_000_000 < resident < 10_000_000_000
    cpu = _of(page, "srm_service_cpu_seconds_total", pid=pid)
    assert cpu is not None
    assert 0 < cpu <= sum(os.times()[:2]) + 1
    started = _of(page, "srm_service_start_time_seconds", pid=pid)
    assert started is not None
    assert 0 < at_ms() / 1000 - started < 7 * 86_400
    assert _of(page, "srm_service_open_files", pid=pid)
    assert _of(page, "srm_service_info") == 1


@pytest.mark.parametrize(
    ("query", "named"),
    [({"per": "group"}, "per"), ({"topic": "orders"}, "topic"), ({"per": "topic", "sources": "a"}, "source")],
)
def test_a_wrong_query_is_refused_by_name(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis, query: dict[str, str], named: str
) -> None:
    answer = viewer.get("/metrics", query)

    assert answer.status_code == 400
    assert named in str(answer.json()["errors"])
