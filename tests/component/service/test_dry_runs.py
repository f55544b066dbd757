"""Dry runs of orders: they say what they would touch, and store nothing."""

from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from srm_service.flows.models import Flow, FlowAction, FlowHold, FlowReset
from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles

pytestmark = [BOTH, pytest.mark.redis]

_PAIR = ("us-east", "eu-central")
_FLOW = "/api/v2/replications/us-east/eu-central"
_PAUSE = {"action": "pause", "reason": "upgrade"}
_ALL = {"flows": 1, "topics": 2, "partitions": 4, "slots": 2}
_UNKNOWN = {"flows": 1, "topics": None, "partitions": None, "slots": None}
_NOTHING = {"flows": 0, "topics": 0, "partitions": 0, "slots": 0}


@pytest.fixture
def running(one_flow: str, live_redis: redis.Redis) -> str:
    """A flow with a plan of two slots, one of them empty, and a task that reports."""
    put(live_redis, live.plan_document(*_PAIR, at_ms(), slots=2))
    put(live_redis, live.source_task(*_PAIR, at_ms()))
    return one_flow


def _stored() -> tuple[Any, ...]:
    """Everything that an order stores."""
    flow = Flow.objects.get(source__alias="us-east", target__alias="eu-central")
    holds = tuple(FlowHold.objects.order_by("pk").values_list("pk", "partition", "reason"))
    orders = (FlowAction.objects.count(), FlowReset.objects.count(), TrailEntry.objects.count())
    return flow.state, flow.pause_reason, flow.throttle_bytes_per_second, holds, orders


def _answer(response: Any) -> dict[str, Any]:
    assert response.status_code == 200, response.content
    answer: dict[str, Any] = response.json()
    assert answer["dry_run"] is True
    return answer


def _post(client: APIClient, path: str, **body: Any) -> dict[str, Any]:
    return _answer(client.post(f"{_FLOW}/{path}", {**body, "dry_run": True}, format="json"))


def _hold(client: APIClient, **body: Any) -> int:
    response = client.post(f"{_FLOW}/holds", {"topic": "orders", **body}, format="json")
    assert response.status_code == 201, response.content
    return int(response.json()["id"])


def test_no_dry_run_stores_anything(operator: APIClient, running: str) -> None:
    number = _hold(operator, partition=1)
    before = _stored()

    _post(operator, "actions", **_PAUSE)
    _post(operator, "holds", topic="payments")
    _post(operator, "resets", topic="orders", to="latest")
    _answer(operator.put(f"{_FLOW}/throttle", {"bytes_per_second": 5, "dry_run": True}, format="json"))
    _answer(operator.delete(f"{_FLOW}/holds/{number}?dry_run=true"))
    operator.post("/api/v2/replications/actions", {**_PAUSE, "filter": {"q": "->"}, "dry_run": True}, format="json")

    assert _stored() == before


def test_a_pause_touches_the_whole_plan(operator: APIClient, running: str) -> None:
    answer = _post(operator, "actions", **_PAUSE)

    assert answer["touches"] == _ALL
    assert answer["text"] == "With this order, us-east->eu-central stops copying and keeps its position"


def test_what_changes_nothing_touches_nothing(operator: APIClient, running: str) -> None:
    resumed = _post(operator, "actions", action="resume", reason="r")
    removed = _answer(operator.delete(f"{_FLOW}/throttle?dry_run=true"))

    assert (resumed["touches"], removed["touches"], removed["changed"]) == (_NOTHING, _NOTHING, False)


