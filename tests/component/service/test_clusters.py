"""Clusters over REST: created, changed and deleted as changes of the property tree."""

from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from srm_service.clusters.models import Cluster
from srm_service.clusters.reachability import Reachability, board
from srm_service.configuration.models import ConfigVersion, StoredProperty
from srm_service.flows.models import Flow
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live

pytestmark = BOTH

CLUSTERS = "/api/v2/clusters"
_SECRET = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="planted-secret";'
_EAST = {"alias": "us-east", "bootstrap": ["127.0.0.1:9000"]}
_WEST = {"alias": "us-west", "bootstrap": ["127.0.0.1:9001"]}


@pytest.fixture
def admin(person: Any) -> APIClient:
    client: APIClient = person("admin")
    return client


def post(client: APIClient, body: dict[str, Any], status: int = 201) -> dict[str, Any]:
    response = client.post(CLUSTERS, body, format="json")
    assert response.status_code == status, response.content
    answer: dict[str, Any] = response.json()
    return answer


def test_a_registered_cluster_is_in_the_tree_and_in_the_list(admin: APIClient) -> None:
    answer = post(admin, {**_EAST, "labels": {"team": "payments"}, "owner": "ann", "criticality": "high"})

    assert answer["alias"] == "us-east"
    assert answer["labels"] == {"team": "payments"}
    assert (answer["owner"], answer["criticality"], answer["location"]) == ("ann", "high", "colocated")
    assert StoredProperty.objects.filter(alias="us-east", name="bootstrap.servers").exists()
    assert [item["alias"] for item in admin.get(CLUSTERS).json()["items"]] == ["us-east"]


def test_registering_clusters_creates_no_flow(admin: APIClient) -> None:
    post(admin, _EAST)
    post(admin, _WEST)

    assert not Flow.objects.exists()


def test_a_cluster_beside_imported_ones_brings_no_flow(admin: APIClient, one_flow: str) -> None:
    StoredProperty.objects.filter(level="global", name="emit.heartbeats.enabled").delete()
    before = Flow.objects.count()

    post(admin, {"alias": "ap-south", "bootstrap": ["127.0.0.1:9002"]})

    assert Flow.objects.filter(source__alias="ap-south").count() == 0
    assert Flow.objects.filter(target__alias="ap-south").count() == 0
    assert Flow.objects.count() >= before


def test_an_alias_that_exists_is_a_conflict(admin: APIClient) -> None:
    post(admin, _EAST)

    assert "already" in post(admin, _EAST, 409)["detail"]


def test_secrets_are_sealed_and_never_shown(admin: APIClient) -> None:
    client = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}
    answer = post(admin, {**_EAST, "client": client, "secrets": {"sasl.jaas.config": _SECRET}})

    assert answer["secret_names"] == ["sasl.jaas.config"]
    shown = admin.get(CLUSTERS).content.decode() + admin.get(f"{CLUSTERS}/us-east").content.decode()
    assert "planted-secret" not in shown
    rows = str([list(model.objects.values()) for model in (Cluster, StoredProperty, ConfigVersion)])
    assert "planted-secret" not in rows


