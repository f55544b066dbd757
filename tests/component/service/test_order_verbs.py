"""Orders by verb and scope: from REST to the desired document, and back as an outcome in their rows."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.utils import timezone
from rest_framework.test import APIClient

from replication.domain.desired.desired_document import DesiredFlow, desired_from_json
from srm_service.flows.jobs import note_orders, publish_desired
from srm_service.flows.models import Flow, FlowAction, FlowHold, FlowStop, FlowThrottle
from srm_service.monitoring.flows.live_state import forget_snapshot
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
    """A flow with a plan of two slots, and a driver whose tasks report revision 0."""
    put(live_redis, live.plan_document(*_PAIR, at_ms(), slots=2))
    put(live_redis, live.driver("driver-1", "data", at_ms()))
    _report(live_redis, applied_revision=0)
    return live_redis


def _report(client: redis.Redis, **changes: Any) -> None:
    for slot in (0, 1):
        put(client, live.source_task(*_PAIR, at_ms(), slot, **changes))


def _order(client: APIClient, verb: str, *, status: int = 200, **body: Any) -> dict[str, Any]:
    response = client.post(f"{_FLOW}/actions", {"action": verb, "reason": "upgrade", **body}, format="json")
    assert response.status_code == status, response.content
    answer: dict[str, Any] = response.json()
    return answer


def _row(client: APIClient, number: int) -> dict[str, Any]:
    row: dict[str, Any] = client.get(f"{_FLOW}/actions/{number}").json()
    return row


def _published(client: redis.Redis) -> DesiredFlow:
    publish_desired()
    document, rejected = desired_from_json(str(client.get("srm:desired:eu-central")))
    assert rejected == ()
    return document.flows[0]


@pytest.mark.parametrize("scope", [_TOPIC, _PARTITION])
@pytest.mark.parametrize(("halt", "proceed", "field"), [("pause", "resume", "holds"), ("stop", "start", "stops")])
def test_a_topic_or_partition_is_paused_or_stopped_and_continues(
    operator: APIClient, running: redis.Redis, scope: dict[str, Any], halt: str, proceed: str, field: str
) -> None:
    until_ms = at_ms() + 60_000
    halted = _order(operator, halt, scope=scope, until_ms=until_ms)
    inside = getattr(_published(running), field)
    proceeded = _order(operator, proceed, scope=scope)
    again = _order(operator, proceed, scope=scope)

    assert [(each.topic, each.partition, each.until_ms) for each in inside] == [
        ("orders", scope.get("partition"), until_ms)
    ]
    assert (halted["changed"], proceeded["changed"], again["changed"], again["id"]) == (True, True, False, None)
    assert getattr(_published(running), field) == ()
    row = _row(operator, halted["id"])
    assert (row["topic"], row["partition"], row["until_ms"], row["reason"], row["ordered_by"]) == (
        "orders",
        scope.get("partition"),
        until_ms,
        "upgrade",
        "somebody-operator",
    )


def test_a_partition_of_a_topic_that_is_halted_as_a_whole_does_not_continue_alone(
    operator: APIClient, running: redis.Redis
) -> None:
    _order(operator, "pause", scope=_TOPIC)
    _order(operator, "stop", scope=_TOPIC)

    resumed = _order(operator, "resume", scope=_PARTITION, status=409)
    started = _order(operator, "start", scope=_PARTITION, status=409)

    assert "resume the topic, not one partition" in resumed["detail"]
    assert "start the topic, not one partition" in started["detail"]


def test_stops_of_topics_are_listed_until_they_end(operator: APIClient, running: redis.Redis) -> None:
    _order(operator, "stop", scope=_PARTITION)
    _order(operator, "stop", scope=_TOPIC, until_ms=at_ms() + 60_000)
    both = operator.get(f"{_FLOW}/stops").json()["items"]
    FlowStop.objects.filter(partition=None).update(until=timezone.now())

    (left,) = operator.get(f"{_FLOW}/stops").json()["items"]

    assert [(stop["topic"], stop["partition"]) for stop in both] == [("orders", None), ("orders", 1)]
    assert (left["partition"], left["reason"], left["stopped_by"]) == (1, "upgrade", "somebody-operator")


def test_a_flow_stops_and_starts_and_neither_is_a_pause(operator: APIClient, running: redis.Redis) -> None:
    _order(operator, "stop")
    stopped = _published(running).state
    shown = operator.get(_FLOW).json()
    resumed = _order(operator, "resume", status=409)
    _order(operator, "start")

    assert (stopped, _published(running).state) == ("stop", "run")
    assert (shown["ordered_state"], shown["status"], shown["reason"]) == (
        "stop",
        "paused",
        "Stopped by somebody-operator: upgrade.",
    )
    assert resumed["detail"] == "us-east->eu-central is stopped, not paused: start it."


@pytest.mark.parametrize("verb", ["stop", "pause"])
def test_a_stop_or_pause_is_applied_when_no_task_reports_and_a_driver_does(
    operator: APIClient, running: redis.Redis, verb: str
) -> None:
    stop = _order(operator, verb)
    publish_desired()
    note_orders()
    while_running = _row(operator, stop["id"])["outcome"]
    for key in running.scan_iter("srm:live:*"):
        running.delete(key)
    forget_snapshot()
    note_orders()

    assert while_running == "waiting"
    assert _row(operator, stop["id"])["outcome"] == "applied"


def test_disabling_is_an_order_that_is_applied_when_only_the_heartbeat_is_left(
    operator: APIClient, running: redis.Redis
) -> None:
    put(running, live.heartbeat_task(*_PAIR, at_ms(), applied_revision=9))
    answer = operator.patch(_FLOW, {"enabled": False, "comment": "retired"}, format="json").json()
    publish_desired()
    note_orders()
    while_running = _row(operator, answer["order"])
    for key in running.scan_iter("srm:live:*source*"):
        running.delete(key)
    forget_snapshot()
    note_orders()

    assert (while_running["event"], while_running["reason"], while_running["state"]) == (
        "flow.disable",
        "retired",
        "published",
    )
    assert _row(operator, answer["order"])["outcome"] == "applied"
    assert operator.patch(_FLOW, {"tasks_max": 3}, format="json").json()["order"] is None


def test_a_restart_is_in_the_document_until_every_slot_has_carried_it_out(
    operator: APIClient, running: redis.Redis
) -> None:
    number = _order(operator, "restart", scope=_PARTITION)["id"]
    (wanted,) = _published(running).restarts
    put(running, live.source_task(*_PAIR, at_ms(), 0, done_restarts=[wanted.id]))
    note_orders()
    halfway = _row(operator, number)
    put(running, live.source_task(*_PAIR, at_ms(), 1, done_restarts=[wanted.id], driver="driver-2"))
    note_orders()
    done = _row(operator, number)

    assert (wanted.topic, wanted.partition, wanted.task) == ("orders", 1, None)
    assert (halfway["outcome"], halfway["state"], halfway["ended_ms"]) == ("waiting", "published", None)
    assert (done["outcome"], done["state"]) == ("applied", "applied")
    assert done["ended_ms"] >= done["ordered_ms"]
    assert done["applied_by"] == [
        {"task": "us-east/source/0", "driver": "driver-1"},
        {"task": "us-east/source/1", "driver": "driver-2"},
    ]
    assert _published(running).restarts == ()


def test_a_restart_of_one_task_waits_for_no_other(operator: APIClient, running: redis.Redis) -> None:
    number = _order(operator, "restart", scope={"task": 1})["id"]
    (wanted,) = _published(running).restarts
    put(running, live.source_task(*_PAIR, at_ms(), 1, done_restarts=[wanted.id]))
    note_orders()

    assert _row(operator, number)["applied_by"] == [{"task": "us-east/source/1", "driver": "driver-1"}]


def test_a_restart_that_is_not_carried_out_by_its_end_is_given_up(operator: APIClient, running: redis.Redis) -> None:
    number = _order(operator, "restart", until_ms=at_ms() + 60_000)["id"]
    FlowAction.objects.filter(pk=number).update(until=timezone.now() - timedelta(seconds=1))
    note_orders()

    assert _row(operator, number)["outcome"] == "expired"
    assert _published(running).restarts == ()


def test_what_a_later_order_replaces_is_overtaken(operator: APIClient, running: redis.Redis) -> None:
    orders = [
        _order(operator, "pause", scope=_TOPIC),
        _order(operator, "pause", scope=_PARTITION),
        _order(operator, "resume", scope=_TOPIC),
    ]

    assert [_row(operator, order["id"])["outcome"] for order in orders] == ["overtaken", "waiting", "waiting"]


def test_a_throttle_ends_by_itself(operator: APIClient, running: redis.Redis) -> None:
    until_ms = at_ms() + 60_000
    number = _order(operator, "throttle", bytes_per_second=5_000, until_ms=until_ms)["id"]
    limited = _published(running)
    Flow.objects.update(throttle_until=timezone.now() - timedelta(seconds=1))

    assert (limited.throttle_bytes_per_second, limited.throttle_until_ms) == (5_000, until_ms)
    assert _row(operator, number)["detail"] == "5000 bytes/s"
    assert _published(running).throttle_bytes_per_second is None
    assert TrailEntry.objects.filter(action="flow.throttle", reason="throttle expired").count() == 1


@pytest.mark.parametrize(
    ("verb", "values", "event", "word"),
    [
        ("pause", {}, "flow.release", "hold"),
        ("stop", {}, "flow.start_topic", "stop"),
        ("throttle", {"bytes_per_second": 5_000}, "flow.throttle", "throttle"),
    ],
)
def test_orders_for_topics_end_by_themselves_and_leave_all_their_values_in_the_trail(
    operator: APIClient, running: redis.Redis, verb: str, values: dict[str, Any], event: str, word: str
) -> None:
    _order(operator, verb, scope=_PARTITION, until_ms=at_ms() + 60_000, **values)
    again = _order(operator, verb, scope=_PARTITION, **values)
    same = _order(operator, verb, scope=_PARTITION, **values)
    for rows in (FlowStop.objects, FlowHold.objects, FlowThrottle.objects):
        rows.update(until=timezone.now() - timedelta(seconds=1))

    flow = _published(running)

    assert (again["changed"], same["changed"]) == (True, False), "another end is a change"
    assert (flow.holds, flow.stops, flow.topic_throttles) == ((), (), ())
    before = TrailEntry.objects.get(action=event, reason=f"{word} expired").before or {}
    assert before.pop("until")
    assert before == {"topic": "orders", "partition": 1, "reason": "upgrade", **values}


def test_an_order_is_applied_by_tasks_that_report_its_revision(operator: APIClient, running: redis.Redis) -> None:
    number = _order(operator, "pause", scope=_TOPIC)["id"]
    publish_desired()
    note_orders()
    before = _row(operator, number)
    _report(running, applied_revision=before["revision"])
    note_orders()
    after = _row(operator, number)
    note_orders()

    assert (before["outcome"], before["state"], before["applied_by"]) == ("waiting", "published", [])
    assert (after["outcome"], len(after["applied_by"])) == ("applied", 2)
    assert _row(operator, number)["ended_ms"] == after["ended_ms"], "an outcome is recorded once"


def test_a_reset_is_an_order_that_is_applied_with_its_last_partition(operator: APIClient, running: redis.Redis) -> None:
    body = {"topic": "orders", "to": "earliest", "reason": "repair"}
    resets = operator.post(f"{_FLOW}/resets", body, format="json").json()["items"]
    ids = [reset["id"] for reset in resets]
    _report(running, done_resets=ids[:2])
    note_orders()
    (halfway,) = operator.get(f"{_FLOW}/actions").json()["items"]
    _report(running, done_resets=ids)
    note_orders()
    (done,) = operator.get(f"{_FLOW}/actions?outcome=applied").json()["items"]

    assert (halfway["event"], halfway["reason"], halfway["detail"]) == ("flow.reset", "repair", "earliest")
    assert (halfway["outcome"], done["outcome"], done["id"]) == ("waiting", "applied", halfway["id"])


@pytest.mark.parametrize(
    ("verb", "body", "status", "words"),
    [
        ("pause", {"scope": {"topic": "orderz"}}, 404, "does not copy a topic orderz"),
        ("restart", {"scope": {"topic": "orders", "partition": 9}}, 404, "partition 9"),
        ("restart", {"scope": {"task": 7}}, 404, "has no source task 7: it has 0 to 1"),
        ("pause", {"scope": {"task": 0}}, 409, "A task can only be restarted"),
        ("throttle", {"scope": {"topic": "orderz"}, "bytes_per_second": 5}, 404, "does not copy a topic orderz"),
        ("throttle", {"scope": _TOPIC, "bytes_per_second": 0}, 400, "bytes_per_second"),
        ("throttle", {"scope": _TOPIC, "bytes_per_second": 5, "until_ms": 1_000}, 400, "is in the past"),
        ("throttle", {"scope": {"task": 0}, "bytes_per_second": 5}, 409, "A task can only be restarted"),
        ("start", {}, 200, "already is in this state"),
        ("pause", {"scope": {"partition": 1}}, 400, "A partition needs its topic"),
        ("restart", {"scope": {"topic": "orders", "task": 0}}, 400, "for a task or for a topic: send one of both"),
        ("pause", {"scope": {"topc": "orders"}}, 400, "topic"),
        ("pause", {"scope": {"topic": "orders", "partition": -1}}, 400, "partition"),
        ("pause", {"scope": "orders"}, 400, "scope"),
        ("resume", {"until_ms": 4_000_000_000_000}, 400, "A resume has no end"),
        ("pause", {"until_ms": 1_000}, 400, "is in the past"),
        ("pause", {"bytes_per_second": 5}, 400, "Only a throttle has a rate"),
        ("throttle", {"bytes_per_second": 0}, 400, "bytes_per_second"),
        ("pause", {"reason": ""}, 400, "reason"),
    ],
)
def test_orders_that_cannot_be_given_say_why_and_are_no_rows(
    operator: APIClient, running: redis.Redis, verb: str, body: dict[str, Any], status: int, words: str
) -> None:
    answer = _order(operator, verb, status=status, **body)

    assert words in str(answer)
    assert not FlowAction.objects.exists()


def test_nothing_is_restarted_in_a_flow_without_tasks(operator: APIClient, running: redis.Redis) -> None:
    _order(operator, "stop")
    stopped = _order(operator, "restart", status=409)
    _order(operator, "start")
    Flow.objects.update(enabled=False)
    disabled = _order(operator, "restart", status=409)

    assert stopped["detail"].endswith("is stopped, so no task runs: start it.")
    assert disabled["detail"].endswith("is disabled, so no task runs: enable it.")


@pytest.mark.parametrize(
    ("scope", "touches", "names"),
    [
        ({}, (2, 4, 2), (["orders", "payments"], ["us-east/source/0"])),
        (_TOPIC, (1, 3, 1), (["orders"], ["us-east/source/0"])),
        (_PARTITION, (1, 1, 1), (["orders"], ["us-east/source/0"])),
        ({"task": 0}, (2, 4, 1), (["orders", "payments"], ["us-east/source/0"])),
        ({"task": 1}, (0, 0, 1), ([], [])),
    ],
)
def test_a_dry_run_names_what_the_order_would_touch(
    operator: APIClient, running: redis.Redis, scope: dict[str, Any], touches: tuple[int, ...], names: tuple[Any, ...]
) -> None:
    answer = _order(operator, "restart", scope=scope, dry_run=True)

    assert tuple(answer["touches"][name] for name in ("topics", "partitions", "slots")) == touches
    assert (answer["names"]["topics"], answer["names"]["tasks"]) == names
    assert not FlowAction.objects.exists()


def test_the_list_has_the_newest_first_and_is_filtered(operator: APIClient, running: redis.Redis) -> None:
    for scope in (_TOPIC, {"topic": "payments"}, _PARTITION):
        _order(operator, "restart", scope=scope)

    every = operator.get(f"{_FLOW}/actions").json()["items"]
    some = operator.get(f"{_FLOW}/actions?topic=orders&ordering=id").json()["items"]
    none = operator.get(f"{_FLOW}/actions?outcome=applied").json()["items"]

    assert [(row["topic"], row["partition"]) for row in every] == [("orders", 1), ("payments", None), ("orders", None)]
    assert [row["partition"] for row in some] == [None, 1]
    assert none == []


def test_of_two_operators_who_read_the_same_orders_the_second_is_refused_with_what_came_between(
    person: Callable[[str | None], APIClient], running: redis.Redis
) -> None:
    first, second = person("operator"), person("admin")
    read = second.get(f"{_FLOW}/actions").headers["ETag"]

    def order(client: APIClient, verb: str, **headers: str) -> Any:
        body = {"action": verb, "reason": verb}
        return client.post(f"{_FLOW}/actions", body, format="json", headers=headers)

    paused = order(first, "pause", **{"If-Match": read})
    late = order(second, "stop", **{"If-Match": read})
    again = order(second, "stop", **{"If-Match": late.headers["ETag"]})
    last = order(first, "start")

    assert [each.status_code for each in (paused, late, again, last)] == [200, 412, 200, 200]
    (difference,) = late.json()["diff"]
    assert (difference["field"], difference["current"]["ordered_by"]) == ("flow.pause", "somebody-operator")
    assert paused.headers["ETag"] == late.headers["ETag"] != again.headers["ETag"]
    assert FlowAction.objects.filter(event="flow.stop").count() == 1
