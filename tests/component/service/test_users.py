"""Users: created, changed, disabled and deleted by admins; the own password; sessions."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from srm_service.core.auth.accounts import admin_ensure
from srm_service.core.jobs import prune_sessions
from srm_service.people.models import LoginSession
from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH, PASSWORD

pytestmark = BOTH

_USERS = "/api/v2/users"
_OTHER = "another long password"


@pytest.fixture
def admin(person: Callable[[str | None], APIClient]) -> APIClient:
    return person("admin")


def _create(admin: APIClient, **body: Any) -> dict[str, Any]:
    answer = admin.post(_USERS, {"name": "ann", "role": "viewer", "password": PASSWORD, **body}, format="json")
    assert answer.status_code == 201, answer.content
    created: dict[str, Any] = answer.json()
    return created


def _login(name: str, password: str = PASSWORD) -> Client:
    client = Client()
    client.post("/login", {"username": name, "password": password})
    return client


def _reads(client: Client) -> int:
    return client.get("/api/v2/me").status_code


def _actions() -> list[str]:
    return [entry.action for entry in TrailEntry.objects.exclude(action="session.start")]


def test_a_created_user_logs_in_with_the_role(admin: APIClient) -> None:
    created = _create(admin, role="operator")

    assert (created["name"], created["role"], created["active"], created["password"]) == ("ann", "operator", True, None)
    assert _login("ann").get("/api/v2/me").json()["role"] == "operator"
    assert admin.get(f"{_USERS}/ann").json()["sessions"] == 1
    assert _actions() == ["user.create"]


def test_a_generated_password_is_answered_once_and_is_nowhere_else(
    admin: APIClient, caplog: pytest.LogCaptureFixture
) -> None:
    password = _create(admin, password=None)["password"]

    assert _reads(_login("ann", password)) == 200
    stored = json.dumps([[entry.before, entry.after, entry.reason] for entry in TrailEntry.objects.all()])
    assert password not in stored + caplog.text + User.objects.get(username="ann").password
    assert password not in admin.get(f"{_USERS}/ann").content.decode()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "", "role": "viewer"}, "name"),
        ({"name": "a/b", "role": "viewer"}, "name"),
        ({"name": "a\0b", "role": "viewer"}, "name"),
        ({"name": "x" * 151, "role": "viewer"}, "name"),
        ({"name": "bob", "role": "owner"}, "role"),
        ({"name": "bob"}, "role"),
        ({"name": "bob", "role": "viewer", "password": "short"}, "password"),
        ({"name": "bob", "role": "viewer", "password": "password123"}, "password"),
        ({"name": "bob", "role": "viewer", "password": ["x"]}, "password"),
    ],
)
def test_an_invalid_user_is_refused_by_field(admin: APIClient, body: dict[str, Any], field: str) -> None:
    answer = admin.post(_USERS, body, format="json")

    assert answer.status_code == 400
    assert {each["field"] for each in answer.json()["errors"]} == {field}
    assert User.objects.count() == 1


def test_a_second_user_of_a_name_is_a_conflict_regardless_of_case(admin: APIClient) -> None:
    _create(admin)

    answer = admin.post(_USERS, {"name": "Ann", "role": "viewer"}, format="json")

    assert answer.status_code == 409
    assert "ann" in answer.json()["detail"].lower()


def test_a_role_is_changed_in_both_directions(admin: APIClient) -> None:
    _create(admin)
    client = _login("ann")

    admin.patch(f"{_USERS}/ann", {"role": "admin"}, format="json")
    as_admin = client.get(_USERS).status_code
    admin.patch(f"{_USERS}/ann", {"role": None}, format="json")

    assert as_admin == 200
    assert client.get("/api/v2/replications").status_code == 403
    entry = TrailEntry.objects.filter(action="user.change_role").first()
    assert entry is not None
    assert (entry.before, entry.after) == ({"role": "admin", "active": True}, {"role": None, "active": True})


def test_a_disabled_user_has_no_session_and_no_login_until_enabled(admin: APIClient) -> None:
    _create(admin)
    client = _login("ann")

    assert admin.patch(f"{_USERS}/ann", {"active": False}, format="json").json()["sessions"] == 0
    assert (_reads(client), _reads(_login("ann"))) == (401, 401)
    assert admin.patch(f"{_USERS}/ann", {"active": True}, format="json").json()["role"] == "viewer"
    assert _reads(_login("ann")) == 200
    assert _actions() == ["user.enable", "user.disable", "user.create"]


@pytest.mark.parametrize("change", [{"role": "operator"}, {"active": False}, {"role": None, "active": True}])
def test_the_last_admin_keeps_role_and_state(admin: APIClient, change: dict[str, Any]) -> None:
    name = "somebody-admin"
    answer = admin.patch(f"{_USERS}/{name}", change, format="json")

    assert answer.status_code == 409
    assert "only admin" in answer.json()["detail"]
    assert admin.delete(f"{_USERS}/{name}").status_code == 409
    assert admin.get("/api/v2/me").json()["role"] == "admin"


def test_an_admin_beside_another_one_can_go(admin: APIClient, tmp_path: Any) -> None:
    _create(admin, role="admin")

    assert admin.delete(f"{_USERS}/ann").status_code == 204
    assert admin.get(f"{_USERS}/ann").status_code == 404
    assert admin_ensure(tmp_path / "admin-password") is None  # an admin by group is one


def test_a_disabled_admin_does_not_count_as_one(admin: APIClient) -> None:
    _create(admin, role="admin")
    admin.patch(f"{_USERS}/ann", {"active": False}, format="json")

    assert admin.patch(f"{_USERS}/somebody-admin", {"active": False}, format="json").status_code == 409


def test_a_change_without_effect_is_not_recorded_and_an_empty_one_is_refused(admin: APIClient) -> None:
    _create(admin)

    assert admin.patch(f"{_USERS}/ann", {"role": "viewer"}, format="json").status_code == 200
    assert admin.patch(f"{_USERS}/ann", {}, format="json").status_code == 400
    assert _actions() == ["user.create"]


def test_a_reset_password_ends_sessions_and_the_old_password(admin: APIClient) -> None:
    _create(admin)
    client = _login("ann")

    password = admin.post(f"{_USERS}/ann/password", {}, format="json").json()["password"]

    assert (_reads(client), _reads(_login("ann")), _reads(_login("ann", password))) == (401, 401, 200)
    assert admin.post(f"{_USERS}/ann/password", {"password": "short"}, format="json").status_code == 400


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_only_admins_see_and_change_users(role: str, person: Callable[[str | None], APIClient]) -> None:
    client = person(role)

    assert client.get(_USERS).status_code == 403
    assert client.get(f"{_USERS}/somebody-{role}").status_code == 403
    assert client.post(_USERS, {"name": "x", "role": "admin"}, format="json").status_code == 403
    assert client.patch(f"{_USERS}/somebody-{role}", {"role": "admin"}, format="json").status_code == 403
    assert client.delete(f"{_USERS}/somebody-{role}").status_code == 403
    assert client.post(f"{_USERS}/somebody-{role}/password", {}, format="json").status_code == 403
    assert client.post(f"{_USERS}/somebody-{role}/unlock").status_code == 403
    assert client.post("/api/v2/addresses/unlock", {"address": "192.0.2.1"}, format="json").status_code == 403


@pytest.mark.parametrize("call", ["get", "patch", "delete"])
def test_an_unknown_user_is_not_found(admin: APIClient, call: str) -> None:
    body = {"role": "viewer"} if call == "patch" else None

    assert getattr(admin, call)(f"{_USERS}/nowhere", body, format="json").status_code == 404


@pytest.mark.parametrize("name", ["a%00b", "a%2Fb", "%20", "..%2f..%2fetc", "x" * 2_000])
def test_a_path_that_is_no_name_is_not_found(admin: APIClient, name: str) -> None:
    assert admin.get(f"{_USERS}/{name}").status_code == 404
    assert admin.post(f"{_USERS}/{name}/password", {}, format="json").status_code == 404


def test_the_list_of_users_has_pages(admin: APIClient) -> None:
    for name in ("ann", "bob"):
        _create(admin, name=name)

    first = admin.get(_USERS, {"limit": "2"}).json()
    second = admin.get(_USERS, {"limit": "2", "cursor": first["next_cursor"]}).json()

    assert [user["name"] for user in first["items"] + second["items"]] == ["ann", "bob", "somebody-admin"]
    assert second["next_cursor"] is None


def test_the_own_password_needs_the_old_one_and_ends_other_sessions(admin: APIClient) -> None:
    _create(admin)
    here, elsewhere = _login("ann"), _login("ann")

    def change(old: str, new: str) -> int:
        body = json.dumps({"old_password": old, "new_password": new})
        return here.post("/api/v2/me/password", body, content_type="application/json").status_code

    assert (change("wrong", _OTHER), change(PASSWORD, "short"), _reads(elsewhere)) == (400, 400, 200)
    assert change(PASSWORD, _OTHER) == 204
    assert (_reads(here), _reads(elsewhere), _reads(_login("ann", _OTHER))) == (200, 401, 200)
    assert "user.change_password" in _actions()


def test_sessions_are_listed_with_origin_and_ended_by_their_owner(admin: APIClient) -> None:
    _create(admin)
    here = _login("ann")
    other = Client(REMOTE_ADDR="192.0.2.9", headers={"User-Agent": "curl/8"})
    other.post("/login", {"username": "ann", "password": PASSWORD})

    sessions = here.get("/api/v2/sessions").json()["items"]
    away = next(session for session in sessions if not session["current"])
    foreign = admin.get("/api/v2/sessions", {"user": "somebody-admin"}).json()["items"][0]

    assert (len(sessions), away["address"], away["user_agent"], away["user"]) == (2, "192.0.2.9", "curl/8", "ann")
    assert here.delete(f"/api/v2/sessions/{foreign['id']}").status_code == 404
    assert here.delete(f"/api/v2/sessions/{away['id']}").status_code == 204
    assert (_reads(here), _reads(other)) == (200, 401)


def test_an_admin_ends_all_sessions_of_a_user(admin: APIClient) -> None:
    _create(admin)
    clients = [_login("ann"), _login("ann")]

    everyone = {session["user"] for session in admin.get("/api/v2/sessions").json()["items"]}
    ended = admin.delete("/api/v2/sessions?user=ann").json()

    assert everyone == {"ann", "somebody-admin"}
    assert ended == {"ended": 2}
    assert [_reads(client) for client in clients] == [401, 401]
    assert _reads(admin) == 200


def test_a_viewer_sees_and_ends_no_sessions_of_others(viewer: APIClient, admin: APIClient) -> None:
    assert viewer.get("/api/v2/sessions", {"user": "somebody-admin"}).status_code == 403
    assert viewer.delete("/api/v2/sessions?user=somebody-admin").status_code == 403
    assert {each["user"] for each in viewer.get("/api/v2/sessions").json()["items"]} == {"somebody-viewer"}


def test_expired_sessions_are_pruned_and_of_no_use(admin: APIClient) -> None:
    LoginSession.objects.update(expire_date=timezone.now() - timedelta(seconds=1))

    assert _reads(admin) == 401
    prune_sessions()
    assert not LoginSession.objects.exists()


def test_the_key_of_a_session_is_not_in_the_database(admin: APIClient) -> None:
    key = admin.session.session_key or ""

    assert LoginSession.objects.exists()
    assert not LoginSession.objects.filter(session_key=key).exists()
    cookie = LoginSession.objects.get().session_key  # someone who read the database tries the id
    thief = Client()
    thief.cookies["sessionid"] = cookie
    assert _reads(thief) == 401
