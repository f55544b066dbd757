"""Requests about a flow of another service are answered by that service, and by no other."""

import time
from collections.abc import Mapping
from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from srm_service.live.reading import read
from srm_service.live.tables import Rows
from srm_service.live.topic_names import parsed_topic
from tests.component.service.conftest import BOTH
from tests.component.service.remote.peers import FLOW_PATH, Recorded, report_targets, with_token
from tests.support.servers.peer import ScriptedPeer, says, slow, status

pytestmark = [BOTH, pytest.mark.redis]

INTERNAL = (
    "service",
    "flows",
    "answers",
    "live-topics/us-east/eu-central",
    "metrics/summary",
    "metrics/flows?metric=lag_offsets",
    "replications/us-east/eu-central",
    "replications/us-east/eu-central/topics",
    "replications/us-east/eu-central/topics/orders",
    "replications/us-east/eu-central/topics/orders/partitions",
    "replications/us-east/eu-central/series?metric=lag_offsets",
)


@pytest.mark.parametrize(
    "path", ["", "/topics", "/topics/orders", "/topics/orders/partitions", "/series"], ids=lambda path: path or "flow"
)
def test_the_answer_is_that_of_the_service_of_the_flow(
    viewer: APIClient, recorded: Recorded, peer: ScriptedPeer, other: str, path: str
) -> None:
    query = {**recorded.window, "metric": "records_per_second"} if path == "/series" else {}

    answer = viewer.get(f"/api/v2/{FLOW_PATH}{path}", query)

    truth = recorded.internal[f"{FLOW_PATH}{path}"]
    changed = {} if path else {"service": other, "permissions": ["flows.read"]}
    assert answer.json() == {**truth, **changed}
    (asked,) = peer.asked(f"{FLOW_PATH}{path}")
    assert asked.query == query


def test_points_of_a_forwarded_series_are_those_of_the_raw_tiles(
    viewer: APIClient, recorded: Recorded, other: str
) -> None:
    """500 and 501 records in ten seconds each; this service has no tile of the flow."""
    answer = viewer.get(f"/api/v2/{FLOW_PATH}/series", {**recorded.window, "metric": "records_per_second"}).json()

    assert [point and point[1] for point in answer["points"]] == [500 / 10, 501 / 10, None]
    assert answer == recorded.public[f"{FLOW_PATH}/series"]


def test_an_own_flow_is_answered_here(viewer: APIClient, peer: ScriptedPeer, other: str) -> None:
    answer = viewer.get("/api/v2/replications/us-east/eu-central").json()

    assert answer["service"] is None
    assert answer["metrics"]["records_per_second"]["latest"] == 10.0
    assert peer.requests == []


def test_a_refusal_of_the_other_service_is_passed_on(viewer: APIClient, peer: ScriptedPeer, other: str) -> None:
    problem = {"type": "about:blank", "title": "Not found", "status": 404, "detail": "no topic nothing"}
    peer.answers[f"{FLOW_PATH}/topics/nothing"] = status(404, problem)

    answer = viewer.get(f"/api/v2/{FLOW_PATH}/topics/nothing")

    assert (answer.status_code, answer.json()) == (404, problem)


@pytest.mark.parametrize("code", [302, 401, 403, 500])
def test_any_other_status_says_that_the_service_does_not_answer(
    viewer: APIClient, peer: ScriptedPeer, other: str, code: int
) -> None:
    peer.answers[FLOW_PATH] = status(code, {})

    answer = viewer.get(f"/api/v2/{FLOW_PATH}")

    assert answer.status_code == 503
    assert f"The service of the flow, {other}," in answer.json()["detail"]


def test_a_flow_that_no_service_reports_is_unknown(viewer: APIClient, other: str) -> None:
    assert viewer.get("/api/v2/replications/nowhere/ap-south").status_code == 404


