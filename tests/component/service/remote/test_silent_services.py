"""Services that are silent, slow, broken or hostile: the rest is right, and the answer names them in time."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from srm_service.core.clock import now_ms
from srm_service.core.kept import forget_kept
from srm_service.monitoring.peers.merged import forget_reports
from tests.component.service.conftest import BOTH
from tests.component.service.remote.peers import FLOW_PATH, Recorded, advertised, serve, wait_at_most
from tests.support.servers.peer import Answer, ScriptedPeer, endless, garbage, huge, redirect, says, slow, status

pytestmark = [BOTH, pytest.mark.redis]

OWN, THEIRS = "us-east->eu-central", "us-east->ap-south"
Change = Callable[[dict[str, Any]], dict[str, Any]]


def listed(viewer: APIClient) -> tuple[list[str], dict[str, str], Any]:
    """The keys of the flows, the partial answers by service, and the whole answer."""
    answer = viewer.get("/api/v2/replications")
    assert answer.status_code == 200, answer.content
    body = answer.json()
    keys = [f"{flow['source']}->{flow['target']}" for flow in body["items"]]
    return keys, {part["peer"]: part["error"] for part in body["partial"]}, body


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (status(500, {"title": "broken"}), "answers with status 500"),
        (status(401, {}), "does not accept the token: create one there"),
        (status(404, {}), "has no internal endpoints"),
        (garbage, "without JSON"),
        (huge, "answers more than 16 MiB"),
        (endless, "does not answer within 400 ms"),
        (redirect("http://127.0.0.1:9/"), "redirect, which is not followed"),
        (says([]), "answers something else"),
        (says({"v": 2, "service": "x"}), "upgrade this service"),
        (says({"v": 1, "service": "imposter", "version": "1", "time_ms": 1}), "is another service than the one"),
    ],
)
def test_an_answer_that_is_none_is_named_with_its_reason(
    viewer: APIClient, peer: ScriptedPeer, other: str, answer: Answer, reason: str
) -> None:
    wait_at_most(400 if answer is endless else 10_000)
    peer.always = answer

    keys, partial, _ = listed(viewer)

    assert keys == [OWN]
    assert list(partial) == [other]
    assert reason in partial[other]


@pytest.mark.parametrize(
    "change",
    [
        lambda body: {**body, "flows": "all"},
        lambda body: {**body, "flows": [None, 7, []], "partial": {"peer": 1}},
        lambda body: {**body, "flows": [{**body["flows"][0], "latency": [1, 2, 3, 4, 5, {"x": "y"}]}]},
        lambda body: {**body, "flows": [{**body["flows"][0], "numbers": {"lag_offsets": "many"}}]},
        lambda body: {**body, "flows": [{**body["flows"][0], "status": {"status": "great", "reason": ""}}]},
        lambda body: {**body, "time_ms": 10**300},
    ],
)
def test_a_report_of_another_shape_hides_no_own_flow(
    viewer: APIClient, recorded: Recorded, peer: ScriptedPeer, other: str, change: Change
) -> None:
    peer.answers["flows"] = says(change({**recorded.internal["flows"], "time_ms": now_ms()}))

    keys, _, body = listed(viewer)

    assert keys == [OWN]
    assert body["items"][0]["metrics"]["records_per_second"]["latest"] == 10.0


def test_a_redirect_takes_no_token_to_another_address(
    viewer: APIClient, peer: ScriptedPeer, second_peer: ScriptedPeer, other: str
) -> None:
    peer.always = redirect(f"{second_peer.address}/internal/v1/flows")

    listed(viewer)
    viewer.get(f"/api/v2/{FLOW_PATH}")

    assert peer.requests
    assert second_peer.requests == []


def test_a_stopped_service_is_named_at_once(viewer: APIClient, peer: ScriptedPeer, other: str) -> None:
    peer.stop()

    began_s = time.monotonic()
    keys, partial, _ = listed(viewer)

    assert time.monotonic() - began_s < 1.0
    assert (keys, list(partial)) == ([OWN], [other])
    assert "cannot be reached" in partial[other]


def test_a_service_that_stops_answering_keeps_its_flows_for_a_while_with_their_age(
    viewer: APIClient, peer: ScriptedPeer, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(viewer)
    peer.stop()
    monkeypatch.setattr("srm_service.remote.asking.kept.FRESH_S", 0.0)
    forget_kept()

    keys, partial, body = listed(viewer)
    assert (keys, list(partial)) == ([THEIRS, OWN], [other])
    assert 0 <= body["partial"][0]["age_ms"] < 15_000
    monkeypatch.setattr("srm_service.remote.asking.kept.USABLE_S", 0.0)
    forget_kept()
    assert listed(viewer)[0] == [OWN]


def test_the_answer_does_not_wait_for_a_slow_service(
    viewer: APIClient, recorded: Recorded, peer: ScriptedPeer, second_peer: ScriptedPeer
) -> None:
    serve(peer, recorded)
    serve(second_peer, recorded)
    peer.always = slow(says({}), 10.0)
    for path in ("answers", FLOW_PATH):
        second_peer.answers[path] = slow(says({}), 10.0)
    first = advertised(peer, service=recorded.service, started_ms=1)
    second = advertised(second_peer, service=recorded.service, started_ms=2)

    began_s = time.monotonic()
    keys, partial, body = listed(viewer)
    took_s, began_s = time.monotonic() - began_s, time.monotonic()
    detail = viewer.get(f"/api/v2/{FLOW_PATH}")

    assert keys == [THEIRS, OWN]
    assert partial.keys() == {first, second}
    assert body["items"][0]["metrics"]["records_per_second"]["latest"] == 100.0
    half_of_their_silence_s = 5.0  # more than any wait of ours, also on a busy machine
    assert took_s < half_of_their_silence_s
    assert time.monotonic() - began_s < half_of_their_silence_s
    assert (detail.status_code, second in detail.json()["detail"]) == (503, True)


def test_a_clock_an_hour_ahead_is_named_and_times_are_by_our_clock(
    viewer: APIClient, recorded: Recorded, peer: ScriptedPeer, other: str
) -> None:
    truth = recorded.internal["flows"]["flows"][0]["status"]["since_ms"]
    body = recorded.internal["flows"]
    ahead = [{**flow, "status": {**flow["status"], "since_ms": truth + 3_600_000}} for flow in body["flows"]]
    peer.answers["flows"] = says({**body, "time_ms": now_ms() + 3_600_000, "flows": ahead})

    keys, partial, answer = listed(viewer)

    assert keys == [THEIRS, OWN]
    assert "its clock is 3" in partial[other]
    assert "s ahead of that of this service" in partial[other]
    assert abs(answer["items"][0]["since_ms"] - truth) <= 2_000


def test_flows_of_a_newer_version_are_counted_and_the_others_shown(
    viewer: APIClient, recorded: Recorded, peer: ScriptedPeer, other: str
) -> None:
    body = recorded.internal["flows"]
    newer = {**body["flows"][0], "source": "newer", "status": {**body["flows"][0]["status"], "status": "quarantined"}}
    more = {**body["flows"][0], "field_of_a_newer_version": [1]}
    peer.answers["flows"] = says({**body, "time_ms": now_ms(), "version": "99.0", "flows": [more, newer]})

    keys, partial, _ = listed(viewer)

    assert keys == [THEIRS, OWN]
    assert partial == {other: "1 of its flows cannot be read: upgrade the older service"}


def test_a_target_without_any_service_is_named(viewer: APIClient, recorded: Recorded) -> None:
    forget_reports()

    keys, partial, _ = listed(viewer)

    assert (keys, partial) == ([OWN], {"ap-south": "no service that may be asked advertises itself there"})
