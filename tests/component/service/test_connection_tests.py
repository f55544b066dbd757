"""Connection tests over REST: the step that failed is named, and no secret is in an answer."""

import socket
from typing import Any

import pytest
from rest_framework.test import APIClient

from replication.domain.connection_test.certificate import Certificate
from replication.domain.connection_test.report import BrokerReport, ConnectionReport
from replication.domain.connection_test.steps import StepResult
from srm_service.clusters import connection_tests
from srm_service.clusters.connection_tests import MOST_AT_ONCE
from tests.component.service.conftest import BOTH

pytestmark = BOTH

CLUSTERS = "/api/v2/clusters"
_PASSWORD = "planted-secret"
_JAAS = f'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="{_PASSWORD}";'
_SASL = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}


@pytest.fixture
def admin(person: Any) -> APIClient:
    client: APIClient = person("admin")
    return client


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def test_an_unsaved_definition_is_tested_and_not_stored(admin: APIClient, closed_port: int) -> None:
    body = {"bootstrap": [f"127.0.0.1:{closed_port}", "no-such.invalid:9092"], "timeout_ms": 2_000}

    response = admin.post(f"{CLUSTERS}/test", body, format="json")

    answer = response.json()
    assert response.status_code == 200, answer
    assert not answer["ok"]
    assert {broker["address"]: broker["failed_step"] for broker in answer["brokers"]} == {
        f"127.0.0.1:{closed_port}": "tcp",
        "no-such.invalid:9092": "name",
    }
    assert "step tcp failed" in answer["problem"]
    assert all(step["remedy"] for broker in answer["brokers"] for step in broker["steps"] if step["state"] == "failed")
    assert admin.get(CLUSTERS).json()["items"] == []


def test_a_registered_cluster_is_tested_by_operators(admin: APIClient, person: Any, closed_port: int) -> None:
    cluster = {"alias": "us-east", "bootstrap": [f"127.0.0.1:{closed_port}"]}
    assert admin.post(CLUSTERS, cluster, format="json").status_code == 201

    answer = person("operator").post(f"{CLUSTERS}/us-east/test", {}, format="json").json()

    (broker,) = answer["brokers"]
    assert broker["failed_step"] == "tcp"
    assert [step["name"] for step in broker["steps"]] == ["name", "tcp", "protocol", "metadata", "rights"]
    assert person("viewer").post(f"{CLUSTERS}/us-east/test", {}, format="json").status_code == 403


def test_a_cluster_that_does_not_answer_says_why(admin: APIClient, closed_port: int) -> None:
    cluster = {"alias": "us-east", "bootstrap": [f"127.0.0.1:{closed_port}"]}
    admin.post(CLUSTERS, cluster, format="json")

    answer = admin.get(f"{CLUSTERS}/us-east").json()

    assert answer["reachable"] is False
    assert f"Broker 127.0.0.1:{closed_port}: step tcp failed" in answer["error"]


