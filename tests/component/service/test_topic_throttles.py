"""Throttles of topics and partitions: from REST to the desired document, beside the throttle of the flow."""

from typing import Any, cast

import pytest
import redis
from django.utils import timezone
from rest_framework.test import APIClient

from replication.domain.desired.desired_document import DesiredFlow, desired_from_json
from srm_service.flows.jobs import publish_desired
from srm_service.flows.models import FlowAction, FlowThrottle
from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live

pytestmark = [BOTH, pytest.mark.redis]

_PAIR = ("us-east", "eu-central")
_FLOW = "/api/v2/replications/us-east/eu-central"
_TOPIC = {"topic": "orders"}
_PARTITION = {"topic": "orders", "partition": 1}


@pytest.fixture
def running(one_flow: str, live_redis: redis.Redis) -> redis.Redis:
    """A flow with a plan of two slots."""
    put(live_redis, live.plan_document(*_PAIR, at_ms(), slots=2), live.driver("driver-1", "data", at_ms()))
    for slot in (0, 1):
        put(live_redis, live.source_task(*_PAIR, at_ms(), slot, applied_revision=0))
    return live_redis


def throttle(
    client: APIClient,
    bytes_per_second: int | None,
    *,
    scope: dict[str, Any] | None = None,
    status: int = 200,
    **body: Any,
) -> dict[str, Any]:
    order = {"action": "throttle", "reason": "upgrade", "bytes_per_second": bytes_per_second, **body}
    response = client.post(f"{_FLOW}/actions", order | ({"scope": scope} if scope else {}), format="json")
    assert response.status_code == status, response.content
    answer: dict[str, Any] = response.json()
    return answer


def published(client: redis.Redis) -> DesiredFlow:
    publish_desired()
    document, rejected = desired_from_json(str(client.get("srm:desired:eu-central")))
    assert rejected == ()
    return document.flows[0]


@pytest.mark.parametrize("scope", [_TOPIC, _PARTITION])
def test_a_throttle_of_a_topic_or_partition_is_in_the_document_beside_that_of_the_flow(
    operator: APIClient, running: redis.Redis, scope: dict[str, Any]
) -> None:
    until_ms = at_ms() + 60_000
    throttle(operator, 9_000)
    set_once = throttle(operator, 5_000, scope=scope, until_ms=until_ms)
    same = throttle(operator, 5_000, scope=scope, until_ms=until_ms)
    changed = throttle(operator, 6_000, scope=scope, reason="slower disks")
    flow = published(running)
    removed = throttle(operator, None, scope=scope)
    again = throttle(operator, None, scope=scope)

    (found,) = flow.topic_throttles
    place = ("orders", scope.get("partition"))
    assert (found.topic, found.partition, found.bytes_per_second) == (*place, 6_000)
    assert (found.until_ms, found.reason) == (None, "slower disks")
    assert flow.throttle_bytes_per_second == 9_000
    assert [each["changed"] for each in (set_once, same, changed, removed, again)] == [True, False, True, True, False]
    assert (published(running).topic_throttles, published(running).throttle_bytes_per_second) == ((), 9_000)
    rows = [operator.get(f"{_FLOW}/actions/{each['id']}").json() for each in (set_once, changed, removed)]
    assert [(row["event"], row["topic"], row["partition"]) for row in rows] == [("flow.throttle", *place)] * 3
    assert [row["detail"] for row in rows] == ["5000 bytes/s", "6000 bytes/s", "off"]
    assert [row["outcome"] for row in rows] == ["overtaken", "overtaken", "waiting"]
    trail = TrailEntry.objects.filter(action="flow.throttle", reason="slower disks").get()
    before, after = (cast("dict[str, Any]", each) for each in (trail.before, trail.after))
    assert (before["bytes_per_second"], after["bytes_per_second"]) == (5_000, 6_000)


def test_a_throttle_of_a_topic_names_what_it_touches_in_a_dry_run_and_is_not_stored(
    operator: APIClient, running: redis.Redis
) -> None:
    answer = throttle(operator, 5_000, scope=_TOPIC, dry_run=True)

    assert answer["text"] == "With this order, orders of us-east->eu-central reads at most 5,000 bytes per second"
    assert (answer["touches"]["topics"], answer["touches"]["partitions"], answer["touches"]["slots"]) == (1, 3, 1)
    assert answer["names"] == {"topics": ["orders"], "tasks": ["us-east/source/0"]}
    assert not FlowThrottle.objects.exists()
    assert not FlowAction.objects.exists()


def test_a_partition_keeps_the_throttle_of_its_topic_when_its_own_is_removed(
    operator: APIClient, running: redis.Redis
) -> None:
    throttle(operator, 5_000, scope=_TOPIC)
    refused = throttle(operator, None, scope=_PARTITION, status=409)
    throttle(operator, 1_000, scope=_PARTITION)
    throttle(operator, None, scope=_PARTITION)
    (left,) = published(running).topic_throttles
    throttle(operator, 1_000, scope=_PARTITION)
    throttle(operator, None, scope=_TOPIC)

    assert "remove the throttle of the topic, not one partition" in refused["detail"]
    assert (left.partition, left.bytes_per_second) == (None, 5_000)
    assert published(running).topic_throttles == (), "with the topic's, those of its partitions are removed"


def test_throttles_of_topics_are_listed_until_they_end_and_end_by_themselves(
    operator: APIClient, running: redis.Redis
) -> None:
    throttle(operator, 1_000, scope=_PARTITION)
    throttle(operator, 5_000, scope=_TOPIC, until_ms=at_ms() + 60_000)
    both = operator.get(f"{_FLOW}/throttles").json()["items"]
    FlowThrottle.objects.filter(partition=None).update(until=timezone.now())
    (left,) = operator.get(f"{_FLOW}/throttles?ordering=-bytes_per_second").json()["items"]
    flow = published(running)

    assert [(each["partition"], each["bytes_per_second"]) for each in both] == [(None, 5_000), (1, 1_000)]
    assert (left["partition"], left["reason"], left["throttled_by"]) == (1, "upgrade", "somebody-operator")
    assert [each.partition for each in flow.topic_throttles] == [1]
    assert TrailEntry.objects.filter(action="flow.throttle", reason="throttle expired").count() == 1


def test_held_topics_are_counted_and_filtered_over_all_pages_also_for_viewers(
    operator: APIClient, viewer: APIClient, running: redis.Redis
) -> None:
    for place in ({"topic": "orders", "partition": 0}, _PARTITION, {"topic": "payments"}):
        assert operator.post(f"{_FLOW}/holds", place, format="json").status_code == 201
    first = viewer.get(f"{_FLOW}/holds", {"limit": "1"}).json()
    orders = viewer.get(f"{_FLOW}/holds", {"q": "ORD"}).json()

    assert (first["topics"], len(first["items"])) == (2, 1)
    assert (orders["topics"], len(orders["items"])) == (1, 2)
    assert viewer.get(f"{_FLOW}/holds", {"q": "x"}).json()["topics"] == 0
