"""Drivers that left: the service remembers processes whose reports have vanished from Redis."""

from datetime import timedelta

import pytest
import redis
from django.utils import timezone
from rest_framework.test import APIClient

from srm_service.drivers.jobs import note_driver_processes
from srm_service.drivers.models import SeenProcess
from srm_service.drivers.seen import MOST_STARTS
from srm_service.monitoring.flows.live_state import forget_snapshot
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live

pytestmark = [BOTH, pytest.mark.redis]


def test_a_process_that_reports_no_more_is_gone_until_it_returns(viewer: APIClient, live_redis: redis.Redis) -> None:
    now = at_ms()
    berlin, paris = live.driver("berlin", "data", now), live.driver("paris", "data", now, leaving=True, host="node-7")
    put(live_redis, berlin, paris, live.source_task("us-east", "eu-central", now, driver="paris"))
    note_driver_processes()
    none_gone = viewer.get("/api/v2/drivers/gone").json()["items"]
    live_redis.delete(paris[0])
    forget_snapshot()
    note_driver_processes()

    [gone] = viewer.get("/api/v2/drivers/gone").json()["items"]
    put(live_redis, paris)

    assert none_gone == []
    assert (gone["id"], gone["host"], gone["left"], gone["tasks"]) == ("paris", "node-7", True, 1)
    assert abs(gone["last_seen_ms"] - now) < 5_000
    assert viewer.get("/api/v2/drivers/gone").json()["items"] == []


def test_a_killed_process_is_listed_although_its_successor_reports(viewer: APIClient, live_redis: redis.Redis) -> None:
    now = at_ms()
    for boot, pid, leaving in (("one", 11, False), ("two", 12, True), ("three", 13, False)):
        put(live_redis, live.driver("berlin", "data", now, boot=boot, pid=pid, leaving=leaving, host="node-7"))
        note_driver_processes()

    [gone] = viewer.get("/api/v2/drivers/gone").json()["items"]

    assert (gone["pid"], gone["host"], gone["left"], gone["restarted"]) == (11, "node-7", False, True)
    assert abs(gone["last_seen_ms"] - now) < 60_000


def test_a_process_that_ends_again_and_again_keeps_its_newest_starts(live_redis: redis.Redis) -> None:
    for number in range(MOST_STARTS + 3):
        put(live_redis, live.driver("berlin", "data", at_ms(), boot=f"boot-{number}"))
        note_driver_processes()

    kept = set(SeenProcess.objects.values_list("boot", flat=True))
    assert kept == {f"boot-{number}" for number in range(3, MOST_STARTS + 3)}


def test_a_process_is_forgotten_a_week_after_it_was_seen_last(viewer: APIClient, live_redis: redis.Redis) -> None:
    paris = live.driver("paris", "data", at_ms())
    put(live_redis, live.driver("berlin", "data", at_ms()), paris)
    note_driver_processes()
    live_redis.delete(paris[0])
    forget_snapshot()
    SeenProcess.objects.filter(process="paris").update(last_seen_at=timezone.now() - timedelta(days=8))
    note_driver_processes()

    assert [row.process for row in SeenProcess.objects.all()] == ["berlin"]


def test_without_redis_no_process_is_called_gone(viewer: APIClient, live_redis: redis.Redis, settings: object) -> None:
    put(live_redis, live.driver("berlin", "data", at_ms()))
    note_driver_processes()
    settings.SRM_REDIS_URL = "redis://127.0.0.1:1/0"  # type: ignore[attr-defined]
    forget_snapshot()

    answer = viewer.get("/api/v2/drivers/gone").json()

    assert (answer["items"], answer["partial"][0]["peer"]) == ([], "redis")


def test_the_load_of_a_process_is_the_sum_over_its_targets(viewer: APIClient, live_redis: redis.Redis) -> None:
    loads = {"west": {"east/source/0": 12.5, "east/source/1": 30}, "south": {"east/source/0": 1}}
    put(live_redis, live.driver("berlin", "data", at_ms(), loads=loads))

    assert viewer.get("/api/v2/drivers").json()["items"][0]["load_percent"] == 43.5
