"""The flows of this service and those of another one are one list, one summary and one set of small lines."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from srm_service.core.clock import now_ms
from srm_service.core.kept import forget_kept
from srm_service.monitoring.peers.merged import forget_reports
from srm_service.monitoring.tile_models import FlowTile10s
from srm_service.remote.asking.ledger import ledger
from tests.component.service.conftest import BOTH
from tests.component.service.remote.peers import FLOW_PATH, TOKEN, Recorded, advertised, serve
from tests.support.servers.peer import ScriptedPeer, says

pytestmark = [BOTH, pytest.mark.redis]

OWN, THEIRS = "us-east->eu-central", "us-east->ap-south"


def listed(viewer: APIClient, **query: str) -> Any:
    answer = viewer.get("/api/v2/replications", query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def keys(answer: Any) -> list[str]:
    return [f"{flow['source']}->{flow['target']}" for flow in answer["items"]]


def test_the_list_has_the_flows_of_all_services_and_says_whose_they_are(viewer: APIClient, other: str) -> None:
    answer = listed(viewer)

    assert {f"{flow['source']}->{flow['target']}": flow["service"] for flow in answer["items"]} == {
        THEIRS: other,
        OWN: None,
    }
    assert answer["partial"] == []


def test_a_flow_has_the_numbers_that_its_service_answers(viewer: APIClient, recorded: Recorded, other: str) -> None:
    (theirs,) = (flow for flow in listed(viewer, from_ms=recorded.window["from_ms"])["items"] if flow["service"])
    (truth,) = recorded.public["replications"]["items"]

    assert theirs["metrics"] == truth["metrics"]
    assert theirs["metrics"]["records_per_second"]["sum"] == 1001
    same = truth.keys() - {"service", "permissions", "live_age_ms", "metrics_age_ms"}
    assert {name: theirs[name] for name in same} == {name: truth[name] for name in same}
    assert theirs["permissions"] == ["flows.read"]


@pytest.mark.parametrize(
    ("sent", "text"),
    [({}, None), ({"orders_in_force": {"text": "2 topics paused", "paused_topics": 2}}, "2 topics paused")],
)
def test_orders_in_force_of_a_flow_of_another_service_are_told_if_it_reports_them(
    viewer: APIClient, recorded: Recorded, peer: ScriptedPeer, other: str, sent: dict[str, Any], text: str | None
) -> None:
    report = recorded.internal["flows"]
    flow = {name: value for name, value in report["flows"][0].items() if name != "orders_in_force"}
    peer.answers["flows"] = says({**report, "time_ms": now_ms(), "flows": [{**flow, **sent}]})

    (theirs,) = (each for each in listed(viewer)["items"] if each["service"])

    assert theirs["orders_in_force"] == (text and {**theirs["orders_in_force"], "text": text, "paused_topics": 2})


def test_pages_and_orders_go_over_all_services(viewer: APIClient, other: str) -> None:
    first = listed(viewer, limit="1", ordering="-records_per_second")
    second = listed(viewer, limit="1", ordering="-records_per_second", cursor=first["next_cursor"])

    assert (keys(first), keys(second), second["next_cursor"]) == ([THEIRS], [OWN], None)
    assert keys(listed(viewer, ordering="records_per_second")) == [OWN, THEIRS]
    assert keys(listed(viewer, ordering="service")) == [THEIRS, OWN]
    assert keys(listed(viewer, target="ap-south")) == [THEIRS]


def test_the_summary_adds_up_the_flows_of_all_services(viewer: APIClient, other: str) -> None:
    summary = viewer.get("/api/v2/metrics/summary").json()

    assert (summary["flows"], summary["by_status"]["healthy"]) == (2, 2)
    assert summary["metrics"]["records_per_second"]["latest"] == 110.0
    assert summary["metrics"]["records_per_second"]["worst_flow"] == THEIRS


def test_small_lines_of_all_services_come_with_one_request(
    viewer: APIClient, recorded: Recorded, peer: ScriptedPeer, other: str
) -> None:
    answer = viewer.get("/api/v2/metrics/flows", {**recorded.window, "metric": "records_per_second"}).json()

    lines = {item["target"]: item["points"] for item in answer["items"]}
    assert lines["ap-south"] == recorded.internal["metrics/flows"]["items"][0]["points"]
    assert [point and point[1] for point in lines["ap-south"]] == [50.0, 50.1, None]
    assert lines["eu-central"] == [None, None, None]
    assert len(peer.asked("metrics/flows")) == 1


def test_a_small_line_of_a_service_without_percentiles_has_none(
    viewer: APIClient, recorded: Recorded, peer: ScriptedPeer, other: str
) -> None:
    """An older service does not send them."""
    body = recorded.internal["metrics/flows"]
    older = [{name: value for name, value in item.items() if name != "p95"} for item in body["items"]]
    peer.answers["metrics/flows"] = says({**body, "items": older})

    answer = viewer.get("/api/v2/metrics/flows", {**recorded.window, "metric": body["metric"]}).json()

    (theirs,) = (item for item in answer["items"] if item["target"] == "ap-south")
    assert theirs == {**older[0], "p95": None}


def test_nothing_of_another_service_is_stored_as_a_tile(viewer: APIClient, other: str) -> None:
    before = FlowTile10s.objects.count()

    listed(viewer)
    viewer.get(f"/api/v2/{FLOW_PATH}")

    assert FlowTile10s.objects.count() == before


def test_many_readers_in_one_second_cost_one_request(viewer: APIClient, peer: ScriptedPeer, other: str) -> None:
    for _ in range(5):
        viewer.get("/api/v2/metrics/summary")

    assert len(peer.asked("flows")) == 1
    assert {request.token for request in peer.requests} == {TOKEN}


def test_bytes_and_requests_are_counted_per_service(
    viewer: APIClient, recorded: Recorded, peer: ScriptedPeer, other: str
) -> None:
    listed(viewer)
    ledger.store(at_once=True)

    (service,) = viewer.get("/api/v2/remote-services").json()["items"]
    sent = len(str(recorded.internal["flows"])) + len(str(recorded.internal["answers"]))
    assert (service["requests"], service["problem"]) == (len(peer.requests), None)
    assert sent * 0.8 < service["received_bytes"] < sent * 1.2


def test_of_two_services_of_a_target_the_older_one_is_asked_and_then_the_other(
    viewer: APIClient, recorded: Recorded, peer: ScriptedPeer, second_peer: ScriptedPeer
) -> None:
    serve(peer, recorded)
    serve(second_peer, recorded)
    old = advertised(peer, service=recorded.service, started_ms=1)
    young = advertised(second_peer, service=recorded.service, started_ms=2)

    assert [flow["service"] for flow in listed(viewer)["items"]] == [old, None]
    assert second_peer.requests == []
    peer.stop()
    forget_reports()
    forget_kept()

    replaced = listed(viewer)
    assert [flow["service"] for flow in replaced["items"]] == [young, None]
    assert [part["peer"] for part in replaced["partial"]] == [old]


def test_flows_that_a_service_may_not_report_are_ignored(
    viewer: APIClient, recorded: Recorded, peer: ScriptedPeer, other: str
) -> None:
    report = recorded.internal["flows"]
    flow = report["flows"][0]
    forged = [
        {**flow, "target": "eu-central"},  # is reported by this service
        {**flow, "target": "us-east", "source": "ap-south"},  # is no remote target
        {**flow, "source": "../../secrets"},
    ]
    peer.answers["flows"] = says({**report, "time_ms": now_ms(), "flows": [flow, *forged]})

    answer = listed(viewer)

    assert keys(answer) == [THEIRS, OWN]
    assert [flow["service"] for flow in answer["items"]] == [other, None]
    assert [part["error"] for part in answer["partial"]] == ["1 of its flows cannot be read: upgrade the older service"]
