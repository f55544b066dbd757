"""Tasks over REST: where each runs, since when, and why it runs there; drivers with their tasks and herder status."""

from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from srm_service.flows.models import Flow
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live

pytestmark = [BOTH, pytest.mark.redis]
_FLOW = ("us-east", "eu-central")
_CAUSE = {"code": "fatal", "text": "disk full", "topic": None, "partition": None, "since_ms": 7}


def tasks(viewer: APIClient, query: str = "") -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = viewer.get(f"/api/v2/tasks{query}").json()["items"]
    return items


def test_a_task_tells_where_it_runs_since_when_and_why_there(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    moved = {"at_ms": now - 9_000, "reason": "driver_gone", "from_driver": "driver-9"}
    put(live_redis, live.source_task(*_FLOW, now, generation=4, moved=moved, last_error=_CAUSE))

    [task] = tasks(viewer)

    assert (task["task"], task["kind"], task["driver"], task["role"]) == (
        "us-east/source/0",
        "source",
        "driver-1",
        "data",
    )
    assert (task["state"], task["generation"], task["cause"]) == ("running", 4, None)
    assert task["last_error"] == _CAUSE
    assert task["moved"] == {**moved, "text": "The previous driver stopped or was lost."}


def test_tasks_are_filtered(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    now = at_ms()
    put(live_redis, live.source_task(*_FLOW, now), live.plan_task(*_FLOW, now, state="failed", cause=_CAUSE))

    assert len(tasks(viewer)) == 2
    assert [task["kind"] for task in tasks(viewer, "?kind=plan")] == ["plan"]
    assert [task["kind"] for task in tasks(viewer, "?state=failed&driver=driver-1")] == ["plan"]
    assert tasks(viewer, "?source=elsewhere") == tasks(viewer, "?driver=none") == []
    assert viewer.get("/api/v2/tasks?kind=nonsense").status_code == 400


def test_tasks_are_filtered_by_the_description_of_their_flow(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    Flow.objects.update(labels={"team": "payments"}, criticality="high")
    put(live_redis, live.source_task(*_FLOW, at_ms()), live.source_task("us-west", "eu-central", at_ms()))

    assert [task["source"] for task in tasks(viewer, "?label=team:payments&criticality=high")] == ["us-east"]
    assert tasks(viewer, "?owner=ann") == []
    assert len(tasks(viewer)) == 2


def test_a_task_without_a_driver_says_so(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    cause = {**_CAUSE, "code": "no_driver", "text": "no driver has the labels region=eu"}
    put(live_redis, live.source_task(*_FLOW, at_ms(), driver="", boot="", state="unassigned", cause=cause))

    [task] = tasks(viewer)

    assert (task["driver"], task["state"], task["generation"]) == (None, "unassigned", None)
    assert task["cause"]["text"] == "no driver has the labels region=eu"


def test_a_driver_is_shown_with_its_processes_and_tasks(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    put(
        live_redis,
        live.driver("driver-1", "control", now, parent="driver-1"),
        live.driver("driver-1", "data", now, parent="driver-1", loop_lag_ms=12),
        live.driver("driver-1-2", "data", now, parent="driver-1"),
        live.driver("driver-7", "data", now, parent="driver-7"),
        live.source_task(*_FLOW, now),
        live.source_task(*_FLOW, now, slot=1, driver="driver-1-2", state="failed", cause=_CAUSE),
        live.source_task(*_FLOW, now, slot=2, driver="driver-7"),
    )

    found = viewer.get("/api/v2/drivers/driver-1").json()

    assert [(row["id"], row["role"], row["herder_status"], row["loop_lag_ms"]) for row in found["processes"]] == [
        ("driver-1", "control", 0, None),
        ("driver-1", "data", 0, 12),
        ("driver-1-2", "data", 4, None),
    ]
    assert [task["task"] for task in found["tasks"]] == ["us-east/source/0", "us-east/source/1"]
    assert found["herder_status"] == 4
    assert [row["id"] for row in viewer.get("/api/v2/drivers/driver-1-2").json()["processes"]] == ["driver-1-2"]


def test_a_process_that_returns_is_shown_as_leaving(viewer: APIClient, live_redis: redis.Redis) -> None:
    now = at_ms()
    put(live_redis, live.driver("driver-1", "data", now, leaving=True, returning_until_ms=now + 60_000))

    [process] = viewer.get("/api/v2/drivers").json()["items"]

    assert (process["leaving"], process["returning_until_ms"]) == (True, now + 60_000)


def test_a_driver_that_does_not_report_is_not_found(viewer: APIClient, live_redis: redis.Redis) -> None:
    answer = viewer.get("/api/v2/drivers/none")

    assert answer.status_code == 404
    assert answer.json()["detail"] == "No driver none reports."
    assert answer.json()["hint"] == "GET /api/v2/drivers lists all."


def test_flows_and_drivers_have_a_herder_status(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    now = at_ms()
    put(
        live_redis,
        live.driver("driver-1", "data", now),
        live.plan_task(*_FLOW, now),
        live.source_task(*_FLOW, now, state="failed", cause=_CAUSE),
    )

    flow = viewer.get("/api/v2/replications/us-east/eu-central").json()
    page = viewer.get("/metrics").content.decode()

    assert (flow["status"], flow["herder_status"]) == ("failed", 4)
    name = "streams_replication_manager_distributed_herder_status"
    assert f'{name}{{source="us-east",target="eu-central"}} 4.0' in page
    name = "streams_replication_manager_aggregated_herder_status"
    assert f'{name}{{driver="driver-1",role="data"}} 4.0' in page


def test_a_wrong_internal_topic_degrades_the_flow_with_the_remedy(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    text = "cluster eu-central: heartbeats has cleanup.policy=delete instead of compact; set it: kafka-configs"
    warning = {"code": "internal_topic_cleanup_policy", "text": text}
    put(live_redis, live.plan_task(*_FLOW, now, warnings=[warning]), live.source_task(*_FLOW, now))

    flow = viewer.get("/api/v2/replications/us-east/eu-central").json()

    assert flow["status"] == "degraded"
    assert flow["cause"]["text"] == text


def test_tasks_are_ordered_by_partitions_and_by_their_last_error(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now, error = at_ms(), {**_CAUSE, "text": "a broker is away"}
    put(
        live_redis,
        live.source_task(*_FLOW, now, 0, partitions=4),
        live.source_task(*_FLOW, now, 1, partitions=9, last_error=_CAUSE),
        live.source_task(*_FLOW, now, 2, partitions=7, last_error=error),
    )

    def slots(ordering: str) -> list[str]:
        return [task["task"][-1] for task in tasks(viewer, f"?ordering={ordering}")]

    assert slots("-partitions") == ["1", "2", "0"]
    assert slots("last_error") == ["2", "1", "0"]