@pytest.mark.parametrize("path", ["/topics/%2e%2e", "/topics/..", "/topics/../../../service"])
def test_a_path_cannot_leave_the_flow(viewer: APIClient, peer: ScriptedPeer, other: str, path: str) -> None:
    answer = viewer.get(f"/api/v2/{FLOW_PATH}{path}")

    assert answer.status_code == 404
    assert {request.path for request in peer.requests} <= {"flows"}


def test_services_that_ask_each_other_make_no_loop(
    viewer: APIClient, peer: ScriptedPeer, other: str, recorded: Recorded
) -> None:
    """A question of another service is answered from the own flows, without a question to a third."""
    asking = with_token("peer")

    reported = asking.get("/internal/v1/flows").json()
    forwarded = asking.get(f"/internal/v1/{FLOW_PATH}")

    assert [flow["target"] for flow in reported["flows"]] == ["eu-central"]
    assert reported["targets"] == ["eu-central"]
    assert forwarded.status_code == 404
    assert peer.requests == []


@pytest.mark.parametrize("path", INTERNAL)
def test_only_tokens_with_the_scope_peer_open_the_internal_endpoints(
    admin: APIClient, recorded: Recorded, path: str
) -> None:
    url = f"/internal/v1/{path}"

    answers = {name: with_token(name).get(url).status_code for name in ("peer", "read", "admin", "metrics")}

    assert answers == {"peer": 200, "read": 403, "admin": 403, "metrics": 403}
    assert admin.get(url).status_code in (401, 403)
    assert APIClient().get(url).status_code == 401
    assert with_token("peer").post(url, {}, format="json").status_code in (403, 405)


def test_the_scope_peer_opens_nothing_else(recorded: Recorded) -> None:
    client = with_token("peer")

    paths = ("replications", "me", "tokens", "remote-services", "metrics/summary", FLOW_PATH, "trail")
    assert {client.get(f"/api/v2/{path}").status_code for path in paths} == {403}
    assert client.get("/metrics").status_code == 403


def _tables(*topics: str) -> Mapping[str, Rows]:
    return read({topic: parsed_topic(topic) for topic in topics}, None).tables


def test_the_live_socket_has_flows_and_topics_of_other_services(
    recorded: Recorded, other: str, peer: ScriptedPeer
) -> None:
    named = "flow/us-east/ap-south/topics?keys=orders,absent"
    tables = _tables("flows", "flow/us-east/ap-south", named)

    assert set(tables[named]) == {"orders"}
    assert set(tables["flows"]) == {"us-east->ap-south", "us-east->eu-central"}
    assert set(tables["flow/us-east/ap-south"]) == {"orders", "payments"}
    assert peer.asked("live-topics/us-east/ap-south")


def test_a_slow_service_delays_no_frame_for_long(
    recorded: Recorded, other: str, peer: ScriptedPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    peer.answers["live-topics/us-east/ap-south"] = slow(says({}), 10.0)

    began_s = time.monotonic()
    tables = _tables("flows", "flow/us-east/ap-south")

    assert time.monotonic() - began_s < 5.0  # half of what the slow one takes; a second where the machine is idle
    assert tables["flow/us-east/ap-south"] == {}
    assert len(tables["flows"]) == 2


def test_a_live_topic_of_another_shape_is_skipped(recorded: Recorded, other: str, peer: ScriptedPeer) -> None:
    rows: list[Any] = [*recorded.internal["live-topics/us-east/ap-south"]["topics"], {"topic": 7}, None]
    peer.answers["live-topics/us-east/ap-south"] = says({"topics": rows})

    assert set(_tables("flow/us-east/ap-south")["flow/us-east/ap-south"]) == {"orders", "payments"}


def test_without_remote_targets_no_one_is_asked(
    viewer: APIClient, recorded: Recorded, other: str, peer: ScriptedPeer, live_redis: redis.Redis
) -> None:
    report_targets("eu-central", "")

    answer = viewer.get("/api/v2/replications").json()

    assert (len(answer["items"]), answer["partial"], peer.requests) == (1, [], [])
