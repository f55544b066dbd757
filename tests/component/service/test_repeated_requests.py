"""Changes that are sent twice or on an old state: idempotency keys, ETags, and orders that can be followed."""

from datetime import timedelta
from typing import Any

import pytest
import redis
from django.utils import timezone
from rest_framework.test import APIClient

from srm_service.core.api.idempotency import KEPT_FOR
from srm_service.core.jobs import prune_sessions
from srm_service.core.models import KeptAnswer
from srm_service.flows.actions import ACTIONS_KEPT
from srm_service.flows.jobs import publish_desired
from srm_service.flows.models import FlowAction, FlowReset
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live
from tests.support.rest.world import World

pytestmark = [BOTH, pytest.mark.redis]
_COMMITS = pytest.mark.django_db(databases=["default", "metrics"], transaction=True)

_FLOW = "/api/v2/replications/us-east/eu-central"
_RESET = {"topic": "orders", "partition": 0, "to": "earliest"}


def _reset(client: APIClient, key: str, **changes: Any) -> Any:
    headers = {"Idempotency-Key": key}
    return client.post(f"{_FLOW}/resets", {**_RESET, **changes}, format="json", headers=headers)


def test_a_repeated_post_gets_the_first_answer_and_changes_nothing(operator: APIClient, one_flow: str) -> None:
    first, second = _reset(operator, "key-1"), _reset(operator, "key-1")

    assert (first.status_code, second.status_code) == (202, 202)
    assert second.json() == first.json()
    assert ("Idempotent-Replayed" in first, second["Idempotent-Replayed"]) == (False, "true")
    assert FlowReset.objects.count() == 1


def test_a_key_of_another_request_is_refused(operator: APIClient, one_flow: str) -> None:
    _reset(operator, "key-1")

    other = _reset(operator, "key-1", partition=1)

    assert (other.status_code, other["Content-Type"]) == (422, "application/problem+json")
    assert "use a new key" in other.json()["detail"]
    assert FlowReset.objects.count() == 1


def test_a_key_belongs_to_the_caller(operator: APIClient, person: Any, one_flow: str) -> None:
    _reset(operator, "key-1")

    assert _reset(person("admin"), "key-1").json()["items"][0]["requested_by"] == "somebody-admin"


def test_a_refused_request_may_be_sent_again(operator: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    refused = _reset(operator, "key-1", partition=None)
    put(live_redis, live.plan_document("us-east", "eu-central", at_ms()))

    assert refused.status_code == 409
    assert _reset(operator, "key-1", partition=None).status_code == 202


def test_an_expired_answer_is_forgotten(operator: APIClient, one_flow: str) -> None:
    _reset(operator, "key-1")
    KeptAnswer.objects.update(expires_at=timezone.now())

    again = _reset(operator, "key-1")
    KeptAnswer.objects.update(expires_at=timezone.now())
    prune_sessions()

    assert "Idempotent-Replayed" not in again
    assert FlowReset.objects.count() == 2
    assert not KeptAnswer.objects.exists()
    assert timedelta(hours=1) < KEPT_FOR


@pytest.mark.parametrize("key", ["", "a b", "x" * 101, "ä"])
def test_a_key_that_is_none_is_refused(operator: APIClient, one_flow: str, key: str) -> None:
    assert _reset(operator, key).status_code == 400


@_COMMITS
def test_a_repeated_post_publishes_once(operator: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    pause = {"action": "pause", "reason": "repair"}
    answers = [
        operator.post(f"{_FLOW}/actions", pause, format="json", headers={"Idempotency-Key": "k"}).json()
        for _ in range(2)
    ]

    assert answers[0] == answers[1]
    assert FlowAction.objects.count() == 1
    assert FlowAction.objects.get().revision == 1


def test_the_second_of_two_people_gets_412_and_the_difference(operator: APIClient, one_flow: str) -> None:
    read = operator.get(f"{_FLOW}/throttle")
    seen = {"If-Match": read["ETag"]}
    first = operator.put(f"{_FLOW}/throttle", {"bytes_per_second": 5}, format="json", headers=seen)

    second = operator.put(f"{_FLOW}/throttle", {"bytes_per_second": 9}, format="json", headers=seen)

    assert (first.status_code, second.status_code) == (200, 412)
    assert second.json()["diff"] == [{"field": "bytes_per_second", "yours": 9, "current": 5}]
    assert second["ETag"] == first["ETag"] == operator.get(f"{_FLOW}/throttle")["ETag"]


@pytest.mark.parametrize(
    ("header", "status"),
    [("*", 200), ("W/{}", 200), ('"other", {}', 200), ('"other"', 412), ("other", 400), ('"a" b', 400)],
)
def test_if_match_accepts_what_http_says(operator: APIClient, one_flow: str, header: str, status: int) -> None:
    etag = operator.get(f"{_FLOW}/throttle")["ETag"]

    answer = operator.delete(f"{_FLOW}/throttle", headers={"If-Match": header.format(etag)})

    assert answer.status_code == status


@_COMMITS
def test_an_action_is_followed_until_every_task_has_applied_it(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    flow = ("us-east", "eu-central")
    ordered = operator.post(f"{_FLOW}/actions", {"action": "pause", "reason": "repair"}, format="json").json()
    states = []
    for applied in ((None, 0), (1, 0), (1, 1), (7, 2)):
        tasks = [live.source_task(*flow, at_ms(), slot, applied_revision=each) for slot, each in enumerate(applied)]
        put(live_redis, *tasks)
        states.append(operator.get(f"{_FLOW}/actions/{ordered['id']}").json()["state"])

    assert (ordered["revision"], ordered["state"], ordered["changed"]) == (1, "published", True)
    assert states == ["published", "published", "applied", "applied"]


@_COMMITS
def test_an_action_is_ordered_until_redis_has_it(operator: APIClient, one_flow: str, settings: Any) -> None:
    settings.SRM_REDIS_URL = "redis://127.0.0.1:1/0"

    answer = operator.post(f"{_FLOW}/actions", {"action": "pause", "reason": "repair"}, format="json").json()

    assert (answer["revision"], answer["state"]) == (None, "ordered")


def test_every_order_is_listed_newest_first_and_forgotten_after_a_month(operator: APIClient, world: World) -> None:
    events = [item["event"] for item in operator.get(f"{_FLOW}/actions").json()["items"]]
    FlowAction.objects.filter(event="flow.hold").update(ordered_at=timezone.now() - ACTIONS_KEPT)
    publish_desired()

    assert events == ["flow.reset", "flow.hold", "flow.hold", "flow.hold", "flow.throttle"]
    assert [item["event"] for item in operator.get(f"{_FLOW}/actions").json()["items"]] == [events[0], events[-1]]


def test_nothing_is_ordered_by_a_dry_run_or_by_what_is_so_already(operator: APIClient, one_flow: str) -> None:
    dry = operator.post(f"{_FLOW}/actions", {"action": "pause", "reason": "r", "dry_run": True}, format="json").json()
    same = operator.post(f"{_FLOW}/actions", {"action": "resume", "reason": "r"}, format="json").json()

    assert (dry["id"], same["id"]) == (None, None)
    assert not FlowAction.objects.exists()
