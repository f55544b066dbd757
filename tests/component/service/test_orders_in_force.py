"""A flow says which orders slow or stop its copying, although its status does not: in the list, alone, and live."""

from datetime import timedelta
from typing import Any

import pytest
import redis
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from srm_service.core.kept import forget_kept
from srm_service.flows.models import Flow, FlowHold, FlowStop, FlowThrottle
from srm_service.live.tables import flow_row
from srm_service.monitoring.flow_columns import LIVE_COLUMNS
from srm_service.monitoring.flows.live_state import forget_snapshot
from srm_service.monitoring.flows.overview import overview
from tests.component.service.conftest import BOTH, at_ms, config_import, configured, flow_definition, put
from tests.support.drivers import live_documents as live

pytestmark = [BOTH, pytest.mark.redis]

_FLOW = "/api/v2/replications/us-east/eu-central"
_NONE = {f"{word}_{thing}s": 0 for word in ("throttled", "paused", "stopped") for thing in ("topic", "partition")}


@pytest.fixture
def flow(one_flow: str, live_redis: redis.Redis) -> Flow:
    put(live_redis, live.source_task("us-east", "eu-central", at_ms()))
    return Flow.objects.get(source__alias="us-east", target__alias="eu-central")


def in_force(client: APIClient) -> Any:
    """Return those of the list, if the flow alone and the live row have the same."""
    (listed,) = client.get("/api/v2/replications").json()["items"]
    alone = client.get(_FLOW).json()
    now = overview().find("us-east", "eu-central")
    assert now is not None
    place = [column.name for column in LIVE_COLUMNS].index("orders_in_force")
    found = listed["orders_in_force"]
    assert alone["orders_in_force"] == found
    assert flow_row(now, at_ms())[place] == found
    return found


def hold(flow: Flow, topic: str, partition: int | None = None, **values: Any) -> None:
    """Pause a topic or partition without the service, which keeps answers for a moment."""
    FlowHold.objects.create(flow=flow, topic=topic, partition=partition, created_at=timezone.now(), **values)
    forget_kept()


def test_a_flow_without_orders_has_none(viewer: APIClient, flow: Flow) -> None:
    assert in_force(viewer) is None


def test_a_throttle_of_the_flow_is_told_at_once(viewer: APIClient, operator: APIClient, flow: Flow) -> None:
    in_force(viewer)

    operator.post(f"{_FLOW}/actions", {"action": "throttle", "bytes_per_second": 1_000, "reason": "x"}, format="json")

    assert in_force(viewer) == {"text": "Throttled to 1 kB/s", "throttle_bytes_per_second": 1_000, **_NONE}


def test_parts_are_counted_by_order(viewer: APIClient, flow: Flow) -> None:
    hold(flow, "orders")
    hold(flow, "payments")
    hold(flow, "clicks", 3)
    common = {"flow": flow, "created_at": timezone.now()}
    FlowStop.objects.create(topic="clicks", partition=4, **common)
    FlowThrottle.objects.create(topic="shipments", bytes_per_second=1, **common)

    found = in_force(viewer)

    assert found["text"] == "1 partition stopped, 2 topics and 1 partition paused, 1 topic throttled"
    counts = {"stopped_partitions": 1, "paused_topics": 2, "paused_partitions": 1, "throttled_topics": 1}
    assert {name: found[name] for name in _NONE} == {**_NONE, **counts}


def test_a_partition_of_a_paused_topic_is_not_counted_again(viewer: APIClient, flow: Flow) -> None:
    hold(flow, "orders")
    hold(flow, "orders", 3)

    assert in_force(viewer)["text"] == "1 topic paused"


def test_orders_that_have_ended_are_not_in_force(viewer: APIClient, flow: Flow) -> None:
    """Maintenance deletes them later. A partition counts again when the pause of its topic has ended."""
    past = timezone.now() - timedelta(seconds=1)
    Flow.objects.update(throttle_bytes_per_second=5, throttle_until=past)
    hold(flow, "payments", until=past)
    assert in_force(viewer) is None

    hold(flow, "orders", until=past)
    hold(flow, "orders", 3, until=timezone.now() + timedelta(hours=1))

    assert in_force(viewer)["text"] == "1 partition paused"


def test_orders_of_many_flows_are_read_by_one_query(viewer: APIClient, live_redis: redis.Redis) -> None:
    counts = []
    for flows in (2, 30):
        config_import(configured(*(flow_definition("hub", f"site-{n:02}") for n in range(flows))))
        for flow in Flow.objects.filter(holds=None):
            hold(flow, "orders")
        forget_snapshot()
        overview()
        with CaptureQueriesContext(connection) as queries:
            texts = {flow.orders_in_force and flow.orders_in_force.text for flow in overview().flows}
        assert texts == {"1 topic paused"}
        counts.append(sum("flows_flowhold" in query["sql"] for query in queries))

    assert counts == [1, 1]
