"""One action on many flows: a result per flow."""

import time
from typing import Any

import pytest
from rest_framework.test import APIClient

from srm_service.configuration.selectors import current_version
from srm_service.flows.models import Flow, FlowAction
from tests.component.service.conftest import BOTH, config_import, configured, flow_definition

pytestmark = BOTH

ACTIONS = "/api/v2/replications/actions"
_FLOWS = (("us-east", "eu-central"), ("us-west", "eu-central"), ("eu-central", "us-east"))


@pytest.fixture
def three_flows(db: None) -> None:
    config_import(configured(*(flow_definition(source, target) for source, target in _FLOWS)))
    Flow.objects.filter(source__alias="us-west").update(labels={"team": "payments"}, criticality="high")


def acted(client: APIClient, **body: Any) -> dict[str, Any]:
    response = client.post(ACTIONS, {"action": "pause", "reason": "maintenance", **body}, format="json")
    assert response.status_code == 200, response.content
    answer: dict[str, Any] = response.json()
    return answer


def states() -> dict[str, str]:
    rows = Flow.objects.values_list("source__alias", "target__alias", "state")
    return {f"{source}->{target}": state for source, target, state in rows}


def outcomes(answer: dict[str, Any]) -> dict[str, str]:
    return {f"{each['source']}->{each['target']}": each["result"] for each in answer["results"]}


def test_all_flows_into_a_cluster_are_paused(operator: APIClient, three_flows: None) -> None:
    answer = acted(operator, filter={"target": "eu-central"})

    assert outcomes(answer) == {"us-east->eu-central": "done", "us-west->eu-central": "done"}
    assert (answer["done"], answer["unchanged"], answer["refused"]) == (2, 0, 0)
    assert states() == {
        "us-east->eu-central": "pause",
        "us-west->eu-central": "pause",
        "eu-central->us-east": "run",
    }


def test_one_refused_flow_stops_no_other(operator: APIClient, three_flows: None) -> None:
    Flow.objects.filter(source__alias="us-east").update(enabled=False)
    flows = [{"source": source, "target": target} for source, target in _FLOWS]

    answer = acted(operator, flows=[{"source": "no", "target": "where"}, *flows, flows[1]])

    assert outcomes(answer) == {
        "no->where": "refused",
        "us-east->eu-central": "refused",
        "us-west->eu-central": "done",
        "eu-central->us-east": "done",
    }
    assert "disabled" in answer["results"][1]["text"]


def test_a_flow_in_that_state_is_unchanged(operator: APIClient, three_flows: None) -> None:
    acted(operator, filter={"source": "us-west"})

    assert outcomes(acted(operator, filter={"source": "us-west"})) == {"us-west->eu-central": "unchanged"}


def test_a_dry_run_changes_nothing(operator: APIClient, three_flows: None) -> None:
    before = current_version()

    for action in ("pause", "disable"):
        answer = acted(operator, action=action, filter={"target": "eu-central"}, dry_run=True)
        assert set(outcomes(answer).values()) == {"done"}

    assert set(states().values()) == {"run"}
    assert current_version() == before


def test_labels_choose_flows(operator: APIClient, three_flows: None) -> None:
    answer = acted(operator, filter={"label": ["team:payments"], "criticality": "high"})

    assert outcomes(answer) == {"us-west->eu-central": "done"}


def test_many_flows_are_disabled_as_one_version_and_enabled_again(operator: APIClient, three_flows: None) -> None:
    before = current_version()

    answer = acted(operator, action="disable", filter={"target": "eu-central"})

    assert set(outcomes(answer).values()) == {"done"}
    assert current_version() == before + 1
    assert Flow.objects.filter(enabled=False).count() == 2
    events = FlowAction.objects.filter(pk__in=[each["order"] for each in answer["results"]])
    assert [(each.event, each.reason) for each in events] == [("flow.disable", "maintenance")] * 2
    again = acted(operator, action="enable", filter={"q": "->"})
    assert (again["done"], again["unchanged"]) == (2, 1)
    assert not Flow.objects.filter(enabled=False).exists()


def test_a_pause_may_end_automatically(operator: APIClient, three_flows: None) -> None:
    until_ms = int(time.time() * 1000) + 60_000

    acted(operator, filter={"source": "us-west"}, until_ms=until_ms)

    until = Flow.objects.get(source__alias="us-west").pause_until
    assert until is not None
    assert int(until.timestamp() * 1000) == until_ms


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({}, "flows"),
        ({"filter": {}}, "filter"),
        ({"filter": {"source": "a"}, "flows": [{"source": "a", "target": "b"}]}, "flows"),
        ({"flows": []}, "flows"),
        ({"flows": ["a->b"]}, "flows"),
        ({"filter": {"sorce": "a"}}, "filter.sorce"),
        ({"filter": {"label": ["nonsense"]}}, "filter.label"),
        ({"filter": {"source": "a"}, "action": "explode"}, "action"),
        ({"filter": {"source": "a"}, "until_ms": 1}, "until_ms"),
        ({"filter": {"source": "a"}, "reason": ""}, "reason"),
    ],
)
def test_nonsense_is_refused_and_named(operator: APIClient, change: dict[str, Any], named: str) -> None:
    body = {"action": "pause", "reason": "maintenance", **change}

    response = operator.post(ACTIONS, body, format="json")

    assert response.status_code == 400, response.content
    assert any(error["field"].startswith(named) for error in response.json()["errors"]), response.json()


def test_viewers_do_not_act(viewer: APIClient, three_flows: None) -> None:
    response = viewer.post(ACTIONS, {"action": "pause", "reason": "x", "filter": {"q": "->"}}, format="json")

    assert response.status_code == 403
