"""The Prometheus page, and the warnings about executors that count the metrics of a target."""

import pytest
import redis
from rest_framework.test import APIClient

from tests.component.service.conftest import BOTH, at_ms
from tests.support.metrics import tiles

pytestmark = [BOTH, pytest.mark.redis]


def test_prometheus_leaves_out_what_is_unknown(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    text = viewer.get("/metrics").content.decode()

    assert 'srm_flow_status{source="us-east",status="unknown",target="eu-central"} 1.0' in text
    assert "srm_flow_records_per_second{" not in text


def test_prometheus_shows_the_last_minute_of_each_query(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    warning = "Executor 3 on host x: 5 failed tasks."
    tiles.query_status("eu-central", now - 30_000, warning, batches=58, reports_per_second=250.5, raw_lag_offsets=None)
    tiles.query_status("us-west", now - 600_000, batches=7)

    text = viewer.get("/metrics").content.decode()

    assert 'srm_metrics_batches{target="eu-central"} 58.0' in text
    assert 'srm_metrics_reports_per_second{target="eu-central"} 250.5' in text
    assert 'srm_metrics_executor_warning{target="eu-central"} 1.0' in text
    assert "srm_metrics_raw_lag_offsets{" not in text, "unknown"
    assert "us-west" not in text, "its figures are old"


@pytest.mark.parametrize(("heard_ms", "is_shown"), [(1_000, True), (300_000, False)], ids=["alive", "silent"])
def test_a_flow_shows_the_warning_of_the_metrics_process_of_its_target_while_that_lives(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis, heard_ms: int, *, is_shown: bool
) -> None:
    now = at_ms()
    warning = "Executor 3 on host x: 5 failed tasks."
    tiles.writer("eu-central", now - heard_ms)
    tiles.query_status("eu-central", None, warning)

    flow = viewer.get("/api/v2/replications").json()["items"][0]

    assert flow["metrics_warning"] == (warning if is_shown else None)
