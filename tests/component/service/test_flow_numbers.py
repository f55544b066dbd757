"""Numbers of flows that agree with each other: estimates beside the lag, units of sums, fields of lists."""

from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from replication.domain.reporting.metric_defs import HEARTBEAT_AGE, METRICS
from srm_service.monitoring.flows.live_state import forget_snapshot
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles

pytestmark = [BOTH, pytest.mark.redis]

_FLOW = ("us-east", "eu-central")


@pytest.mark.parametrize(
    ("reports", "expected"),
    [
        ([{"catch_up_ms": 0, "lag_offsets": 0}], 0),
        ([{"catch_up_ms": 0, "lag_offsets": 406}], None),
        ([{"catch_up_ms": 0, "lag_offsets": 0}, {"catch_up_ms": None, "lag_offsets": 406}], None),
        ([{"catch_up_ms": 9_000, "lag_offsets": 406}, {"catch_up_ms": None, "lag_offsets": 0, "partitions": 0}], 9_000),
    ],
    ids=["caught up", "grown since", "one does not get closer", "one without partitions"],
)
def test_the_estimate_never_contradicts_the_lag_beside_it(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis, reports: list[dict[str, Any]], expected: int | None
) -> None:
    now = at_ms()
    tiles.tile(tiles.series(*_FLOW), now - now % 10_000 - 20_000, lag_last=0)
    put(live_redis, *(live.source_task(*_FLOW, now, slot, **report) for slot, report in enumerate(reports)))

    flow = viewer.get("/api/v2/replications/us-east/eu-central").json()

    lag = flow["metrics"]["lag_offsets"]["latest"]
    assert flow["catch_up_ms"] == expected
    assert flow["catch_up"] is None or (flow["catch_up"]["ms"] == 0) == (lag == 0)


def test_lists_have_no_field_that_they_do_not_read_and_a_flow_has_all(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    series_id, start_ms = tiles.series(*_FLOW), now - now % 10_000 - 60_000
    tiles.tile(series_id, start_ms, latencies_ms=[5], ages_ms=[9], throttled_ms=5_000)
    tiles.gauge(series_id, HEARTBEAT_AGE.name, start_ms, count=2, low=100, high=300, total=400)
    tiles.series(*_FLOW, "orders", 0)
    tiles.series(*_FLOW, "orders", 1)

    listed = viewer.get("/api/v2/replications").json()["items"][0]
    one = viewer.get("/api/v2/replications/us-east/eu-central").json()

    assert set(METRICS) - set(listed["metrics"]) == {
        "record_age_ms",
        "throttled_ratio",
    }
    assert ("catch_up" in listed, set(one["metrics"])) == (False, set(METRICS))
    assert (one["metrics"]["record_age_ms"]["max"], one["metrics"]["lag_ms"]["max"]) == (9, 9)
    assert one["metrics"]["throttled_ratio"]["avg"] == 0.25
    assert [flow["metrics"]["heartbeat_age_ms"]["avg"] for flow in (listed, one)] == [200, 200]


def test_the_checkpoint_latency_of_a_flow_is_that_of_all_its_groups(viewer: APIClient, one_flow: str) -> None:
    start_ms = at_ms() - at_ms() % 10_000 - 60_000
    for group, latencies_ms in (("billing", [10, 30]), ("payments", [80])):
        tiles.tile(tiles.series(*_FLOW, group=group), start_ms, level="group", latencies_ms=latencies_ms)
    of_another = tiles.series("us-west", "eu-central", group="billing")
    tiles.tile(of_another, start_ms, level="group", latencies_ms=[9_000])

    listed = viewer.get("/api/v2/replications").json()["items"][0]["metrics"]["checkpoint_latency_ms"]
    one = viewer.get("/api/v2/replications/us-east/eu-central").json()["metrics"]["checkpoint_latency_ms"]

    assert [listed[name] for name in ("avg", "min", "max", "count", "latest")] == [40, 10, 80, 3, None]
    assert one == listed


def test_a_sum_has_its_own_unit(viewer: APIClient, one_flow: str) -> None:
    start_ms = at_ms() - at_ms() % 10_000 - 60_000
    tiles.tile(tiles.series(*_FLOW), start_ms)

    flow = viewer.get("/api/v2/replications/us-east/eu-central").json()["metrics"]["records_per_second"]
    series = viewer.get("/api/v2/replications/us-east/eu-central/series?metric=bytes_per_second").json()

    assert (flow["unit"], flow["sum"], flow["sum_unit"]) == ("records/s", 1_000, "records")
    assert (series["unit"], series["sum_unit"]) == ("bytes/s", "bytes")


def test_the_age_of_a_heartbeat_grows_while_the_target_does_not_answer(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    put(live_redis, live.heartbeat_task(*_FLOW, now, age_ms=900, written_ms=now - 40_000))

    flow = viewer.get("/api/v2/replications/us-east/eu-central").json()

    assert 40_000 <= flow["metrics"]["heartbeat_age_ms"]["latest"] < 60_000


def test_a_flow_that_was_just_resumed_is_starting(operator: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    tiles.writer("eu-central", at_ms())
    forget_snapshot()
    for action in ("pause", "resume"):
        order = {"action": action, "reason": "upgrade"}
        answer = operator.post("/api/v2/replications/us-east/eu-central/actions", order, format="json")
        assert answer.status_code == 200, answer.content

    flow = operator.get("/api/v2/replications/us-east/eu-central").json()

    assert (flow["status"], flow["cause"]) == ("starting", None), flow["reason"]
