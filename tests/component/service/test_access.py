"""Access: the roles that may read and those that may change."""

import base64
import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from rest_framework.test import APIClient

from tests.component.service.conftest import BOTH, PASSWORD

pytestmark = BOTH

_CLOSED = (
    "/api/v2/me",
    "/api/v2/about",
    "/api/v2/clusters",
    "/api/v2/replications",
    "/api/v2/drivers",
    "/api/v2/drivers/driver-1",
    "/api/v2/tasks",
    "/api/v2/metrics/summary",
    "/api/schema/",
    "/metrics",
)
_PAUSE = {"action": "pause", "reason": "maintenance"}


@pytest.mark.parametrize("path", _CLOSED)
def test_without_a_login_nothing_is_answered(path: str) -> None:
    response = APIClient().get(path)

    assert response.status_code == 401


@pytest.mark.parametrize("path", ["/livez", "/login"])
def test_liveness_and_the_login_page_are_open(path: str) -> None:
    assert Client().get(path).status_code == 200


def test_readiness_is_open_and_names_what_is_missing() -> None:
    answer = Client().get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["parts"]["database"] == "ok"
    assert "does not answer" in answer.json()["parts"]["redis"]


def test_somebody_without_a_role_is_refused(person: Callable[[str | None], APIClient]) -> None:
    response = person(None).get("/api/v2/replications")

    assert response.status_code == 403
    assert "viewer role" in response.json()["detail"]


def test_a_viewer_reads_but_does_not_act(viewer: APIClient, one_flow: str) -> None:
    read = viewer.get("/api/v2/replications/us-east/eu-central")
    act = viewer.post("/api/v2/replications/us-east/eu-central/actions", _PAUSE, format="json")

    assert read.status_code == 200
    assert read.json()["permissions"] == ["flows.read"]
    assert act.status_code == 403
    assert act["Content-Type"] == "application/problem+json"
    assert "operator role" in act.json()["detail"]


def test_me_names_the_role_and_its_rights(operator: APIClient) -> None:
    answer = operator.get("/api/v2/me").json()

    assert answer["role"] == "operator"
    assert "flows.act" in answer["permissions"]
    assert "clusters.change" not in answer["permissions"]


def test_basic_authentication_works_and_a_wrong_password_does_not(person: Callable[[str | None], APIClient]) -> None:
    person("viewer")

    assert _with_basic(PASSWORD).get("/api/v2/me").status_code == 200
    assert _with_basic(PASSWORD).get("/api/v2/me").status_code == 200  # the remembered one
    assert _with_basic("wrong").get("/api/v2/me").status_code == 401


def test_a_changed_password_ends_the_remembered_one(person: Callable[[str | None], APIClient]) -> None:
    person("viewer")
    _with_basic(PASSWORD).get("/api/v2/me")
    user = User.objects.get(username="somebody-viewer")
    user.set_password("another long password")
    user.save()

    assert _with_basic(PASSWORD).get("/api/v2/me").status_code == 401


def test_a_refused_script_in_a_browser_gets_no_password_dialog() -> None:
    response = APIClient().get("/api/v2/me", headers={"Sec-Fetch-Mode": "cors"})

    assert response.status_code == 401
    assert not response["WWW-Authenticate"].startswith("Basic")


def test_a_session_needs_the_csrf_token_to_act(operator: APIClient, one_flow: str) -> None:
    strict = APIClient(enforce_csrf_checks=True)
    strict.cookies = operator.cookies

    response = strict.post("/api/v2/replications/us-east/eu-central/actions", _PAUSE, format="json")

    assert response.status_code == 403
    assert "CSRF" in response.json()["detail"]


def test_login_opens_a_session_and_redirects_to_the_asked_page(person: Callable[[str | None], APIClient]) -> None:
    person("viewer")
    fields = {"username": "somebody-viewer", "password": PASSWORD, "next": "/replications"}

    client = Client()
    response = client.post("/login", fields)

    assert response.status_code == 302
    assert response["Location"] == "/replications"
    assert client.get("/api/v2/me").status_code == 200


def test_a_wrong_login_is_answered_with_the_form() -> None:
    response = Client().post("/login", {"username": "nobody", "password": "wrong"})

    assert response.status_code == 200
    assert "login-error" in response.content.decode()


def test_an_unknown_api_address_is_a_problem_document(viewer: APIClient) -> None:
    response = viewer.get("/api/v2/nothing-here")

    problem = json.loads(response.content)
    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"
    assert problem["request_id"] == response["X-Request-ID"]


def test_an_offered_request_id_is_kept_unless_it_is_nonsense() -> None:
    client = Client()

    assert client.get("/livez", headers={"X-Request-ID": "trace-12345678"})["X-Request-ID"] == "trace-12345678"
    assert client.get("/livez", headers={"X-Request-ID": "a b\n"})["X-Request-ID"] != "a b\n"


def _with_basic(password: str) -> APIClient:
    token = base64.b64encode(f"somebody-viewer:{password}".encode()).decode()
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Basic {token}")
    return client
