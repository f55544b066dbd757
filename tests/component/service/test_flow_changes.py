"""Flows over REST: created idle, changed and deleted as changes of the property tree."""

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from replication.config.tree.properties import PropertyPlace
from srm_service.configuration.contracts import PropertyChange
from srm_service.configuration.models import StoredProperty
from srm_service.configuration.selectors import current_version
from srm_service.configuration.services import apply_changes
from srm_service.flows.models import Flow
from tests.component.service.conftest import BOTH

pytestmark = BOTH

CLUSTERS, FLOWS = "/api/v2/clusters", "/api/v2/replications"
FLOW = f"{FLOWS}/us-east/us-west"
_PAIR = {"source": "us-east", "target": "us-west"}


@pytest.fixture
def two_clusters(person: Any) -> APIClient:
    """An admin, and two registered clusters."""
    client: APIClient = person("admin")
    for number, alias in enumerate(("us-east", "us-west")):
        body = {"alias": alias, "bootstrap": [f"127.0.0.1:{9000 + number}"]}
        assert client.post(CLUSTERS, body, format="json").status_code == 201
    return client


def created(client: APIClient, **fields: Any) -> dict[str, Any]:
    response = client.post(FLOWS, {**_PAIR, **fields}, format="json")
    assert response.status_code == 201, response.content
    answer: dict[str, Any] = response.json()
    return answer


def test_a_new_flow_has_empty_lists_and_is_idle(two_clusters: APIClient) -> None:
    answer = created(two_clusters)

    assert (answer["enabled"], answer["topics_allow"], answer["groups_allow"]) == (True, [], [])
    listed = two_clusters.get(FLOWS).json()["items"]
    assert [(item["source"], item["target"], item["status"]) for item in listed] == [("us-east", "us-west", "idle")]


def test_a_new_flow_sets_group_offsets_unless_it_says_otherwise(two_clusters: APIClient) -> None:
    created(two_clusters)
    stored = StoredProperty.objects.get(name="sync.group.offsets.enabled")
    assert (stored.value, stored.origin) == ("true", "default of new flows")
    assert Flow.objects.get().connectors["checkpoint"] == {"sync.group.offsets.enabled": "true"}

    two_clusters.delete(FLOW)
    created(two_clusters, properties={"sync.group.offsets.enabled": "false"})

    stored = StoredProperty.objects.get(name="sync.group.offsets.enabled")
    assert (stored.value, stored.origin) == ("false", "form")


def test_the_opposite_flow_is_not_created(two_clusters: APIClient) -> None:
    created(two_clusters)

    assert Flow.objects.count() == 1


def test_fields_and_properties_are_keys_of_the_tree(two_clusters: APIClient) -> None:
    answer = created(
        two_clusters,
        topics_allow=["orders.*"],
        tasks_max=4,
        delivery="exactly_once",
        policy={"kind": "identity"},
        start="latest",
        properties={"refresh.topics.interval.seconds": "30"},
    )

    assert (answer["topics_allow"], answer["tasks_max"], answer["delivery"]) == (["orders.*"], 4, "exactly_once")
    assert (answer["policy"]["kind"], answer["start"]) == ("identity", "latest")
    names = set(StoredProperty.objects.filter(level="flow").values_list("name", flat=True))
    assert {"topics", "tasks.max", "refresh.topics.interval.seconds", "replication.policy.class"} <= names
    flow = Flow.objects.get()
    assert flow.connectors["source"]["refresh.topics.interval.seconds"] == "30"


def test_keys_of_fields_set_the_fields(two_clusters: APIClient) -> None:
    answer = created(two_clusters, properties={"tasks.max": "4", "topics": "orders,payments", "enabled": "false"})

    assert (answer["tasks_max"], answer["topics_allow"], answer["enabled"]) == (4, ["orders", "payments"], False)
    assert answer["groups_allow"] == []
    changed = two_clusters.patch(FLOW, {"properties": {"tasks.max": "8"}}, format="json")
    assert changed.json()["tasks_max"] == 8


def test_a_flow_that_exists_is_a_conflict(two_clusters: APIClient) -> None:
    created(two_clusters)

    response = two_clusters.post(FLOWS, _PAIR, format="json")

    assert response.status_code == 409
    assert "already" in response.json()["detail"]


