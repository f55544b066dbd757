"""Orders while something is away: the process that took them, Redis, the drivers, or the flow itself."""

import time
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.utils import timezone
from rest_framework.test import APIClient

from replication.domain.desired.desired_document import DesiredFlow, desired_from_json
from srm_service.flows import bulk_actions, services
from srm_service.flows.jobs import note_orders, publish_desired
from srm_service.flows.models import Flow, FlowAction
from srm_service.monitoring.flows.live_state import forget_snapshot
from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH, at_ms, configured, flow_definition, put
from tests.support.configuration import config_import
from tests.support.drivers import live_documents as live

pytestmark = [BOTH, pytest.mark.redis]

_PAIR = ("us-east", "eu-central")
_FLOW = "/api/v2/replications/us-east/eu-central"
_NO_REDIS = "redis://127.0.0.1:1/0"
_FLOWS = 200
_MOST_S = 20.0  # a request's time limit is longer; on an idle machine it takes a tenth


@pytest.fixture
def running(one_flow: str, live_redis: redis.Redis) -> redis.Redis:
    put(live_redis, live.plan_document(*_PAIR, at_ms(), slots=1))
    put(live_redis, live.driver("driver-1", "data", at_ms()))
    _report(live_redis, applied_revision=0)
    return live_redis


def _report(client: redis.Redis, **changes: Any) -> None:
    put(client, live.source_task(*_PAIR, at_ms(), 0, **changes))


def _order(client: APIClient, verb: str, **body: Any) -> int:
    response = client.post(f"{_FLOW}/actions", {"action": verb, "reason": "upgrade", **body}, format="json")
    assert response.status_code == 200, response.content
    return int(response.json()["id"])


def _row(client: APIClient, number: int) -> dict[str, Any]:
    row: dict[str, Any] = client.get(f"{_FLOW}/actions/{number}").json()
    return row


def _published(client: redis.Redis) -> DesiredFlow:
    document, _ = desired_from_json(str(client.get("srm:desired:eu-central")))
    return document.flows[0]


