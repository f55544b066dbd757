"""The fleet at a glance: sums of the present and statistics over a range."""

import pytest
import redis
from rest_framework.test import APIClient

from tests.component.service.conftest import BOTH, at_ms, config_import, configured, flow_definition, put
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles

pytestmark = [BOTH, pytest.mark.redis]


def test_the_summary_adds_up_all_flows(viewer: APIClient, live_redis: redis.Redis) -> None:
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("eu-central", "us-east")))
    now = at_ms()
    put(
        live_redis,
        live.source_task("us-east", "eu-central", now),
        live.source_task("eu-central", "us-east", now, records_per_second=300.0),
    )
    for pair in (("us-east", "eu-central"), ("eu-central", "us-east")):
        tiles.tile(tiles.series(*pair), now - now % 10_000 - 60_000, latencies_ms=[10])

    answer = viewer.get("/api/v2/metrics/summary").json()

    records = answer["metrics"]["records_per_second"]
    points = [point for point in answer["series"]["records_per_second"]["points"] if point is not None]
    assert (records["latest"], records["worst_flow"]) == (400.0, "eu-central->us-east")
    assert [point[1] for point in points] == [200.0]
    assert answer["by_status"] == {"healthy": 2}


def test_the_summary_has_statistics_over_its_range(viewer: APIClient, live_redis: redis.Redis) -> None:
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("eu-central", "us-east")))
    began = at_ms() - at_ms() % 10_000 - 120_000
    for pair, slow_ms in ((("us-east", "eu-central"), 10), (("eu-central", "us-east"), 400)):
        tiles.tile(tiles.series(*pair), began, latencies_ms=[slow_ms])
        tiles.tile(tiles.series(*pair), began + 10_000, latencies_ms=[slow_ms])

    asked = {"from_ms": began, "to_ms": began + 60_000}
    metrics = viewer.get("/api/v2/metrics/summary", asked).json()["metrics"]

    rates, p95 = metrics["records_per_second"], metrics["replication_latency_p95_ms"]
    assert (rates["min"], rates["avg"], rates["max"], rates["sum"]) == (200.0, 200.0, 200.0, 4000.0)
    assert (p95["max"], p95["count"]) == (400.0, 4)
    assert 324 < p95["p95"] <= 400