@pytest.mark.parametrize("field", ["source", "target"])
def test_an_unknown_cluster_is_an_error_of_its_field(two_clusters: APIClient, field: str) -> None:
    response = two_clusters.post(FLOWS, {**_PAIR, field: "nowhere"}, format="json")

    assert [each["field"] for each in response.json()["errors"]] == [field]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"source": "nowhere"}, "There is no cluster nowhere"),
        ({"target": "us-east"}, "The target is the source"),
        ({"tasks_max": 0}, "tasks_max"),
        ({"delivery": "at_most_once"}, "delivery"),
        ({"policy": {"kind": "template"}}, "template"),
        ({"policy": {"knd": "identity"}}, "knd"),
        ({"topics_allow": ["orders", "a(b"]}, "a(b"),
        ({"topics_allow": ["a,b"]}, "topics_allow"),
        ({"topics_allow": "orders"}, "topics_allow"),
        ({"start": "yesterday"}, "start"),
        ({"start": {}}, "start"),
        ({"properties": {"tasks.max": "3"}, "tasks_max": 3}, "is the field tasks_max"),
        ({"properties": {"tasks.max": "many"}}, "tasks.max"),
        (
            {"properties": {"replication.policy.separator": "_"}, "policy": {"kind": "identity"}},
            "is the field policy",
        ),
        ({"properties": {"refresh.topics.interval.seconds": "often"}}, "refresh.topics.interval.seconds"),
        ({"properties": {"a\0b": "x"}}, "NUL"),
        ({"properties": ["x"]}, "properties"),
        ({"source": None}, "source"),
        ({"labels": {"a": None}}, "labels"),
        ({"topics_alow": []}, "topics_alow"),
    ],
)
def test_nonsense_is_refused_and_named(two_clusters: APIClient, change: dict[str, Any], named: str) -> None:
    response = two_clusters.post(FLOWS, {**_PAIR, **change}, format="json")

    assert response.status_code in (400, 422), response.content  # 422: what follows from the tree
    assert named in str(response.json()), response.json()
    assert not Flow.objects.exists()


def test_a_change_keeps_what_it_does_not_name(two_clusters: APIClient) -> None:
    created(two_clusters, topics_allow=["orders"], tasks_max=4, labels={"team": "a"})

    response = two_clusters.patch(FLOW, {"topics_deny": ["orders.tmp"], "owner": "ann"}, format="json")

    answer = response.json()
    assert response.status_code == 200, answer
    assert (answer["topics_allow"], answer["topics_deny"], answer["tasks_max"]) == (["orders"], ["orders.tmp"], 4)
    assert (answer["labels"], answer["owner"]) == ({"team": "a"}, "ann")
    assert two_clusters.get(FLOW).json()["settings"]["topics_deny"] == ["orders.tmp"]


def test_null_restores_a_default(two_clusters: APIClient) -> None:
    created(two_clusters, tasks_max=4)

    assert two_clusters.patch(FLOW, {"tasks_max": None}, format="json").json()["tasks_max"] == 1


def test_each_change_is_one_version(two_clusters: APIClient) -> None:
    created(two_clusters)
    before = current_version()

    two_clusters.patch(FLOW, {"tasks_max": 2, "topics_allow": ["a"], "comment": "more tasks"}, format="json")
    two_clusters.patch(FLOW, {"tasks_max": 2}, format="json")

    assert current_version() == before + 1


def test_the_second_of_two_people_gets_the_differences(two_clusters: APIClient) -> None:
    created(two_clusters)
    etag = two_clusters.get(FLOW).headers["ETag"]
    first = two_clusters.patch(FLOW, {"tasks_max": 2}, format="json", headers={"If-Match": etag})

    second = two_clusters.patch(FLOW, {"tasks_max": 3}, format="json", headers={"If-Match": etag})

    assert (first.status_code, second.status_code) == (200, 412)
    assert second.json()["diff"] == [{"field": "tasks_max", "yours": 3, "current": 2}]
    assert Flow.objects.get().tasks_max == 2


