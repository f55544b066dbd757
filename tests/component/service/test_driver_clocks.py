"""Drivers whose clocks differ from the service's, and a Redis without memory: what lists and readiness say of them."""

from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.test import Client
from rest_framework.test import APIClient

from srm_service.monitoring.flows.live_state import forget_snapshot
from tests.component.service.conftest import BOTH, at_ms
from tests.support.drivers import live_documents as live
from tests.support.servers.redis import RunningRedis

pytestmark = [BOTH, pytest.mark.redis]
_FLOW = ("us-east", "eu-central")
_HOUR_MS = 3_600_000


def report(client: redis.Redis, ahead_ms: int) -> None:
    """As a driver that sent its membership and the state of its task a second ago, by its own clock."""
    sent_ms = at_ms() + ahead_ms - 1_000
    cause = {"code": "stalled", "text": "slow", "topic": None, "partition": None, "since_ms": sent_ms - 5_000}
    key, document = live.driver("driver-1", "data", sent_ms)
    client.set(key, document, px=9_000)
    key, document = live.source_task(*_FLOW, sent_ms, cause=cause)
    client.set(key, document, px=14_000)
    forget_snapshot()


def answer(viewer: APIClient, path: str) -> dict[str, Any]:
    found: dict[str, Any] = viewer.get(f"/api/v2/{path}").json()
    return found


@pytest.mark.parametrize(("ahead_ms", "side"), [(_HOUR_MS, "ahead of"), (-_HOUR_MS, "behind")])
def test_times_of_a_driver_with_a_wrong_clock_are_by_ours_and_the_difference_is_named(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis, ahead_ms: int, side: str
) -> None:
    answer(viewer, "tasks")  # the first answer of a process takes seconds
    report(live_redis, ahead_ms)

    [task] = answer(viewer, "tasks")["items"]
    drivers = answer(viewer, "drivers")

    assert task["driver"] == "driver-1"
    assert task["live_age_ms"] < 5_000
    assert abs(task["cause"]["since_ms"] - at_ms()) < 10_000
    assert abs(drivers["items"][0]["sent_ms"] - at_ms()) < 5_000
    [partial] = drivers["partial"]
    assert partial["peer"] == "driver driver-1:data"
    assert side in partial["error"]
    assert 3_590 <= int("".join(filter(str.isdigit, partial["error"]))) <= 3_610


def test_a_small_difference_is_not_named(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    report(live_redis, 3_000)

    assert answer(viewer, "drivers")["partial"] == []


@pytest.fixture
def full_redis(own_redis: RunningRedis, settings: Any) -> Iterator[redis.Redis]:
    settings.SRM_REDIS_URL = own_redis.url
    with redis.Redis.from_url(own_redis.url, decode_responses=True) as client:
        report(client, 0)
        client.config_set("maxmemory", 1)
        forget_snapshot()
        yield client


def test_a_redis_without_memory_is_named_with_the_remedy(
    viewer: APIClient, one_flow: str, full_redis: redis.Redis
) -> None:
    drivers = answer(viewer, "drivers")
    ready = Client().get("/readyz").json()

    assert [driver["id"] for driver in drivers["items"]] == ["driver-1"]
    [partial] = drivers["partial"]
    assert partial["peer"] == "redis"
    assert "raise its maxmemory" in partial["error"]
    assert "raise its maxmemory" in ready["parts"]["redis"]

    full_redis.config_set("maxmemory", 0)
    forget_snapshot()
    assert answer(viewer, "drivers")["partial"] == []
    assert Client().get("/readyz").json()["parts"]["redis"] == "ok"
