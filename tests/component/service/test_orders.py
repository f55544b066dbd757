"""Throttle, holds and resets: from REST to the desired document, and back as done."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from replication.domain.control.orders import REMEMBERED_RESETS, ToOffset, ToTimestamp
from replication.domain.desired.desired_document import DesiredFlow, desired_from_json
from srm_service.flows.jobs import note_orders, publish_desired
from srm_service.flows.models import FlowHold, FlowReset
from srm_service.monitoring.flows.live_state import forget_snapshot
from tests.component.service.conftest import BOTH, at_ms, config_import, configured, flow_definition, put
from tests.support.drivers import live_documents as live

pytestmark = [BOTH, pytest.mark.redis]
_COMMITS = pytest.mark.django_db(databases=["default", "metrics"], transaction=True)

_PAIR = ("us-east", "eu-central")
_FLOW = "/api/v2/replications/us-east/eu-central"
_NOWHERE = "/api/v2/replications/us-east/nowhere"


def _published(client: redis.Redis) -> DesiredFlow:
    document, rejected = desired_from_json(str(client.get("srm:desired:eu-central")))
    assert rejected == ()
    return document.flows[0]


def _reset(operator: APIClient, **body: Any) -> list[dict[str, Any]]:
    answer = operator.post(f"{_FLOW}/resets", {"topic": "orders", "to": "earliest", **body}, format="json")
    assert answer.status_code == 202, answer.content
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def _states(client: APIClient) -> list[tuple[int, str]]:
    items = client.get(f"{_FLOW}/resets").json()["items"]
    return [(item["partition"], item["state"]) for item in items]


@_COMMITS
def test_a_throttle_reaches_the_drivers_and_goes_again(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    answer = operator.put(f"{_FLOW}/throttle", {"bytes_per_second": 10_000_000}, format="json")
    limited = _published(live_redis).throttle_bytes_per_second
    again = operator.put(f"{_FLOW}/throttle", {"bytes_per_second": 10_000_000}, format="json")
    shown = operator.get(f"{_FLOW}/throttle").json()["bytes_per_second"]
    gone = operator.delete(f"{_FLOW}/throttle").json()

    order = answer.json()["order"]
    assert answer.json() == {"bytes_per_second": 10_000_000, "until_ms": None, "changed": True, "order": order}
    assert (order["revision"], order["state"]) == (1, "published")
    assert (again.json()["changed"], again.json()["order"]["id"]) == (False, None)
    assert (limited, shown) == (10_000_000, 10_000_000)
    assert (gone["bytes_per_second"], gone["changed"], gone["order"]["revision"]) == (None, True, 2)
    assert _published(live_redis).throttle_bytes_per_second is None


def test_an_import_keeps_throttle_holds_and_resets(operator: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    operator.put(f"{_FLOW}/throttle", {"bytes_per_second": 5}, format="json")
    operator.post(f"{_FLOW}/holds", {"topic": "orders"}, format="json")
    _reset(operator, partition=0)

    config_import(configured(flow_definition(*_PAIR, tasks_max=4)))
    publish_desired()

    flow = _published(live_redis)
    assert (flow.tasks_max, flow.throttle_bytes_per_second) == (4, 5)
    assert (len(flow.holds), len(flow.resets)) == (1, 1)


@_COMMITS
def test_a_hold_reaches_the_drivers_and_its_release_too(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    until_ms = at_ms() + 60_000
    body = {"topic": "orders", "partition": 2, "until_ms": until_ms, "reason": "consumer repair"}

    made = operator.post(f"{_FLOW}/holds", body, format="json")
    hold = _published(live_redis).holds[0]
    released = operator.delete(f"{_FLOW}/holds/{made.json()['id']}")

    assert made.status_code == 201
    assert made.json()["held_by"] == "somebody-operator"
    assert (hold.topic, hold.partition, hold.until_ms, hold.reason) == ("orders", 2, until_ms, "consumer repair")
    assert released.status_code == 200
    assert _published(live_redis).holds == ()


@_COMMITS
def test_a_hold_can_be_followed_until_it_is_applied(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    order = operator.post(f"{_FLOW}/holds", {"topic": "orders"}, format="json").json()["order"]
    put(live_redis, live.source_task(*_PAIR, at_ms(), applied_revision=order["revision"]))
    forget_snapshot()

    followed = operator.get(f"{_FLOW}/actions/{order['id']}").json()

    assert (order["state"], followed["event"], followed["state"]) == ("published", "flow.hold", "applied")


def test_holding_what_is_held_already_changes_its_reason_and_end(operator: APIClient, one_flow: str) -> None:
    for partition in (None, 1):
        for reason in ("first", "second"):
            body = {"topic": "orders", "partition": partition, "reason": reason}
            operator.post(f"{_FLOW}/holds", body, format="json")

    items = operator.get(f"{_FLOW}/holds").json()["items"]
    assert [(item["partition"], item["reason"]) for item in items] == [(None, "second"), (1, "second")]


def test_a_hold_whose_time_is_over_is_gone(operator: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    operator.post(f"{_FLOW}/holds", {"topic": "orders", "until_ms": at_ms() + 60_000}, format="json")
    FlowHold.objects.update(until=datetime.now(UTC) - timedelta(seconds=1))

    shown = operator.get(f"{_FLOW}/holds").json()["items"]
    publish_desired()

    assert shown == []
    assert _published(live_redis).holds == ()
    assert not FlowHold.objects.exists()


@_COMMITS
@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("latest", "latest"),
        ({"offset": 12}, ToOffset(offset=12)),
        ({"timestamp_ms": 1_700_000_000_000}, ToTimestamp(timestamp_ms=1_700_000_000_000)),
    ],
    ids=["end", "offset", "time"],
)
def test_a_reset_reaches_the_drivers(
    operator: APIClient, one_flow: str, live_redis: redis.Redis, to: Any, expected: Any
) -> None:
    reset = _reset(operator, partition=1, to=to)[0]

    order = _published(live_redis).resets[0]
    assert (order.id, order.topic, order.partition, order.to) == (reset["id"], "orders", 1, expected)
    assert (reset["to"], reset["state"], reset["ended_ms"]) == (to, "requested", None)


def test_a_reset_without_a_partition_is_one_for_each_of_the_plan(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    put(live_redis, live.plan_document(*_PAIR, at_ms()))

    assert [reset["partition"] for reset in _reset(operator)] == [0, 1, 2]


def test_a_reset_is_done_when_a_driver_says_so_and_stays_done(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    first, _ = _reset(operator, partition=0) + _reset(operator, partition=1)
    put(live_redis, live.source_task(*_PAIR, at_ms(), done_resets=[first["id"], "of somebody else"]))

    at_once = _states(operator)
    noted = note_orders()
    put(live_redis, live.source_task(*_PAIR, at_ms(), done_resets=[]))

    assert at_once == [(0, "done"), (1, "requested")]
    assert noted == 2, "the reset, and the order that it was given by"
    assert _states(operator) == [(0, "done"), (1, "requested")]
    assert operator.get(f"{_FLOW}/resets?state=done").json()["items"][0]["ended_ms"] is not None


def test_a_reset_that_no_driver_can_carry_out_is_shown_as_rejected_with_the_reason(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    fine, lost = _reset(operator, partition=0) + _reset(operator, partition=7)
    rejected = [{"id": lost["id"], "error": "copies no partition 7"}, {"id": fine["id"], "error": "too late"}, "odd"]
    put(live_redis, live.plan_task(*_PAIR, at_ms(), rejected_resets=rejected))
    put(live_redis, live.source_task(*_PAIR, at_ms(), done_resets=[fine["id"]]))

    items = operator.get(f"{_FLOW}/resets").json()["items"]

    assert [(item["partition"], item["state"], item["rejected"]) for item in items] == [
        (0, "done", None),
        (7, "requested", "copies no partition 7"),
    ]
    assert lost["rejected"] is None


def test_a_done_reset_leaves_the_document_after_a_day_and_a_waiting_one_stays(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    done, waiting = _reset(operator, partition=0) + _reset(operator, partition=1)
    put(live_redis, live.source_task(*_PAIR, at_ms(), done_resets=[done["id"]]))
    note_orders()
    long_ago = datetime.now(UTC) - timedelta(days=1, seconds=1)
    publish_desired()
    before = {reset.id for reset in _published(live_redis).resets}
    FlowReset.objects.update(requested_at=long_ago)
    FlowReset.objects.filter(key=done["id"]).update(ended_at=long_ago)

    publish_desired()

    assert before == {done["id"], waiting["id"]}
    assert [reset.id for reset in _published(live_redis).resets] == [waiting["id"]]


def test_only_the_newest_reset_of_a_partition_is_sent_however_many_there_were(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    for offset in range(REMEMBERED_RESETS + 4):
        reset = _reset(operator, partition=0, to={"offset": offset})[0]
        put(live_redis, live.source_task(*_PAIR, at_ms(), done_resets=[reset["id"]] if offset % 2 else []))
        note_orders()

    publish_desired()

    assert [order.id for order in _published(live_redis).resets] == [reset["id"]]
    assert {state for _, state in _states(operator)} == {"done", "overtaken"}


def test_a_waiting_reset_is_withdrawn_and_a_done_one_is_not(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    done, waiting = _reset(operator, partition=0) + _reset(operator, partition=1)
    put(live_redis, live.source_task(*_PAIR, at_ms(), done_resets=[done["id"]]))

    codes = [operator.delete(f"{_FLOW}/resets/{each['id']}").status_code for each in (waiting, done, waiting)]

    assert codes == [200, 409, 404]
    assert _states(operator) == [(0, "done")]


def test_the_list_of_resets_says_when_redis_is_away(operator: APIClient, one_flow: str, settings: Any) -> None:
    settings.SRM_REDIS_URL = "redis://127.0.0.1:1/0"
    _reset(operator, partition=0)

    answer = operator.get(f"{_FLOW}/resets").json()

    assert [part["peer"] for part in answer["partial"]] == ["redis"]
    assert [item["state"] for item in answer["items"]] == ["requested"]


@pytest.mark.parametrize(
    ("verb", "path", "body", "status", "text"),
    [
        ("put", "throttle", {"bytes_per_second": 0}, 400, "bytes_per_second"),
        ("put", "throttle", {"bytes_per_second": "fast"}, 400, "bytes_per_second"),
        ("put", "throttle", {}, 400, "bytes_per_second"),
        ("post", "holds", {}, 400, "topic"),
        ("post", "holds", {"topic": "no such\0name"}, 400, "topic"),
        ("post", "resets", {"topic": "no such name", "to": "earliest"}, 400, "letters, digits"),
        ("post", "holds", {"topic": "orders", "until_ms": 1}, 400, "is in the past"),
        ("post", "holds", {"topic": "orders", "partition": -1}, 400, "partition"),
        ("post", "holds", {"topic": "strange"}, 404, "does not copy a topic strange"),
        ("post", "holds", {"topic": "orders", "partition": 3}, 404, "it has 0 to 2"),
        ("delete", "holds/4711", None, 404, "no hold 4711"),
        ("delete", "holds/99999999999999999999", None, 404, "no hold 9999"),
        ("delete", "resets/%00", None, 404, "There is no resource at"),
        ("post", "resets", {"topic": "orders"}, 400, "to"),
        ("post", "resets", {"topic": "orders", "to": "yesterday"}, 400, "Expected"),
        ("post", "resets", {"topic": "orders", "to": {"offset": -1}}, 400, "Expected"),
        ("post", "resets", {"topic": "orders", "to": {"offset": 1, "timestamp_ms": 1}}, 400, "Expected"),
        ("post", "resets", {"topic": "orders", "to": None}, 400, "to"),
        ("post", "resets", {"topic": "strange", "to": "latest"}, 404, "does not copy a topic strange"),
        ("post", "resets", {"topic": "orders", "partition": 3, "to": "latest"}, 404, "it has 0 to 2"),
        ("delete", "resets/nonsense", None, 404, "no reset nonsense"),
    ],
)
def test_nonsense_is_refused_by_name(
    operator: APIClient,
    one_flow: str,
    live_redis: redis.Redis,
    verb: str,
    path: str,
    body: Any,
    status: int,
    text: str,
) -> None:
    put(live_redis, live.plan_document(*_PAIR, at_ms()))

    answer = getattr(operator, verb)(f"{_FLOW}/{path}", body, format="json")

    assert answer.status_code == status
    assert text in answer.json()["detail"]


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("get", "throttle", None),
        ("put", "throttle", {"bytes_per_second": 1}),
        ("delete", "throttle", None),
        ("get", "holds", None),
        ("post", "holds", {"topic": "orders"}),
        ("delete", "holds/1", None),
        ("get", "resets", None),
        ("post", "resets", {"topic": "orders", "partition": 0, "to": "latest"}),
        ("delete", "resets/x", None),
    ],
)
def test_a_flow_that_does_not_exist_is_named(
    operator: APIClient, viewer: APIClient, one_flow: str, verb: str, path: str, body: Any
) -> None:
    answer = getattr(operator, verb)(f"{_NOWHERE}/{path}", body, format="json")

    assert answer.status_code == 404
    assert "us-east->nowhere" in answer.json()["detail"]
    if verb != "get":
        assert getattr(viewer, verb)(f"{_FLOW}/{path}", body, format="json").status_code == 403


def test_all_partitions_of_a_flow_without_a_plan_cannot_be_reset(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    answer = operator.post(f"{_FLOW}/resets", {"topic": "orders", "to": "latest"}, format="json")

    assert answer.status_code == 409
    assert "no driver for eu-central has planned it" in answer.json()["detail"]


def test_a_flow_that_is_switched_off_cannot_be_reset(operator: APIClient) -> None:
    config_import(configured(flow_definition(*_PAIR, enabled=False)))

    answer = operator.post(f"{_FLOW}/resets", {"topic": "orders", "partition": 0, "to": "latest"}, format="json")

    assert answer.status_code == 409
    assert "is disabled" in answer.json()["detail"]


def test_a_topic_the_flow_skips_is_refused_with_the_reason(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    key, text = live.plan_document(*_PAIR, at_ms())
    reason = '"skipped": [{"topic": "looping", "reason": "it came from eu-central"}]'
    put(live_redis, (key, text.replace('"skipped": []', reason)))

    answer = operator.post(f"{_FLOW}/holds", {"topic": "looping"}, format="json")

    assert answer.status_code == 404
    assert answer.json()["detail"].endswith("does not copy a topic looping: it came from eu-central.")
