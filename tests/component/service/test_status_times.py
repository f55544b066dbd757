"""The time of a flow in its state survives and tells an outage that its tasks outlive."""

from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from srm_service.live.jobs import note_flow_statuses
from srm_service.monitoring.flows.live_state import NOTED_STATUSES, forget_snapshot
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live

pytestmark = [BOTH, pytest.mark.redis]

_FLOW = ("us-east", "eu-central")
_RUNNING_MS = 90_000


def _report(client: redis.Redis, *, is_away: bool = False, since_ms: int = 0) -> None:
    """The task survives; the source may be away."""
    now = at_ms()
    cause = {"code": "cluster_unreachable", "text": "us-east is away.", "topic": None, "partition": None}
    away = {"records_per_second": 0.0, "cause": {**cause, "since_ms": since_ms}} if is_away else {}
    fields: dict[str, Any] = {"since_ms": now - _RUNNING_MS, **away}
    task = live.source_task(*_FLOW, now, **fields)
    plan = live.plan_task(*_FLOW, now, source_reachable=not is_away)
    put(client, task, plan, live.heartbeat_task(*_FLOW, now))


def _flow(viewer: APIClient) -> dict[str, Any]:
    forget_snapshot()
    flow: dict[str, Any] = viewer.get("/api/v2/replications").json()["items"][0]
    return flow


def test_an_outage_begins_and_ends_the_time_in_a_state(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    _report(live_redis)
    assert note_flow_statuses() == 1
    outage_ms = at_ms()

    _report(live_redis, is_away=True, since_ms=outage_ms)
    flow = _flow(viewer)
    assert flow["status"] == "interrupted"
    assert flow["since_ms"] == pytest.approx(outage_ms, abs=2_000)
    note_flow_statuses()

    _report(live_redis)
    flow = _flow(viewer)
    assert flow["status"] == "healthy"
    assert flow["since_ms"] == pytest.approx(at_ms(), abs=5_000)
    note_flow_statuses()
    assert _flow(viewer)["since_ms"] == pytest.approx(flow["since_ms"], abs=2_000)


def test_a_note_that_is_no_note_is_passed_over(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    _report(live_redis)
    live_redis.hset(NOTED_STATUSES, mapping={"us-east->eu-central": '{"status": "healthy"}', "x": "no JSON"})

    assert _flow(viewer)["since_ms"] == pytest.approx(at_ms() - _RUNNING_MS, abs=5_000)