def test_a_key_without_effect_changes_the_etag_too(two_clusters: APIClient) -> None:
    created(two_clusters)
    etag = two_clusters.get(FLOW).headers["ETag"]

    changed = two_clusters.patch(FLOW, {"properties": {"topic.filter.class": "x.Y"}}, format="json")

    assert changed.status_code == 200, changed.content
    assert changed.headers["ETag"] != etag
    assert two_clusters.get(FLOW).headers["ETag"] == changed.headers["ETag"]


def test_a_description_is_locked_as_settings_are(two_clusters: APIClient) -> None:
    created(two_clusters)
    etag = two_clusters.get(FLOW).headers["ETag"]
    first = two_clusters.patch(FLOW, {"owner": "ann"}, format="json", headers={"If-Match": etag})

    second = two_clusters.patch(FLOW, {"owner": "bob"}, format="json", headers={"If-Match": etag})

    assert (first.status_code, second.status_code) == (200, 412)


def test_a_flow_is_disabled_and_stays_in_the_list(two_clusters: APIClient) -> None:
    created(two_clusters)

    answer = two_clusters.patch(FLOW, {"enabled": False}, format="json").json()

    assert not answer["enabled"]
    assert [item["status"] for item in two_clusters.get(FLOWS).json()["items"]] == ["disabled"]


def test_a_flow_without_heartbeats_is_kept(two_clusters: APIClient) -> None:
    created(two_clusters, enabled=False)

    answer = two_clusters.patch(FLOW, {"heartbeats": False}, format="json").json()

    assert (answer["enabled"], answer["heartbeats"]) == (False, False)
    assert two_clusters.get(FLOW).status_code == 200


def test_heartbeats_of_an_imported_pair_are_switched_off_and_the_flow_is_kept(
    operator: APIClient, two_clusters: APIClient
) -> None:
    place = PropertyPlace(level="flow", source="us-east", target="us-west", name="emit.heartbeats.enabled")
    change = PropertyChange(place=place, value="true")
    apply_changes([change], by="file", comment="")

    answer = operator.patch(FLOW, {"heartbeats": False}, format="json")

    assert answer.status_code == 200
    assert operator.get(FLOW).status_code == 200


@pytest.mark.parametrize("body", [None, [], [1], "text", 7, True])
def test_bodies_of_other_shapes_are_refused(two_clusters: APIClient, body: Any) -> None:
    created(two_clusters)

    for method, path in (("post", FLOWS), ("patch", FLOW), ("post", f"{FLOWS}/actions"), ("post", CLUSTERS)):
        response = getattr(two_clusters, method)(path, json.dumps(body), content_type="application/json")
        assert response.status_code == 400, (method, path, response.content)


def test_a_deleted_flow_leaves_list_and_tree_and_can_be_created_again(two_clusters: APIClient) -> None:
    created(two_clusters, topics_allow=["orders"])

    assert two_clusters.delete(FLOW).status_code == 204
    assert two_clusters.get(FLOW).status_code == 404
    assert two_clusters.delete(FLOW).status_code == 404
    assert two_clusters.patch(FLOW, {"tasks_max": 2}, format="json").status_code == 404
    assert created(two_clusters)["topics_allow"] == []


def test_viewers_change_nothing(viewer: APIClient, one_flow: str) -> None:
    flow = f"{FLOWS}/us-east/eu-central"

    assert viewer.post(FLOWS, _PAIR, format="json").status_code == 403
    assert viewer.patch(flow, {"tasks_max": 2}, format="json").status_code == 403
    assert viewer.delete(flow).status_code == 403


@pytest.mark.parametrize(
    ("query", "found"),
    [("label=team:a", 1), ("label=team:b", 0), ("owner=ann", 1), ("owner=bob", 0), ("criticality=critical", 1)],
)
def test_descriptions_filter_the_list_of_flows(two_clusters: APIClient, query: str, found: int) -> None:
    created(two_clusters, labels={"team": "a"}, owner="ann", criticality="critical", runbook="https://runbooks/one")

    items = two_clusters.get(f"{FLOWS}?{query}").json()["items"]

    assert len(items) == found
    assert all(item["runbook"] == "https://runbooks/one" for item in items)