def test_an_external_cluster_says_which_settings_are_missing(admin: APIClient) -> None:
    wanted = {**_EAST, "location": "external"}

    assert "security.protocol" in post(admin, wanted, 400)["detail"]
    answer = post(admin, {**wanted, "client": {"security.protocol": "SASL_SSL"}}, 400)
    named = {error["field"] for error in answer["errors"]}
    assert {"client.sasl.mechanism", "client.sasl.jaas.config"} <= named
    assert any("ssl.truststore" in name for name in named)
    post(admin, {**wanted, "client": {"security.protocol": "PLAINTEXT"}})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"alias": "admin"}, "alias"),
        ({"alias": "test"}, "alias"),
        ({"alias": "a b"}, "alias"),
        ({"alias": "../etc"}, "alias"),
        ({"bootstrap": []}, "bootstrap"),
        ({"bootstrap": ["nonsense"]}, "bootstrap.servers"),
        ({"bootstrap": "127.0.0.1:1"}, "bootstrap"),
        ({"client": {"tasks.max": "3"}}, "client.tasks.max"),
        ({"client": {"security.protocol": "TLS"}}, "security.protocol"),
        ({"client": ["x"]}, "client"),
        ({"client": {"sasl.mechanism": "PLAIN"}, "secrets": {"sasl.mechanism": "PLAIN"}}, "secrets"),
        ({"labels": {"bad key": "x"}}, "labels"),
        ({"labels": {"team": ["a"]}}, "labels"),
        ({"runbook": "javascript:alert(1)"}, "runbook"),
        ({"criticality": "huge"}, "criticality"),
        ({"location": "moon"}, "location"),
        ({"bootstrp": ["a:1"]}, "bootstrp"),
    ],
)
def test_nonsense_is_refused_and_named(admin: APIClient, change: dict[str, Any], named: str) -> None:
    response = admin.post(CLUSTERS, {**_EAST, **change}, format="json")

    answer = response.json()
    if response.status_code == 422:  # what follows from the tree
        assert any(named in finding["key"] for finding in answer["findings"]), answer
    else:
        assert response.status_code == 400, answer
        assert any(named in error["field"] for error in answer["errors"]), answer
    assert not Cluster.objects.exists()


def test_a_change_keeps_what_it_does_not_name(admin: APIClient) -> None:
    post(admin, {**_EAST, "secrets": {"ssl.key.password": "planted-secret"}, "labels": {"a": "b"}})

    response = admin.patch(f"{CLUSTERS}/us-east", {"bootstrap": ["127.0.0.1:9005"], "owner": "bob"}, format="json")

    answer = response.json()
    assert response.status_code == 200, answer
    assert (answer["bootstrap"], answer["owner"], answer["labels"]) == (["127.0.0.1:9005"], "bob", {"a": "b"})
    assert answer["secret_names"] == ["ssl.key.password"]


def test_null_removes_a_client_setting(admin: APIClient) -> None:
    post(admin, {**_EAST, "client": {"security.protocol": "SSL"}})

    answer = admin.patch(f"{CLUSTERS}/us-east", {"client": {"security.protocol": None}}, format="json").json()

    assert answer["client"] == {}


def test_the_second_of_two_people_gets_the_differences(admin: APIClient) -> None:
    post(admin, _EAST)
    etag = admin.get(f"{CLUSTERS}/us-east").headers["ETag"]
    first = admin.patch(f"{CLUSTERS}/us-east", {"owner": "ann"}, format="json", headers={"If-Match": etag})

    second = admin.patch(f"{CLUSTERS}/us-east", {"owner": "bob"}, format="json", headers={"If-Match": etag})

    assert first.status_code == 200
    assert second.status_code == 412
    assert {"field": "owner", "yours": "bob", "current": "ann"} in second.json()["diff"]
    assert admin.get(f"{CLUSTERS}/us-east").json()["owner"] == "ann"
    third = {"If-Match": first.headers["ETag"]}
    assert admin.patch(f"{CLUSTERS}/us-east", {"owner": "bob"}, format="json", headers=third).status_code == 200


def test_a_cluster_in_use_is_not_deleted(admin: APIClient, one_flow: str) -> None:
    response = admin.delete(f"{CLUSTERS}/us-east")

    assert response.status_code == 409
    assert "us-east->eu-central" in response.json()["detail"]
    assert Cluster.objects.filter(alias="us-east").exists()


def test_an_unused_cluster_is_deleted_from_the_tree(admin: APIClient) -> None:
    post(admin, _EAST)
    post(admin, _WEST)

    assert admin.delete(f"{CLUSTERS}/us-east").status_code == 204
    assert admin.get(f"{CLUSTERS}/us-east").status_code == 404
    assert not StoredProperty.objects.filter(alias="us-east").exists()
    assert admin.delete(f"{CLUSTERS}/us-east").status_code == 404


