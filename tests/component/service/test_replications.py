"""The list of flows: live reports, stored metrics, and what happens when either is missing."""

import json
from typing import Any

import pytest
import redis
from django.db import connections, transaction
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from srm_service.audits.audit_differences import forget_differences
from srm_service.monitoring.flows.freshness import forget_store_state
from srm_service.monitoring.flows.live_state import forget_snapshot
from srm_service.remote.selectors import forget_plan
from tests.component.service.conftest import BOTH, at_ms, config_import, configured, flow_definition, put
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles

pytestmark = [BOTH, pytest.mark.redis]

_FLOW = ("us-east", "eu-central")


def test_a_flow_whose_driver_reports_is_healthy_with_its_numbers(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    put(live_redis, live.source_task(*_FLOW, now), live.plan_task(*_FLOW, now), live.heartbeat_task(*_FLOW, now))

    flow = viewer.get("/api/v2/replications").json()["items"][0]

    assert (flow["status"], flow["tasks"]) == ("healthy", {"running": 1, "total": 1})
    assert flow["metrics"]["records_per_second"]["latest"] == 100.0
    assert flow["metrics"]["lag_offsets"]["latest"] == 40
    assert flow["metrics"]["heartbeat_age_ms"]["latest"] == 900
    assert flow["served_by"] == "driver-1"
    assert flow["topics"] == 2


def test_two_slots_are_added_up_and_their_latencies_merged(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    slow = live.histogram(*([900] * 95))
    put(live_redis, live.source_task(*_FLOW, now), live.source_task(*_FLOW, now, slot=1, latency=slow))

    flow = viewer.get("/api/v2/replications").json()["items"][0]

    assert flow["metrics"]["records_per_second"]["latest"] == 200.0
    assert flow["metrics"]["replication_latency_ms"]["latest"] == pytest.approx(900, rel=0.1)


def test_the_lag_of_a_flow_with_a_silent_slot_is_unknown_not_smaller(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    put(
        live_redis, live.source_task(*_FLOW, now), live.plan_task(*_FLOW, now), live.plan_document(*_FLOW, now, slots=2)
    )

    flow = viewer.get("/api/v2/replications").json()["items"][0]

    assert flow["metrics"]["lag_offsets"]["latest"] is None
    assert flow["metrics"]["records_per_second"]["latest"] == 100.0


def test_the_numbers_of_a_flow_are_as_old_as_those_of_its_slowest_slot(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    fresh, frozen = live.source_task(*_FLOW, now), live.source_task(*_FLOW, now - 4_000, slot=1)
    put(live_redis, fresh, frozen, live.plan_task(*_FLOW, now), live.plan_document(*_FLOW, now, slots=2))

    flow = viewer.get("/api/v2/replications").json()["items"][0]

    assert 4_000 <= flow["live_age_ms"] < 9_000


def test_numbers_of_a_loop_that_does_not_run_are_unknown(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    frozen = live.source_task(*_FLOW, now, measured_ms=now - 41_000)
    put(live_redis, frozen, live.plan_task(*_FLOW, now), live.heartbeat_task(*_FLOW, now))

    flow = viewer.get("/api/v2/replications").json()["items"][0]
    topics = viewer.get("/api/v2/replications/us-east/eu-central/topics").json()["items"]

    assert (flow["status"], flow["cause"]["code"]) == ("interrupted", "loop_frozen")
    assert "driver-1 has not run for 41 s" in flow["reason"]
    assert [flow["metrics"][name]["latest"] for name in ("records_per_second", "lag_offsets")] == [None, None]
    assert {topic["records_per_second"] for topic in topics} <= {None}


def test_a_flow_without_planner_and_heartbeats_is_degraded(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    put(live_redis, live.source_task(*_FLOW, now, since_ms=now - 60_000))

    flow = viewer.get("/api/v2/replications").json()["items"][0]

    assert flow["status"] == "degraded"
    assert "No driver plans this flow" in flow["reason"]
    assert "No driver sends heartbeats" in flow["reason"]


def test_the_slowest_task_says_when_a_flow_is_level_and_what_limits_it(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    level = {"code": "caught_up", "text": "nothing"}
    slow = {"code": "throttle", "text": "the flow's own throttle"}
    fast = live.source_task(*_FLOW, now, catch_up_ms=0, lag_offsets=0, time_to_loss_ms=None, limit=level)
    behind = live.source_task(*_FLOW, now, slot=1, catch_up_ms=90_000, time_to_loss_ms=600_000, limit=slow)
    put(live_redis, fast, behind)

    flow = viewer.get("/api/v2/replications").json()["items"][0]

    assert (flow["catch_up_ms"], flow["time_to_loss_ms"], flow["limit"]) == (90_000, 600_000, slow)


def test_a_flow_that_copies_only_heartbeats_is_idle(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    now = at_ms()
    key, text = live.plan_document(*_FLOW, now)
    document = json.loads(text)
    document["topics"] = [{**document["topics"][0], "upstream": "heartbeats"}]
    put(live_redis, live.plan_task(*_FLOW, now, topics=1), (key, json.dumps(document)))

    assert viewer.get("/api/v2/replications").json()["items"][0]["status"] == "idle"


def test_without_any_report_a_flow_is_unknown_and_its_numbers_are_null(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    flow = viewer.get("/api/v2/replications").json()["items"][0]

    assert flow["status"] == "unknown"
    assert "is a driver for eu-central running" in flow["reason"]
    assert flow["metrics"]["records_per_second"]["latest"] is None


def test_without_redis_the_list_answers_from_tiles_and_says_what_is_missing(viewer: APIClient, one_flow: str) -> None:
    now = at_ms()
    series_id = tiles.series(*_FLOW)
    tiles.tile(series_id, now - now % 10_000 - 60_000, latencies_ms=[10, 20])
    tiles.now_row(series_id, now - 2_000)
    tiles.writer("eu-central", now - 1_000)

    answer = viewer.get("/api/v2/replications").json()

    flow = answer["items"][0]
    assert answer["partial"][0]["peer"] == "redis"
    assert flow["status"] == "degraded"
    assert "Live state is missing" in flow["reason"]
    assert flow["metrics"]["records_per_second"]["avg"] == 100.0
    assert flow["metrics"]["records_per_second"]["latest"] == 50.0
    assert flow["metrics_age_ms"] < 10_000


def test_without_the_metrics_store_the_list_answers_with_live_numbers(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    put(live_redis, live.source_task(*_FLOW, at_ms()))
    with transaction.atomic(using="metrics"):
        with connections["metrics"].cursor() as cursor:
            cursor.execute("ALTER TABLE writer RENAME TO writer_gone")
        forget_store_state()
        answer = viewer.get("/api/v2/replications").json()
        transaction.set_rollback(True, using="metrics")

    assert [part["peer"] for part in answer["partial"]] == ["metrics"]
    assert answer["items"][0]["metrics"]["records_per_second"]["latest"] == 100.0
    assert answer["items"][0]["metrics"]["records_per_second"]["avg"] is None


def test_a_live_document_that_is_no_json_hides_only_itself(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    live_redis.set("srm:live:eu-central:us-east/source/9", "{not json")
    live_redis.set("srm:live:eu-central:us-east/source/8", '{"v": 1}')
    put(live_redis, live.source_task(*_FLOW, at_ms()))

    assert viewer.get("/api/v2/replications").json()["items"][0]["status"] == "healthy"


@pytest.mark.parametrize(
    "changes",
    [
        {"states": {"replicating": "many"}},
        {"states": {"replicating": None}},
        {"latency": [1, 2]},
        {"latency": [1, 2, 3, 4, 5, {"x": 1}]},
        {"topic_rates": [["orders", None, "x", {}, []]]},
        {"lag_offsets": "1" * 400},
        {"cause": {"code": 1, "text": []}},
        {"limit": {"code": {}}},
        {"since_ms": 1e300},
        {"rejected_resets": [{"id": {}, "error": 1}]},
    ],
    ids=str,
)
def test_a_malformed_report_hides_only_itself(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis, changes: dict[str, Any]
) -> None:
    now = at_ms()
    key, text = live.source_task(*_FLOW, now, slot=1, **changes)
    put(live_redis, live.source_task(*_FLOW, now), (key, text))

    flow = viewer.get("/api/v2/replications").json()["items"][0]
    prometheus = viewer.get("/metrics")
    topics = viewer.get("/api/v2/replications/us-east/eu-central/topics")

    assert (flow["status"], flow["tasks"]["running"]) == ("healthy", 1)
    assert (prometheus.status_code, topics.status_code) == (200, 200)


@pytest.mark.parametrize(
    ("key", "document"),
    [
        ("srm:plan:eu-central:us-east", {"source": "us-east", "target": "eu-central", "topics": [{"partitions": "x"}]}),
        ("srm:plan:eu-central:us-east", {"source": "us-east", "target": "eu-central", "topics": {"a": 1}}),
        ("srm:driver:driver-1:data", {"id": "driver-1", "role": "data", "pid": 1e300, "targets": "all"}),
        ("srm:driver:driver-1:data", {"id": {}, "role": []}),
    ],
    ids=["plan", "plan topics", "driver", "driver id"],
)
def test_a_malformed_plan_or_driver_hides_only_itself(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis, key: str, document: dict[str, Any]
) -> None:
    put(live_redis, live.source_task(*_FLOW, at_ms()), (key, json.dumps(document)))

    assert viewer.get("/api/v2/replications").json()["items"][0]["status"] == "healthy"
    assert viewer.get("/api/v2/drivers").json()["items"] == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("source=us-east", ["us-east->analytics", "us-east->eu-central"]),
        ("target=analytics", ["us-east->analytics"]),
        ("q=CENTRAL-", ["eu-central->us-east"]),
        ("status=disabled", ["eu-central->us-east"]),
        ("status=healthy", []),
    ],
    ids=["by source", "by target", "by text", "by status", "none matches"],
)
def test_the_list_is_filtered(viewer: APIClient, query: str, expected: list[str]) -> None:
    config_import(
        configured(
            flow_definition("us-east", "eu-central"),
            flow_definition("eu-central", "us-east", enabled=False),
            flow_definition("us-east", "analytics"),
        )
    )

    items = viewer.get(f"/api/v2/replications?{query}").json()["items"]

    assert [f"{flow['source']}->{flow['target']}" for flow in items] == expected


def test_pages_follow_each_other_without_loss(viewer: APIClient) -> None:
    config_import(configured(*(flow_definition("hub", f"site-{n:02}") for n in range(5))))

    seen, cursor = [], ""
    for _ in range(3):
        page = viewer.get(f"/api/v2/replications?limit=2&cursor={cursor}").json()
        seen += [flow["target"] for flow in page["items"]]
        cursor = page["next_cursor"] or ""

    assert seen == [f"site-{n:02}" for n in range(5)]
    assert cursor == ""


def test_the_number_of_queries_does_not_grow_with_the_number_of_flows(
    viewer: APIClient, live_redis: redis.Redis
) -> None:
    counts = []
    for flows in (2, 30):
        config_import(configured(*(flow_definition("hub", f"site-{n:02}") for n in range(flows))))
        for n in range(flows):
            tiles.series("hub", f"site-{n:02}")
            tiles.series("hub", f"site-{n:02}", group="billing")
        counts.append(_queries(viewer))

    assert counts[0] == counts[1]
    assert sum(counts[0]) <= 23


def _queries(viewer: APIClient) -> tuple[int, int]:
    forget_store_state()
    forget_differences()
    forget_snapshot()
    forget_plan()
    with (
        CaptureQueriesContext(connections["default"]) as service,
        CaptureQueriesContext(connections["metrics"]) as metrics,
    ):
        assert viewer.get("/api/v2/replications").status_code == 200
    return len(service), len(metrics)


def test_a_flow_that_does_not_exist_is_not_found(viewer: APIClient, one_flow: str) -> None:
    response = viewer.get("/api/v2/replications/us-east/nowhere")

    assert response.status_code == 404
    assert "us-east->nowhere" in response.json()["detail"]


def test_drivers_are_listed_per_process_with_their_tasks(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    put(
        live_redis,
        live.driver("driver-1", "data", now),
        live.driver("driver-1", "control", now),
        live.source_task(*_FLOW, now),
    )

    items = viewer.get("/api/v2/drivers").json()["items"]

    assert [(row["id"], row["role"], row["tasks"]) for row in items] == [
        ("driver-1", "control", 0),
        ("driver-1", "data", 1),
    ]


def test_topics_come_from_the_plan_with_live_rates_and_stored_latency(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    tiles.tile(tiles.series(*_FLOW, "orders"), now - now % 10_000 - 30_000, level="topic", latencies_ms=[30] * 10)
    tiles.series(*_FLOW, "old-topic")
    put(live_redis, live.source_task(*_FLOW, now), live.plan_document(*_FLOW, now))

    items = viewer.get("/api/v2/replications/us-east/eu-central/topics").json()["items"]

    assert [row["topic"] for row in items] == ["old-topic", "orders", "payments"]
    orders = items[1]
    assert (orders["remote_topic"], orders["partitions"], orders["records_per_second"]) == ("us-east.orders", 3, 80.0)
    assert orders["latency_p95_ms"] == 30
    assert items[0]["records_per_second"] is None


def test_a_flow_of_many_topics_is_listed_with_what_is_stored_of_each_and_of_no_other_flow(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    start_ms = now - now % 10_000 - 30_000
    for number in range(210):
        latency_ms = 10 if number % 2 else 500
        tiles.tile(tiles.series(*_FLOW, f"t{number:03}"), start_ms, level="topic", latencies_ms=[latency_ms] * 4)
    tiles.tile(tiles.series("us-east", "elsewhere", "t000"), start_ms, level="topic", latencies_ms=[9_000] * 4)

    everything = viewer.get("/api/v2/replications/us-east/eu-central/topics", {"limit": 1000}).json()["items"]
    some = viewer.get("/api/v2/replications/us-east/eu-central/topics", {"limit": 3}).json()["items"]

    assert [row["topic"] for row in everything] == [f"t{number:03}" for number in range(210)]
    assert [row["latency_p95_ms"] for row in everything[:4]] == [500, 10, 500, 10]
    assert some == everything[:3]


@pytest.mark.parametrize("alias", ["us-east", "eu-central"])
def test_a_cluster_is_shown_without_its_secrets(viewer: APIClient, one_flow: str, alias: str) -> None:
    items = viewer.get("/api/v2/clusters").json()["items"]

    assert alias in [cluster["alias"] for cluster in items]
    assert all("secrets" not in cluster for cluster in items)