def test_a_cluster_shows_its_release_and_the_first_certificate_that_ends(
    admin: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broker(address: str, version: str, not_after_ms: int) -> BrokerReport:
        certificate = Certificate(
            subject="CN=b",
            issuer="CN=ca",
            names=(),
            not_before_ms=1,
            not_after_ms=not_after_ms,
            days_left=1,
            hostname_matches=True,
        )
        return BrokerReport(
            address=address, origin="bootstrap", steps=(), kafka_version=version, certificate=certificate
        )

    brokers = (broker("a:1", "4.1", 9_000), broker("b:1", "3.9", 7_000))
    report = ConnectionReport(brokers=brokers, cluster_id="id", broker_count=2)
    monkeypatch.setattr(connection_tests, "connection_report", lambda *_: report)
    admin.post(CLUSTERS, {"alias": "eu-tls", "bootstrap": ["a:1"]}, format="json")

    answer = admin.get(f"{CLUSTERS}/eu-tls").json()

    assert (answer["kafka_version"], answer["certificate_until_ms"], answer["brokers"]) == ("3.9", 7_000, 2)


def test_a_cluster_under_a_second_alias_is_named_as_the_same(admin: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    report = ConnectionReport(brokers=(), cluster_id="one-id", broker_count=1)
    monkeypatch.setattr(connection_tests, "connection_report", lambda *_: report)
    for alias in ("first-name", "second-name"):
        admin.post(CLUSTERS, {"alias": alias, "bootstrap": ["a:1"]}, format="json")
    alone = admin.get(f"{CLUSTERS}/first-name").json()["warning"]

    twin = admin.get(f"{CLUSTERS}/second-name").json()["warning"]
    added = admin.post(f"{CLUSTERS}/test", {"bootstrap": ["a:1"], "alias": ""}, format="json").json()["warning"]
    edited = admin.post(f"{CLUSTERS}/first-name/test", {}, format="json").json()["warning"]

    assert alone == ""
    assert twin == "This is the same Kafka cluster (id one-id) as first-name."
    assert added == "This is the same Kafka cluster (id one-id) as first-name, second-name."
    assert edited == "This is the same Kafka cluster (id one-id) as second-name."


def test_settings_that_cannot_be_used_are_named(admin: APIClient) -> None:
    body = {"bootstrap": ["127.0.0.1:1"], "client": _SASL}

    answer = admin.post(f"{CLUSTERS}/test", body, format="json").json()

    assert "sasl.jaas.config is missing" in answer["error"]
    assert answer["problem"] == answer["error"]


def test_a_secret_in_a_text_of_the_report_is_replaced(admin: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def report(*_: Any) -> ConnectionReport:
        step = StepResult(name="sasl", state="failed", took_ms=1, text=f"the broker says {_PASSWORD}", remedy="r")
        return ConnectionReport(
            brokers=(BrokerReport(address="a:1", origin="bootstrap", steps=(step,)),), error=f"bad {_JAAS}"
        )

    monkeypatch.setattr(connection_tests, "connection_report", report)
    body = {"bootstrap": ["a:1"], "client": _SASL, "secrets": {"sasl.jaas.config": _JAAS}}

    response = admin.post(f"{CLUSTERS}/test", body, format="json")

    assert response.status_code == 200
    assert _PASSWORD not in response.content.decode()
    assert "***" in response.json()["brokers"][0]["steps"][0]["text"]


def test_references_are_looked_up_in_secrets_only(admin: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", _PASSWORD)
    body = {"bootstrap": ["127.0.0.1:1"], "client": {"security.protocol": "${env:PLANTED}"}}

    shown = admin.post(f"{CLUSTERS}/test", body, format="json")

    assert _PASSWORD not in shown.content.decode()
    missing = {"bootstrap": ["127.0.0.1:1"], "client": _SASL, "secrets": {"sasl.jaas.config": "${env:NOT_SET}"}}
    refused = admin.post(f"{CLUSTERS}/test", missing, format="json")
    assert refused.status_code == 400
    assert "NOT_SET" in refused.json()["detail"]


def test_more_tests_than_allowed_at_once_are_refused(admin: APIClient) -> None:
    for _ in range(MOST_AT_ONCE):
        connection_tests._running.acquire()
    try:
        response = admin.post(f"{CLUSTERS}/test", {"bootstrap": ["127.0.0.1:1"]}, format="json")
    finally:
        for _ in range(MOST_AT_ONCE):
            connection_tests._running.release()

    assert response.status_code == 503
    assert "repeat" in response.json()["detail"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"bootstrap": []}, "bootstrap"),
        ({"bootstrap": ["127.0.0.1:1", "b1"]}, "bootstrap"),
        ({"bootstrap": ["127.0.0.1:99999"]}, "bootstrap"),
        ({"timeout_ms": 60_000}, "timeout_ms"),
        ({"used_as": ["both"]}, "used_as"),
        ({"client": {"tasks.max": "1"}}, "client"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_nonsense_is_refused_and_named(admin: APIClient, change: dict[str, Any], named: str) -> None:
    response = admin.post(f"{CLUSTERS}/test", {"bootstrap": ["127.0.0.1:1"], **change}, format="json")

    assert response.status_code == 400
    assert any(error["field"].startswith(named) for error in response.json()["errors"])


def test_an_unknown_cluster_is_not_found(operator: APIClient) -> None:
    assert operator.post(f"{CLUSTERS}/nowhere/test", {}, format="json").status_code == 404


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The clients with which connections are tested."""
    seen: list[Any] = []

    def report(client: Any, *_: Any) -> ConnectionReport:
        seen.append(client)
        return ConnectionReport(brokers=(), cluster_id="id", broker_count=1)

    monkeypatch.setattr(connection_tests, "connection_report", report)
    return seen


_STORED = {"alias": "us-east", "bootstrap": ["a:1", "b:1"], "client": _SASL, "secrets": {"sasl.jaas.config": _JAAS}}
_EDIT = {"alias": "us-east", "bootstrap": ["a:1"], "client": {**_SASL, "client.rack": "r"}}


def test_an_edit_is_tested_with_the_stored_secrets_that_it_leaves_as_they_are(
    admin: APIClient, used: list[Any]
) -> None:
    admin.post(CLUSTERS, _STORED, format="json")
    used.clear()

    answer = admin.post(f"{CLUSTERS}/test", _EDIT, format="json")

    assert answer.status_code == 200
    assert _PASSWORD not in answer.content.decode()
    assert [(client.alias, client.client["sasl.jaas.config"]) for client in used] == [("us-east", _JAAS)]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"bootstrap": ["a:1", "elsewhere:1"]}, id="another address"),
        pytest.param({"client": {**_SASL, "sasl.mechanism": "SCRAM-SHA-256"}}, id="another mechanism"),
        pytest.param({"client": {**_SASL, "ssl.truststore.location": "/t"}}, id="another truststore"),
    ],
)
def test_stored_secrets_are_never_sent_in_another_way_than_the_stored_one(
    admin: APIClient, used: list[Any], change: dict[str, Any]
) -> None:
    admin.post(CLUSTERS, _STORED, format="json")
    used.clear()

    refused = admin.post(f"{CLUSTERS}/test", {**_EDIT, **change}, format="json")
    again = admin.post(f"{CLUSTERS}/test", {**_EDIT, **change, "secrets": {"sasl.jaas.config": "typed"}}, format="json")

    assert refused.status_code == 400
    [error] = refused.json()["errors"]
    assert error["field"] == "secrets.sasl.jaas.config"
    assert error["detail"].startswith("Stored secrets are sent only to the stored bootstrap servers")
    assert again.status_code == 200
    assert [client.client["sasl.jaas.config"] for client in used] == ["typed"]


def test_an_edit_without_login_needs_no_secret_at_another_address(admin: APIClient, used: list[Any]) -> None:
    admin.post(CLUSTERS, _STORED, format="json")
    used.clear()

    answer = admin.post(f"{CLUSTERS}/test", {"alias": "us-east", "bootstrap": ["c:1"]}, format="json")

    assert answer.status_code == 200
    assert ["sasl.jaas.config" in client.client for client in used] == [False]


def test_only_admins_test_with_stored_secrets(admin: APIClient, person: Any, used: list[Any]) -> None:
    admin.post(CLUSTERS, _STORED, format="json")
    used.clear()

    assert person("operator").post(f"{CLUSTERS}/test", _EDIT, format="json").status_code == 403
    assert used == []
