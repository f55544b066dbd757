"""Users, tokens and drafts that two people change at the same time: the second one gets 412 and the differences."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH

pytestmark = BOTH

_USERS, _TOKENS, _DRAFTS = "/api/v2/users", "/api/v2/tokens", "/api/v2/config/drafts"
_TASKS = "us-east->eu-central.tasks.max"
_STALE = {"If-Match": '"of-another-state"'}


@pytest.fixture
def user(admin: APIClient) -> str:
    return create(admin, _USERS, {"name": "ann", "role": "viewer"}, "name")


@pytest.fixture
def token(admin: APIClient) -> str:
    return create(admin, _TOKENS, {"name": "ci"}, "id")


@pytest.fixture
def draft(admin: APIClient, one_flow: str) -> str:
    return create(admin, _DRAFTS, {"name": "more tasks", **_tasks("3")}, "id")


def _tasks(value: str) -> dict[str, Any]:
    return {"changes": [{"key": _TASKS, "value": value}]}


def create(client: APIClient, path: str, body: Any, key: str) -> str:
    """Create an object whose ETag is that of the later reading; returns its address."""
    made = client.post(path, body, format="json")
    assert made.status_code == 201, made.content
    address = f"{path}/{made.json()[key]}"
    assert client.get(address).headers["ETag"] == made.headers["ETag"]
    return address


@pytest.mark.parametrize(
    ("fixture", "body", "late", "difference"),
    [
        ("user", {"role": "operator"}, {"role": "viewer"}, ("role", "viewer", "operator")),
        ("user", {"active": False}, {"active": True}, ("active", True, False)),
        ("draft", {"name": "fewer tasks"}, {"name": "again"}, ("name", "again", "fewer tasks")),
        ("draft", _tasks("4"), _tasks("5"), (_TASKS, "5", "4")),
    ],
)
def test_the_second_of_two_changes_is_refused_with_the_differences(
    admin: APIClient,
    request: pytest.FixtureRequest,
    fixture: str,
    body: dict[str, Any],
    late: dict[str, Any],
    difference: tuple[str, Any, Any],
) -> None:
    address = request.getfixturevalue(fixture)
    seen = admin.get(address).headers["ETag"]

    first = admin.patch(address, body, format="json", headers={"If-Match": seen})
    entries = TrailEntry.objects.count()
    second = admin.patch(address, late, format="json", headers={"If-Match": seen})

    assert (first.status_code, second.status_code) == (200, 412)
    assert first.headers["ETag"] != seen
    assert second.json()["diff"] == [dict(zip(("field", "yours", "current"), difference, strict=True))]
    assert second.headers["ETag"] == first.headers["ETag"] == admin.get(address).headers["ETag"]
    assert TrailEntry.objects.count() == entries
    assert admin.patch(address, late, format="json", headers={"If-Match": second.headers["ETag"]}).status_code == 200


@pytest.mark.parametrize("fixture", ["user", "token", "draft"])
def test_a_stale_deletion_changes_nothing(admin: APIClient, request: pytest.FixtureRequest, fixture: str) -> None:
    address = request.getfixturevalue(fixture)
    seen = admin.get(address)

    assert admin.delete(address, headers=_STALE).status_code == 412
    assert admin.get(address).json() == seen.json()
    assert admin.delete(address, headers={"If-Match": f"W/{seen.headers['ETag']}"}).status_code == 204


def test_a_revoked_token_has_another_etag_and_a_used_one_has_not(admin: APIClient) -> None:
    made = admin.post(_TOKENS, {"name": "ci"}, format="json")
    address, text = f"{_TOKENS}/{made.json()['id']}", made.json()["token"]

    APIClient().get("/api/v2/me", headers={"Authorization": f"Bearer {text}"})
    used = admin.get(address)
    admin.delete(address)

    assert used.json()["last_used_ms"] is not None
    assert used.headers["ETag"] == made.headers["ETag"]
    assert admin.delete(address, headers={"If-Match": made.headers["ETag"]}).status_code == 412


def test_a_login_changes_no_etag(admin: APIClient, user: str, person: Callable[[str | None], APIClient]) -> None:
    person("viewer")
    address = f"{_USERS}/somebody-viewer"
    seen = admin.get(address).headers["ETag"]

    APIClient().login(username="somebody-viewer", password="a long password of the tests")

    assert admin.get(address).headers["ETag"] == seen


def test_the_differences_of_a_draft_hide_secrets(admin: APIClient, draft: str) -> None:
    changes = [
        {"key": "us-east.ssl.key.password", "value": "planted-secret"},
        {"key": "us-east->eu-central.tasks.max", "value": "9"},
    ]
    answer = admin.patch(draft, {"changes": changes, "name": "other"}, format="json", headers=_STALE)

    assert answer.status_code == 412
    assert answer.json()["diff"] == [
        {"field": "name", "yours": "other", "current": "more tasks"},
        {"field": "us-east->eu-central.tasks.max", "yours": "9", "current": "3"},
        {"field": "us-east.ssl.key.password", "yours": "${secret:hidden}", "current": None},
    ]