def test_an_order_whose_process_died_after_the_commit_is_published_and_its_outcome_becomes_known(
    operator: APIClient, running: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as killed:
        killed.setattr(services, "publish_quietly", lambda targets: None)
        number = _order(operator, "pause", scope={"topic": "orders"})
    lost = _row(operator, number)

    publish_desired()  # the maintenance worker, or the next process
    found = _row(operator, number)
    _report(running, applied_revision=found["revision"])
    note_orders()

    assert (lost["state"], lost["revision"]) == ("ordered", None)
    assert [hold.topic for hold in _published(running).holds] == ["orders"]
    assert (_row(operator, number)["outcome"], len(_row(operator, number)["applied_by"])) == ("applied", 1)


def test_an_order_that_ends_while_redis_is_away_expires_and_reaches_no_driver(
    operator: APIClient, running: redis.Redis, settings: Any
) -> None:
    url, settings.SRM_REDIS_URL = settings.SRM_REDIS_URL, _NO_REDIS
    forget_snapshot()
    number = _order(operator, "pause", until_ms=at_ms() + 60_000)
    restart = _order(operator, "restart", until_ms=at_ms() + 60_000)
    note_orders()
    waiting = [_row(operator, each)["outcome"] for each in (number, restart)]
    over = timezone.now() - timedelta(seconds=1)
    FlowAction.objects.update(until=over)
    Flow.objects.update(pause_until=over)
    note_orders()

    settings.SRM_REDIS_URL = url
    forget_snapshot()
    publish_desired()
    note_orders()

    assert waiting == ["waiting", "waiting"]
    assert [_row(operator, each)["outcome"] for each in (number, restart)] == ["expired", "expired"]
    flow = _published(running)
    assert (flow.state, flow.restarts) == ("run", ())


def test_an_order_that_ends_while_no_driver_reports_expires(operator: APIClient, running: redis.Redis) -> None:
    number = _order(operator, "restart", until_ms=at_ms() + 60_000)
    for key in running.scan_iter("srm:live:*"):
        running.delete(key)
    forget_snapshot()
    note_orders()
    before = _row(operator, number)["outcome"]
    FlowAction.objects.update(until=timezone.now() - timedelta(seconds=1))
    note_orders()

    assert (before, _row(operator, number)["outcome"]) == ("waiting", "expired")


def test_orders_of_a_flow_that_is_deleted_meanwhile_end_with_it(
    operator: APIClient, admin: APIClient, running: redis.Redis
) -> None:
    number = _order(operator, "restart")
    assert admin.delete(_FLOW).status_code == 204
    publish_desired()

    assert note_orders() == 0
    assert operator.get(f"{_FLOW}/actions/{number}").status_code == 404
    late = operator.post(f"{_FLOW}/actions", {"action": "pause", "reason": "late"}, format="json")
    assert (late.status_code, "no replication us-east->eu-central" in late.json()["detail"]) == (404, True)
    assert operator.get("/api/v2/orders").json()["items"] == []
    assert TrailEntry.objects.filter(action="flow.restart", subject="us-east->eu-central").count() == 1


@pytest.mark.large
def test_two_hundred_flows_are_paused_by_one_request_each_with_its_result_and_order(
    operator: APIClient, live_redis: redis.Redis, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_import(configured(*(flow_definition(f"shop-{number}", "eu-central") for number in range(_FLOWS))))
    Flow.objects.filter(source__alias="shop-7").update(enabled=False)
    published: list[list[str]] = []
    monkeypatch.setattr(bulk_actions, "publish_quietly", lambda targets: published.append(list(targets)))
    body = {"action": "pause", "reason": "maintenance", "filter": {"target": "eu-central"}}

    began_s = time.monotonic()
    answer = operator.post("/api/v2/replications/actions", body, format="json").json()
    took_s = time.monotonic() - began_s
    publish_desired()

    assert (answer["done"], answer["refused"], len(answer["results"])) == (_FLOWS - 1, 1, _FLOWS)
    orders = {each["source"]: each["order"] for each in answer["results"]}
    assert [source for source, order in orders.items() if order is None] == ["shop-7"]
    assert len(set(orders.values())) == _FLOWS
    assert published == [["eu-central"]], "the target's document is published once"
    document, _ = desired_from_json(str(live_redis.get("srm:desired:eu-central")))
    assert sum(flow.state == "pause" for flow in document.flows) == _FLOWS - 1
    assert took_s <= _MOST_S


def test_an_order_whose_flow_a_driver_cannot_use_is_refused_with_the_reason_until_it_can(
    operator: APIClient, running: redis.Redis
) -> None:
    hold, other = _order(operator, "pause", scope={"topic": "orders"}), _order(operator, "restart")
    publish_desired()
    revision = _row(operator, hold)["revision"]
    parts = [
        {"path": "flows[0].tasks_max", "error": "expected at least 1, got 0", "source": "us-east"},
        {"path": "flows[1].state", "error": "of another flow", "source": "us-west"},
    ]
    _report(running, applied_revision=revision, rejected=parts)
    note_orders()
    refused = _row(operator, hold)
    listed = operator.get("/api/v2/orders", {"outcome": "refused"}).json()["items"]
    still_published = _published(running).restarts
    _report(running, applied_revision=revision, rejected=parts[1:], done_restarts=[still_published[0].id])
    note_orders()
    applied = _row(operator, hold)

    reason = "driver driver-1 cannot use flows[0].tasks_max: expected at least 1, got 0"
    assert (refused["outcome"], refused["state"], refused["refusal"]) == ("refused", "refused", reason)
    assert {each["id"] for each in listed} == {hold, other}
    assert (applied["outcome"], applied["refusal"]) == ("applied", "")
    assert _row(operator, other)["outcome"] == "applied"


def test_a_refused_order_is_overtaken_by_a_later_one_and_expires_with_its_end(
    operator: APIClient, running: redis.Redis
) -> None:
    hold = _order(operator, "pause", scope={"topic": "orders"})
    restart = _order(operator, "restart", until_ms=at_ms() + 60_000)
    publish_desired()
    part = {"path": "flows[0].tasks_max", "error": "expected at least 1, got 0", "source": "us-east"}
    _report(running, applied_revision=_row(operator, restart)["revision"], rejected=[part])
    note_orders()
    before = [_row(operator, each)["outcome"] for each in (hold, restart)]

    _order(operator, "resume", scope={"topic": "orders"})
    FlowAction.objects.filter(pk=restart).update(until=timezone.now() - timedelta(seconds=1))
    note_orders()

    assert before == ["refused", "refused"]
    assert [_row(operator, each)["outcome"] for each in (hold, restart)] == ["overtaken", "expired"]
