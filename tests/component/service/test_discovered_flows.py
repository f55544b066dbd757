"""Flows that write heartbeats and are not registered: listed, and adopted."""

from collections.abc import Mapping
from typing import Any

import pytest
from rest_framework.test import APIClient

from replication.domain.errors import ClusterUnreachableError
from replication.domain.identifiers import FlowId
from srm_service.clusters.contracts import ClusterAccess
from srm_service.clusters.discovery import FORGET_AFTER_MS, refresh_pairs
from srm_service.clusters.models import DiscoveredPair
from srm_service.flows.models import Flow
from tests.component.service.conftest import BOTH, at_ms

pytestmark = BOTH

DISCOVERED = "/api/v2/clusters/discovered"


def look(found: Mapping[str, Mapping[FlowId, int]], now: int | None = None) -> int:
    """Look at clusters that answer as given; the others do not answer."""

    def read(access: ClusterAccess) -> Mapping[FlowId, int]:
        if access.alias not in found:
            raise ClusterUnreachableError(f"cluster {access.alias} does not answer", cluster=access.alias)
        return found[access.alias]

    return refresh_pairs(at_ms() if now is None else now, read)


def listed(client: APIClient) -> dict[str, Any]:
    response = client.get(DISCOVERED)
    assert response.status_code == 200
    answer: dict[str, Any] = response.json()
    return answer


def pairs(answer: dict[str, Any]) -> list[str]:
    return [f"{item['source']}->{item['target']}" for item in answer["items"]]


def test_pairs_that_are_not_registered_are_listed(viewer: APIClient, one_flow: str) -> None:
    now = at_ms()
    beats = {FlowId("us-east", "eu-central"): now, FlowId("ap-south", "central"): now - 5_000}

    assert look({"eu-central": beats, "us-east": {FlowId("eu-central", "us-east"): now}}) == 2

    answer = listed(viewer)
    assert pairs(answer) == ["ap-south->eu-central", "eu-central->us-east"]
    first = answer["items"][0]
    assert (first["named_target"], first["source_is_registered"]) == ("central", False)
    assert first["heartbeat_ms"] == now - 5_000
    assert answer["items"][1]["source_is_registered"]
    assert answer["partial"] == []


def test_a_cluster_that_does_not_answer_is_named_and_keeps_what_is_known(viewer: APIClient, one_flow: str) -> None:
    look({"eu-central": {FlowId("ap-south", "eu-central"): at_ms()}, "us-east": {}}, at_ms() - 7_000)

    assert look({"us-east": {}}) == 1

    answer = listed(viewer)
    assert pairs(answer) == ["ap-south->eu-central"]
    (silent,) = answer["partial"]
    assert (silent["peer"], silent["error"]) == ("eu-central", "cluster eu-central does not answer")
    assert silent["age_ms"] >= 7_000


def test_before_the_first_look_every_cluster_is_named(viewer: APIClient, one_flow: str) -> None:
    assert {part["peer"] for part in listed(viewer)["partial"]} == {"us-east", "eu-central"}


def test_old_pairs_and_names_that_are_no_aliases_are_not_kept(viewer: APIClient, one_flow: str) -> None:
    now = at_ms()
    beats = {
        FlowId("ap-south", "eu-central"): now - FORGET_AFTER_MS - 1,
        FlowId("<script>", "eu-central"): now,
        FlowId("x" * 5_000, "eu-central"): now,
        FlowId("\0", "eu-central"): now,
    }

    look({"eu-central": beats, "us-east": {}})

    assert pairs(listed(viewer)) == []
    assert not DiscoveredPair.objects.exists()


def test_an_adopted_flow_is_registered_idle_and_no_longer_discovered(operator: APIClient, one_flow: str) -> None:
    look({"us-east": {FlowId("eu-central", "us-east"): at_ms()}, "eu-central": {}})
    body = {"source": "eu-central", "target": "us-east", "owner": "ann"}

    response = operator.post(f"{DISCOVERED}/adopt", body, format="json")

    assert response.status_code == 201, response.content
    answer = response.json()
    assert (answer["enabled"], answer["topics_allow"], answer["owner"]) == (False, [], "ann")
    flow = Flow.objects.get(source__alias="eu-central", target__alias="us-east")
    assert "sync.group.offsets.enabled" not in flow.connectors["checkpoint"]  # MirrorMaker's default remains
    assert pairs(listed(operator)) == []


def test_a_pair_whose_source_is_not_registered_cannot_be_adopted(operator: APIClient, one_flow: str) -> None:
    look({"eu-central": {FlowId("ap-south", "eu-central"): at_ms()}, "us-east": {}})

    response = operator.post(f"{DISCOVERED}/adopt", {"source": "ap-south", "target": "eu-central"}, format="json")

    assert response.status_code == 409
    assert "POST /api/v2/clusters" in response.json()["detail"]


def test_a_pair_that_is_not_discovered_is_unknown(operator: APIClient, one_flow: str) -> None:
    response = operator.post(f"{DISCOVERED}/adopt", {"source": "a", "target": "b"}, format="json")

    assert response.status_code == 404


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "nonsense=1"])
def test_nonsense_in_the_query_is_refused(viewer: APIClient, query: str) -> None:
    assert viewer.get(f"{DISCOVERED}?{query}").status_code == 400
