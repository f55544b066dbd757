"""Numbers of now are unknown for a source that is not read, and for a task that is silent."""

from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from srm_service.monitoring.flows.live_state import forget_snapshot
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live

pytestmark = [BOTH, pytest.mark.redis]

_FLOW = ("us-east", "eu-central")


@pytest.mark.parametrize("silent", ["no report", "no round yet"])
def test_the_groups_of_a_silent_checkpoint_task_are_not_counted_as_none(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis, silent: str
) -> None:
    now = at_ms()
    put(live_redis, live.source_task(*_FLOW, now), live.plan_task(*_FLOW, now, checkpoint_tasks=2))
    put(live_redis, live.checkpoint_task(*_FLOW, now), live.checkpoint_task(*_FLOW, now, slot=1))

    def groups() -> Any:
        return viewer.get("/api/v2/replications").json()["items"][0]["groups"]

    both = groups()
    key, _ = live.checkpoint_task(*_FLOW, now, slot=1)
    if silent == "no report":
        live_redis.delete(key)
        forget_snapshot()
    else:
        put(live_redis, live.checkpoint_task(*_FLOW, now, slot=1, groups=None, group_lag=None))

    assert both["total"] > 0
    assert groups() is None


@pytest.mark.parametrize("reports", ["no task knows its lag", "one task does not know its lag", "no planner run"])
def test_the_lag_of_a_flow_whose_source_is_not_read_is_unknown(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis, reports: str
) -> None:
    now = at_ms()
    still = {"records_per_second": 0.0, "lag_offsets": 0, "catch_up_ms": 0}
    unread = {**still, "lag_offsets": None, "topic_rates": [["orders", 0.0, 0.0, None, 2]]}
    is_planner = reports == "no planner run"
    first = live.source_task(*_FLOW, now, **(still if is_planner else unread))
    second = live.source_task(*_FLOW, now, slot=1, **(unread if reports.startswith("no task") else still))
    put(live_redis, first, second, live.plan_task(*_FLOW, now, source_reachable=not is_planner))

    flow = viewer.get("/api/v2/replications/us-east/eu-central").json()
    topics = viewer.get("/api/v2/replications/us-east/eu-central/topics").json()["items"]

    assert (flow["metrics"]["lag_offsets"]["latest"], flow["catch_up"], flow["catch_up_ms"]) == (None, None, None)
    assert is_planner or {topic["lag_offsets"] for topic in topics if topic["topic"] == "orders"} == {None}
