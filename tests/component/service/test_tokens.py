"""API tokens: shown once, limited by scope and owner, expired, revoked, accepted by REST, metrics and socket."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.test import APIClient

from srm_service.people.models import ApiToken
from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH, at_ms

pytestmark = BOTH

_TOKENS = "/api/v2/tokens"
_FLOW = "/api/v2/replications/us-east/eu-central"
_PAUSE = {"action": "pause", "reason": "maintenance"}


@pytest.fixture
def admin(person: Callable[[str | None], APIClient]) -> APIClient:
    return person("admin")


def _created(client: APIClient, *scopes: str, **body: Any) -> dict[str, Any]:
    answer = client.post(_TOKENS, {"name": "ci", "scopes": list(scopes), **body}, format="json")
    assert answer.status_code == 201, answer.content
    created: dict[str, Any] = answer.json()
    return created


def _bearer(text: str) -> APIClient:
    client = APIClient(enforce_csrf_checks=True)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return client


def _token(client: APIClient, *scopes: str) -> APIClient:
    return _bearer(_created(client, *scopes)["token"])


def test_a_token_reads_and_its_secret_is_only_a_digest(operator: APIClient, caplog: pytest.LogCaptureFixture) -> None:
    created = _created(operator, "read")
    text = created["token"]

    assert text.startswith(f"srm_{created['id']}_")
    assert _bearer(text).get("/api/v2/me").json() == {
        "username": "somebody-operator",
        "role": "viewer",
        "permissions": ["flows.read", "clusters.read", "drivers.read"],
    }
    secret = text.rpartition("_")[2]
    stored = json.dumps([*ApiToken.objects.values(), *TrailEntry.objects.values()], default=str)
    assert secret not in stored + caplog.text + operator.get(_TOKENS).content.decode()


def test_scope_operate_acts_without_csrf_and_the_trail_names_the_token(operator: APIClient, one_flow: str) -> None:
    created = _created(operator, "operate")

    assert _bearer(created["token"]).post(f"{_FLOW}/actions", _PAUSE, format="json").status_code == 200
    entry = TrailEntry.objects.get(action="flow.pause")
    assert (entry.actor, entry.actor_kind, entry.token) == ("somebody-operator", "token", created["id"])


def test_scope_read_changes_nothing_not_even_what_viewers_may(operator: APIClient, one_flow: str) -> None:
    reading = _token(operator, "read")

    answers = [
        reading.post(f"{_FLOW}/actions", _PAUSE, format="json"),
        reading.post(_TOKENS, {"name": "more", "scopes": ["read"]}, format="json"),
        reading.delete("/api/v2/sessions"),
        reading.post("/api/v2/me/password", {"old_password": "x", "new_password": "y"}, format="json"),
    ]
    assert [answer.status_code for answer in answers] == [403] * 4
    assert "scope" in answers[0].json()["detail"]


def test_scope_metrics_opens_the_prometheus_page_only(viewer: APIClient) -> None:
    scraper = _token(viewer, "metrics")

    assert scraper.get("/metrics").status_code == 200
    assert scraper.get("/api/v2/replications").status_code == 403
    assert scraper.get("/api/v2/trail").status_code == 403
    assert _token(viewer, "read").get("/metrics").status_code == 200


def test_no_one_creates_a_token_with_more_rights(viewer: APIClient, operator: APIClient, admin: APIClient) -> None:
    for client, scope in ((viewer, "operate"), (viewer, "admin"), (operator, "admin")):
        answer = client.post(_TOKENS, {"name": "ci", "scopes": [scope]}, format="json")
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == "scopes"
    assert _token(operator, "operate").post(_TOKENS, {"name": "ci"}, format="json").status_code == 403
    assert _token(admin, "admin").post(_TOKENS, {"name": "ci"}, format="json").status_code == 201


def test_a_token_loses_rights_with_its_owner(operator: APIClient, admin: APIClient, one_flow: str) -> None:
    token = _token(operator, "operate")

    admin.patch("/api/v2/users/somebody-operator", {"role": "viewer"}, format="json")
    assert token.get("/api/v2/me").json()["role"] == "viewer"
    assert token.post(f"{_FLOW}/actions", _PAUSE, format="json").status_code == 403
    admin.patch("/api/v2/users/somebody-operator", {"active": False}, format="json")
    refused = token.get("/api/v2/me")
    assert refused.status_code == 401
    assert "owner is disabled" in refused.json()["detail"]
    assert admin.get(_TOKENS).json()["items"][0]["state"] == "owner_disabled"


def test_an_expired_and_a_revoked_token_are_refused_with_the_reason(viewer: APIClient) -> None:
    expired, revoked = _created(viewer, "read"), _created(viewer, "read")
    past = timezone.now() - timedelta(seconds=1)
    ApiToken.objects.filter(prefix=expired["id"]).update(created_at=past - timedelta(days=1), expires_at=past)

    assert viewer.delete(f"{_TOKENS}/{revoked['id']}").status_code == 204
    assert viewer.delete(f"{_TOKENS}/{revoked['id']}").status_code == 204  # again is no error
    for created, reason in ((expired, "expired"), (revoked, "revoked")):
        answer = _bearer(created["token"]).get("/api/v2/me")
        assert answer.status_code == 401
        assert reason in answer.json()["detail"]
        assert viewer.get(f"{_TOKENS}/{created['id']}").json()["state"] == reason
    assert TrailEntry.objects.filter(action="token.revoke").count() == 1


@pytest.mark.parametrize(
    "text", ["", "x", "srm_", "srm_abc", "srm__x", "srm_abc_\x00", "srm_\xe4_x", "srm_abc_" + "x" * 5_000]
)
def test_nonsense_as_a_token_is_unauthorized(text: str, db: None) -> None:
    answer = _bearer(text).get("/api/v2/me")

    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"


def test_a_known_prefix_with_another_secret_is_refused(viewer: APIClient) -> None:
    text = _created(viewer, "read")["token"]

    assert _bearer(text[:-1] + ("x" if text[-1] != "x" else "y")).get("/api/v2/me").status_code == 401


def test_the_last_use_is_stored_at_most_once_a_minute(viewer: APIClient) -> None:
    created = _created(viewer, "read")
    token = _bearer(created["token"])
    assert created["last_used_ms"] is None

    token.get("/api/v2/me")
    first = ApiToken.objects.get().last_used_at
    token.get("/api/v2/me")
    assert first is not None
    assert ApiToken.objects.get().last_used_at == first
    earlier = timezone.now() - timedelta(seconds=61)
    ApiToken.objects.update(last_used_at=earlier)
    token.get("/api/v2/me")
    later = ApiToken.objects.get().last_used_at
    assert later is not None
    assert later > earlier


def test_tokens_of_others_are_for_admins(viewer: APIClient, operator: APIClient, admin: APIClient) -> None:
    mine, other = _created(viewer, "read"), _created(operator, "read")

    assert [each["id"] for each in viewer.get(_TOKENS).json()["items"]] == [mine["id"]]
    assert viewer.get(_TOKENS, {"user": "somebody-operator"}).status_code == 403
    assert viewer.get(f"{_TOKENS}/{other['id']}").status_code == 404
    assert viewer.delete(f"{_TOKENS}/{other['id']}").status_code == 404
    assert {each["id"] for each in admin.get(_TOKENS).json()["items"]} == {mine["id"], other["id"]}
    assert admin.delete(f"{_TOKENS}/{other['id']}").status_code == 204


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x", "scopes": []}, "scopes"),
        ({"name": "x", "scopes": "read"}, "scopes"),
        ({"name": "x", "scopes": ["all"]}, "scopes.0"),
        ({"name": "x", "expires_ms": 1}, "expires_ms"),
        ({"name": "x", "expires_ms": 99_999_999_999_999_999_999}, "expires_ms"),
        ({"name": "x", "expires_ms": "soon"}, "expires_ms"),
    ],
)
def test_an_invalid_token_is_refused_by_field(viewer: APIClient, body: dict[str, Any], field: str) -> None:
    answer = viewer.post(_TOKENS, body, format="json")

    assert answer.status_code == 400
    assert [each["field"] for each in answer.json()["errors"]] == [field]


def test_an_expiry_is_kept_to_the_millisecond(viewer: APIClient) -> None:
    expires_ms = at_ms() + 3_600_123

    assert _created(viewer, "read", expires_ms=expires_ms)["expires_ms"] == expires_ms


def test_tokens_go_with_their_owner(viewer: APIClient, admin: APIClient) -> None:
    token = _token(viewer, "read")
    admin.delete("/api/v2/users/somebody-viewer")

    assert not User.objects.filter(username="somebody-viewer").exists()
    assert token.get("/api/v2/me").status_code == 401