def test_without_a_plan_the_numbers_are_unknown(operator: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    paused = _post(operator, "actions", **_PAUSE)
    held = _post(operator, "holds", topic="orders")
    partition = _post(operator, "holds", topic="orders", partition=7)

    assert paused["touches"] == _UNKNOWN
    assert "no driver for eu-central has planned us-east->eu-central" in paused["text"]
    assert held["touches"] == {**_UNKNOWN, "topics": 1}
    assert partition["touches"] == {**_UNKNOWN, "topics": 1, "partitions": 1}


def test_without_redis_the_numbers_are_unknown(operator: APIClient, one_flow: str, settings: Any) -> None:
    settings.SRM_REDIS_URL = ""

    answer = _post(operator, "holds", topic="orders")

    assert answer["touches"] == {**_UNKNOWN, "topics": 1}
    assert answer["text"][1] == "Redis does not answer: the plan of us-east->eu-central is unknown"


@pytest.mark.parametrize(("partition", "partitions"), [(None, 3), (2, 1)])
def test_a_hold_touches_its_partitions(
    operator: APIClient, running: str, partition: int | None, partitions: int
) -> None:
    answer = _post(operator, "holds", topic="orders", partition=partition, until_ms=4_000_000_000_000)

    place = "orders" if partition is None else "partition 2 of orders"
    assert answer["touches"] == {"flows": 1, "topics": 1, "partitions": partitions, "slots": 1}
    assert answer["text"] == [f"{place} of us-east->eu-central would be paused until 2096-10-02T07:06:40+00:00"]


def test_a_hold_names_the_holds_that_it_meets(operator: APIClient, running: str) -> None:
    whole, one = _hold(operator), _hold(operator, partition=1)

    answer = _post(operator, "holds", topic="orders", partition=1)

    assert answer["text"][1:] == [
        f"hold {one} would get this end and reason",
        f"hold {whole} pauses the whole topic already",
    ]


def test_a_hold_of_a_topic_that_is_not_copied_is_refused(operator: APIClient, running: str) -> None:
    response = operator.post(f"{_FLOW}/holds", {"topic": "orderz", "dry_run": True}, format="json")

    assert response.status_code == 404


def test_a_release_names_the_holds_that_remain(operator: APIClient, running: str) -> None:
    whole, one = _hold(operator), _hold(operator, partition=1)

    of_topic = _answer(operator.delete(f"{_FLOW}/holds/{whole}?dry_run=true"))
    of_partition = _answer(operator.delete(f"{_FLOW}/holds/{one}?dry_run=true"))

    assert (of_topic["id"], of_topic["touches"]["partitions"]) == (whole, 3)
    assert of_topic["text"][1:] == [f"hold {one} still pauses partition 1 of orders"]
    assert of_partition["touches"] == {"flows": 1, "topics": 1, "partitions": 1, "slots": 1}
    assert of_partition["text"][1:] == [f"hold {whole} still pauses orders"]


def test_a_release_of_a_topic_that_left_the_plan_touches_only_the_flow(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    number = _hold(operator, topic="gone")
    put(live_redis, live.plan_document(*_PAIR, at_ms()))

    answer = _answer(operator.delete(f"{_FLOW}/holds/{number}?dry_run=true"))

    assert answer["touches"] == {**_NOTHING, "flows": 1}


def test_an_unknown_hold_is_not_found(operator: APIClient, running: str) -> None:
    assert operator.delete(f"{_FLOW}/holds/4711?dry_run=true").status_code == 404


def test_a_throttle_names_its_rate_and_keeps_its_tag(operator: APIClient, running: str) -> None:
    tag = operator.get(f"{_FLOW}/throttle")["ETag"]

    response = operator.put(f"{_FLOW}/throttle", {"bytes_per_second": 5000, "dry_run": True}, format="json")

    answer = _answer(response)
    assert (answer["touches"], answer["changed"], answer["order"]["id"]) == (_ALL, True, None)
    assert answer["text"] == [
        "us-east->eu-central would change: it reads at most 5,000 bytes per second, shared by 2 slot(s)"
    ]
    assert response["ETag"] == tag


def test_a_dry_run_on_an_old_version_is_refused(operator: APIClient, running: str) -> None:
    body = {"bytes_per_second": 5, "dry_run": True}

    response = operator.put(f"{_FLOW}/throttle", body, format="json", headers={"If-Match": '"old"'})

    assert response.status_code == 412


@pytest.mark.parametrize(
    ("state", "text"),
    [
        ({"enabled": False}, "is disabled: the order takes effect when it is enabled"),
        ({"state": "pause"}, "is paused: the order takes effect when it resumes"),
    ],
)
def test_what_delays_an_order_is_named(operator: APIClient, running: str, state: dict[str, Any], text: str) -> None:
    Flow.objects.update(**state)

    assert _post(operator, "holds", topic="orders")["text"][1:] == [f"us-east->eu-central {text}"]


def test_a_flow_without_tasks_is_named(operator: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    put(live_redis, live.plan_document(*_PAIR, at_ms()))

    assert "no task of us-east->eu-central reports" in _post(operator, "actions", **_PAUSE)["text"]


@pytest.mark.parametrize(
    ("action", "touches"), [("pause", _ALL), ("resume", _NOTHING), ("disable", _ALL), ("enable", _NOTHING)]
)
def test_many_flows_are_summed(operator: APIClient, running: str, action: str, touches: dict[str, int]) -> None:
    body = {"action": action, "reason": "r", "filter": {"q": "->"}, "dry_run": True}

    answer = _answer(operator.post("/api/v2/replications/actions", body, format="json"))

    assert answer["touches"] == touches


def _switch_text(client: APIClient, action: str) -> str:
    body = {"action": action, "reason": "r", "filter": {"q": "->"}, "dry_run": True}
    answer = _answer(client.post("/api/v2/replications/actions", body, format="json"))
    return str(answer["results"][0]["text"])


def test_disabling_says_which_tasks_end_and_enabling_what_begins(
    operator: APIClient, running: str, live_redis: redis.Redis
) -> None:
    put(live_redis, live.heartbeat_task(*_PAIR, at_ms()))
    before = _stored()

    disabling = _switch_text(operator, "disable")
    Flow.objects.update(enabled=False, tasks_max=4, state="pause")
    enabling = _switch_text(operator, "enable")

    assert disabling == (
        "With this order, us-east->eu-central ends 1 source task; its heartbeats continue; "
        "its positions, settings, pauses and throttles are kept"
    )
    assert enabling == (
        "With this order, us-east->eu-central starts at its positions with at most 4 source tasks; "
        "us-east->eu-central is paused: it copies when it is resumed"
    )
    assert _stored()[3:] == before[3:]


def test_deleting_says_what_ends_and_what_is_kept_and_deletes_nothing(operator: APIClient, running: str) -> None:
    before = _stored()

    answer = _answer(operator.delete(f"{_FLOW}?dry_run=true"))
    stale = operator.delete(f"{_FLOW}?dry_run=true", headers={"If-Match": '"old"'})

    assert answer["touches"] == _ALL
    assert answer["text"] == [
        "With this order, us-east->eu-central ends 1 source task",
        "its settings, description, orders and resets are removed",
        "its remote topics, their records and its positions in eu-central are kept",
    ]
    assert stale.status_code == 412
    assert _stored() == before


def test_the_topics_of_a_disabled_flow_are_unknown(operator: APIClient, running: str) -> None:
    Flow.objects.update(enabled=False)
    body = {"action": "enable", "reason": "r", "filter": {"q": "->"}, "dry_run": True}

    answer = _answer(operator.post("/api/v2/replications/actions", body, format="json"))

    assert answer["touches"] == _UNKNOWN


def test_an_order_itself_has_no_fields_of_a_dry_run(operator: APIClient, running: str) -> None:
    thrown = operator.put(f"{_FLOW}/throttle", {"bytes_per_second": 5}, format="json").json()
    released = operator.delete(f"{_FLOW}/holds/{_hold(operator)}").json()
    paused = operator.post(f"{_FLOW}/actions", _PAUSE, format="json").json()

    assert {"touches", "dry_run"}.isdisjoint(thrown | released)
    assert ("touches" in paused, paused["dry_run"]) == (False, False)


def _report(partition: int, copied_to: int, source_end: int) -> None:
    number = tiles.series(*_PAIR, "orders", partition)
    tiles.now_row(number, at_ms(), covered_to=copied_to, log_end=source_end)


def test_a_reset_beyond_the_end_says_where_it_would_continue(operator: APIClient, running: str) -> None:
    for partition in range(3):
        _report(partition, 100, 110 + partition)

    answer = _post(operator, "resets", topic="orders", to={"offset": 112})

    assert "2 partition(s) end before the offset, and would continue at their end" in answer["text"]


def test_a_reset_says_what_it_would_skip(operator: APIClient, running: str) -> None:
    for partition in range(3):
        _report(partition, 100, 110 + partition)

    answer = _post(operator, "resets", topic="orders", to="latest")

    assert answer["touches"] == {"flows": 1, "topics": 1, "partitions": 3, "slots": 1}
    assert (answer["again"], answer["skipped"]) == ({"records": 0, "bytes": 0}, {"records": 33, "bytes": 3_300})
    assert [(row["copied_to"], row["skipped"]["records"]) for row in answer["partitions"]] == [
        (100, 10),
        (100, 11),
        (100, 12),
    ]
    assert answer["text"] == [
        "3 partition(s) of orders in us-east->eu-central would continue elsewhere",
        "no record would be copied again",
        "at most 33 record(s), about 3,300 bytes, would be skipped",
    ]


def test_a_reset_of_one_partition_says_what_it_would_copy_again(operator: APIClient, running: str) -> None:
    _report(1, 100, 110)

    answer = _post(operator, "resets", topic="orders", partition=1, to={"offset": 40})

    assert [row["partition"] for row in answer["partitions"]] == [1]
    assert answer["again"] == {"records": 60, "bytes": 6_000}
    assert answer["skipped"] == {"records": 0, "bytes": 0}


def test_without_reports_the_records_of_a_reset_are_unknown(operator: APIClient, running: str) -> None:
    _report(0, 100, 110)

    answer = _post(operator, "resets", topic="orders", to="earliest")

    assert answer["again"] == {"records": None, "bytes": None}
    assert [row["again"]["records"] for row in answer["partitions"]] == [100, None, None]
    assert "the number of records that would be copied again is unknown" in answer["text"]


@pytest.mark.parametrize(("topic", "enabled", "status"), [("orderz", True, 404), ("orders", False, 409)])
def test_a_dry_run_of_a_reset_is_refused_like_the_reset(
    operator: APIClient, running: str, topic: str, enabled: bool, status: int
) -> None:
    Flow.objects.update(enabled=enabled)

    answers = [
        operator.post(f"{_FLOW}/resets", {"topic": topic, "to": "latest", "dry_run": dry_run}, format="json")
        for dry_run in (True, False)
    ]

    assert [answer.status_code for answer in answers] == [status, status]
    assert answers[0].json()["detail"] == answers[1].json()["detail"]


def test_viewers_may_not_try(viewer: APIClient, running: str) -> None:
    assert viewer.post(f"{_FLOW}/holds", {"topic": "orders", "dry_run": True}, format="json").status_code == 403