def test_only_admins_change_clusters(operator: APIClient) -> None:
    assert operator.post(CLUSTERS, _EAST, format="json").status_code == 403
    assert operator.post(f"{CLUSTERS}/test", _EAST, format="json").status_code == 403


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("label=team:payments", ["us-east"]),
        ("label=team:payments&label=tier:1", ["us-east"]),
        ("label=team:payments&label=tier:2", []),
        ("owner=bob", ["us-west"]),
        ("criticality=normal", ["us-west"]),
        ("q=WEST", ["us-west"]),
        ("", ["us-east", "us-west"]),
    ],
)
def test_descriptions_filter_the_list(admin: APIClient, query: str, found: list[str]) -> None:
    post(admin, {**_EAST, "labels": {"team": "payments", "tier": "1"}, "criticality": "critical"})
    post(admin, {**_WEST, "owner": "bob"})

    assert [item["alias"] for item in admin.get(f"{CLUSTERS}?{query}").json()["items"]] == found


@pytest.mark.parametrize("query", ["label=nonsense", "label=:x", "criticality=huge", "lable=a:b", "owner=a&owner=b"])
def test_filters_that_mean_nothing_are_refused(admin: APIClient, query: str) -> None:
    assert admin.get(f"{CLUSTERS}?{query}").status_code == 400


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"bootstrap": ["elsewhere:1"]}, id="another address"),
        pytest.param({"client": {"sasl.mechanism": "SCRAM-SHA-256"}}, id="another mechanism"),
    ],
)
def test_an_edit_never_moves_a_stored_secret_to_another_place(admin: APIClient, change: dict[str, Any]) -> None:
    login = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}
    post(admin, {**_EAST, "client": login, "secrets": {"sasl.jaas.config": _SECRET}})

    refused = admin.patch(f"{CLUSTERS}/us-east", change, format="json")
    rotated = admin.patch(f"{CLUSTERS}/us-east", {"secrets": {"sasl.jaas.config": _SECRET}}, format="json")
    moved = admin.patch(f"{CLUSTERS}/us-east", {**change, "secrets": {"sasl.jaas.config": _SECRET}}, format="json")

    assert refused.status_code == 400
    [error] = refused.json()["errors"]
    assert error["field"] == "secrets.sasl.jaas.config"
    assert error["detail"].endswith("enter this one again.")
    assert (rotated.status_code, moved.status_code) == (200, 200)


@pytest.mark.redis
def test_an_old_answer_is_not_told_and_drivers_know_a_lost_cluster_sooner(
    admin: APIClient, one_flow: str, live_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = at_ms()
    checked = {"us-east": now - 20_000, "eu-central": now - 7 * 60_000}
    known = {alias: Reachability(reachable=True, checked_ms=at) for alias, at in checked.items()}
    monkeypatch.setattr(board, "known", lambda aliases: {alias: known[alias] for alias in aliases})
    asked: list[frozenset[str]] = []

    def stale(_aliases: list[str], doubted: frozenset[str]) -> list[str]:
        asked.append(doubted)
        return []

    monkeypatch.setattr(board, "stale", stale)

    def told() -> list[tuple[Any, ...]]:
        items = admin.get(CLUSTERS).json()["items"]
        return [(item["alias"], item["reachable"], item["checked_ms"], item["error"]) for item in items]

    assert told() == [("eu-central", None, checked["eu-central"], None), ("us-east", True, checked["us-east"], None)]

    cause = {
        "code": "cluster_unreachable",
        "text": "Cluster us-east does not answer: refused.",
        "since_ms": now - 9_000,
    }
    away = live.plan_task("us-east", "eu-central", now, source_reachable=False, state="failed", cause=cause)
    put(live_redis, away, live.source_task("us-east", "eu-central", now, records_per_second=0.0, cause=cause))
    text = "Drivers report: Cluster us-east does not answer: refused."
    assert told()[1] == ("us-east", False, now - 9_000, text)
    assert asked[-1] == {"us-east", "eu-central"}
