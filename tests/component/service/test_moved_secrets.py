"""No way into the property tree moves a stored secret of a cluster to another place."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.component.service.conftest import BOTH

pytestmark = BOTH

_API = "/api/v2"
_SECRET = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="planted-secret";'
_LOGIN = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}
_AWAY = {"key": "us-east.bootstrap.servers", "value": "elsewhere:1"}
_AGAIN = {"key": "us-east.sasl.jaas.config", "value": _SECRET}


@pytest.fixture
def admin(person: Any) -> APIClient:
    client: APIClient = person("admin")
    secrets = {"sasl.jaas.config": _SECRET}
    body = {"alias": "us-east", "bootstrap": ["b:1"], "client": _LOGIN, "secrets": secrets}
    assert client.post(f"{_API}/clusters", body, format="json").status_code == 201
    return client


def _send(admin: APIClient, method: str, path: str, body: dict[str, Any], status: int = 200) -> dict[str, Any]:
    response = getattr(admin, method)(f"{_API}/{path}", body, format="json")
    assert response.status_code == status, response.content
    answer: dict[str, Any] = response.json()
    return answer


def _refused(admin: APIClient, method: str, path: str, body: dict[str, Any]) -> None:
    [error] = _send(admin, method, path, body, 400)["errors"]
    assert error["field"] == "secrets.us-east.sasl.jaas.config"
    assert error["detail"].endswith("enter this one again.")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_AWAY, id="another address"),
        pytest.param({"key": "us-east.sasl.mechanism", "value": "SCRAM-SHA-256"}, id="another mechanism"),
        pytest.param({"key": "ssl.endpoint.identification.algorithm", "value": ""}, id="a setting of all clusters"),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_property_moves_no_stored_secret(admin: APIClient, change: dict[str, str], dry_run: bool) -> None:
    _refused(admin, "patch", "properties", {"changes": [change], "dry_run": dry_run})

    _send(admin, "patch", "properties", {"changes": [change, _AGAIN], "dry_run": dry_run})


def test_a_draft_that_moves_a_stored_secret_says_so_and_is_not_applied(admin: APIClient) -> None:
    draft = _send(admin, "post", "config/drafts", {"name": "move", "changes": [_AWAY]}, 201)

    assert draft["is_valid"] is False
    assert [finding["key"] for finding in draft["findings"]] == ["us-east.sasl.jaas.config"]
    _refused(admin, "post", f"config/drafts/{draft['id']}/apply", {})


def test_an_import_moves_no_stored_secret(admin: APIClient) -> None:
    text = "clusters = us-east\nus-east.bootstrap.servers = elsewhere:1\n"
    order = {"text": text, "format": "mm2", "name": "mm2.properties"}

    _refused(admin, "post", "properties/import", order)


def test_a_revert_moves_no_stored_secret(admin: APIClient) -> None:
    first = admin.get(f"{_API}/properties").json()["version"]
    _send(admin, "patch", "properties", {"changes": [_AWAY, _AGAIN]})

    _refused(admin, "post", f"config/versions/{first}/revert", {})
