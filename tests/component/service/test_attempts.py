"""Attempts to log in are limited per name and per address, for the form, basic authentication and tokens alike."""

import base64
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from srm_service.core.web.request_origin import forwarded_address
from srm_service.people import attempts
from srm_service.people.attempts import (
    MOST_OF_ADDRESS,
    MOST_OF_NAME,
    MOST_OF_NAME_AND_ADDRESS,
    TooManyAttemptsError,
    attempt_begin,
    attempt_succeeded,
    attempts_prune,
)
from srm_service.people.jobs import prune_attempts
from srm_service.people.models import LoginAttempts
from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH, PASSWORD

pytestmark = BOTH

_HERE, _ELSEWHERE = "192.0.2.1", "192.0.2.2"


@pytest.fixture
def ann(person: Callable[[str | None], APIClient]) -> str:
    person("viewer")
    return "somebody-viewer"


def _login(name: str, password: str, address: str = _HERE) -> Any:
    return Client(REMOTE_ADDR=address).post("/login", {"username": name, "password": password})


def _basic(name: str, password: str, address: str = _HERE) -> Any:
    text = base64.b64encode(f"{name}:{password}".encode()).decode()
    return APIClient().get("/api/v2/me", headers={"Authorization": f"Basic {text}"}, REMOTE_ADDR=address)


def _bearer(text: str, address: str = _HERE) -> Any:
    return APIClient().get("/api/v2/me", headers={"Authorization": f"Bearer {text}"}, REMOTE_ADDR=address)


def test_a_hundred_wrong_passwords_in_a_row_are_refused_after_ten(ann: str) -> None:
    answers = [_basic(ann, f"wrong {number}") for number in range(100)]

    assert [answer.status_code for answer in answers] == [401] * 10 + [429] * 90
    last = answers[-1]
    assert last["Content-Type"] == "application/problem+json"
    assert 0 < int(last["Retry-After"]) <= attempts.WINDOW.total_seconds()
    assert last.json()["status"] == 429
    assert "unlock" in last.json()["detail"]


def test_the_login_page_says_how_long_to_wait(ann: str) -> None:
    answers = [_login(ann, f"wrong {number}") for number in range(12)]

    assert [answer.status_code for answer in answers] == [200] * 10 + [429] * 2
    assert "Too many attempts. Wait 5 minutes" in answers[-1].content.decode()
    assert int(answers[-1]["Retry-After"]) > 0


def test_the_right_password_is_refused_as_well_while_the_limit_holds(ann: str) -> None:
    assert _basic(ann, PASSWORD).status_code == 200  # which the process caches
    for number in range(MOST_OF_NAME_AND_ADDRESS):
        _login(ann, f"wrong {number}")

    assert (_login(ann, PASSWORD).status_code, _basic(ann, PASSWORD).status_code) == (429, 429)


def test_others_are_not_locked_out_by_one_address(ann: str) -> None:
    for number in range(100):
        _basic(ann, f"wrong {number}")

    assert _basic(ann, PASSWORD, _ELSEWHERE).status_code == 200
    assert _login(ann, PASSWORD, _ELSEWHERE).status_code == 302


def test_an_open_session_and_a_token_are_not_affected(viewer: APIClient) -> None:
    token = viewer.post("/api/v2/tokens", {"name": "ci"}, format="json").json()["token"]
    for number in range(MOST_OF_ADDRESS + 20):
        _basic(f"name-{number}", "wrong")

    assert _basic("somebody-viewer", PASSWORD).status_code == 429
    assert viewer.get("/api/v2/me", REMOTE_ADDR=_HERE).status_code == 200
    assert _bearer(token).status_code == 200


def test_a_success_resets_name_and_address(ann: str) -> None:
    for _ in range(3):
        for number in range(MOST_OF_NAME_AND_ADDRESS - 1):
            assert _login(ann, f"wrong {number}").status_code == 200
        assert _login(ann, PASSWORD).status_code == 302

    assert LoginAttempts.objects.get().attempts == 3 * (MOST_OF_NAME_AND_ADDRESS - 1)  # of the address


def test_unknown_names_are_limited_as_known_ones(db: None) -> None:
    answers = [_basic("no-such-person", "wrong").status_code for _ in range(11)]

    assert answers == [401] * 10 + [429]


def test_an_unknown_name_costs_as_many_hashes_as_a_known_one(ann: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.contrib.auth.hashers import MD5PasswordHasher

    calls: list[str] = []
    encode = MD5PasswordHasher.encode

    def counted(self: MD5PasswordHasher, password: str, salt: str) -> str:
        calls.append(password)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    disabled = User.objects.create_user("disabled", password=PASSWORD, is_active=False)
    disabled_by_provider = User.objects.create_user("provider-only")
    calls.clear()
    for name in (ann, "no-such-person", disabled.username, disabled_by_provider.username):
        _basic(name, "wrong")

    assert calls == ["wrong"] * 3 + [calls[3]]
    assert len(calls) == 4


def test_wrong_tokens_are_limited_per_address(db: None) -> None:
    known = [_bearer("srm_aaaaaaaaaaaa_wrong").status_code for _ in range(11)]
    other = [_bearer(f"srm_{number:012}_wrong", _ELSEWHERE).status_code for number in range(MOST_OF_ADDRESS + 1)]

    assert known == [401] * 10 + [429]
    assert other == [401] * MOST_OF_ADDRESS + [429]


def test_many_addresses_together_are_limited_per_name(ann: str) -> None:
    tried = [_basic(ann, "wrong", f"198.51.100.{number}").status_code for number in range(MOST_OF_NAME + 1)]

    assert tried == [401] * MOST_OF_NAME + [429]


def test_an_admin_unlocks_a_user_and_an_address(ann: str, person: Callable[[str | None], APIClient]) -> None:
    admin = person("admin")
    for number in range(MOST_OF_ADDRESS + 1):
        _basic(ann if number < 11 else f"name-{number}", "wrong")

    assert admin.post(f"/api/v2/users/{ann}/unlock").json()["counters"] == 2
    assert _basic(ann, PASSWORD).status_code == 429  # the address is still refused
    assert admin.post("/api/v2/addresses/unlock", {"address": _HERE}, format="json").json()["counters"] > 0
    assert _basic(ann, PASSWORD).status_code == 200
    assert admin.post("/api/v2/users/nowhere/unlock").status_code == 404
    assert admin.post("/api/v2/addresses/unlock", {"address": "nonsense"}, format="json").status_code == 400


def test_reaching_a_limit_is_in_the_trail_once_and_without_the_tried_name(ann: str) -> None:
    for number in range(30):
        _basic("typed-my-password-here", f"wrong {number}")

    (entry,) = TrailEntry.objects.filter(action="session.refuse")
    assert (entry.subject_kind, entry.subject, entry.outcome) == ("address", _HERE, "refused")
    values = [
        str(value) for model in (TrailEntry, LoginAttempts) for row in model.objects.values() for value in row.values()
    ]
    assert not [value for value in values if "typed-my-password-here" in value]


def test_the_limit_ends_with_its_window(ann: str) -> None:
    for number in range(11):
        _basic(ann, f"wrong {number}")
    LoginAttempts.objects.update(until=timezone.now() - timedelta(seconds=1))

    assert _basic(ann, PASSWORD).status_code == 200


def test_counters_of_ended_windows_are_pruned(db: None) -> None:
    attempt_begin("ann", _HERE)

    assert prune_attempts() == 0
    assert attempts_prune(timezone.now() + attempts.WINDOW) == 3
    assert not LoginAttempts.objects.exists()


def test_attempts_at_the_same_time_count_before_they_are_verified(db: None) -> None:
    for _ in range(MOST_OF_NAME_AND_ADDRESS):
        attempt_begin("ann", _HERE)  # none of them has an answer yet

    with pytest.raises(TooManyAttemptsError):
        attempt_begin("ANN", _HERE)
    attempt_succeeded("ann", _HERE)
    attempt_begin("ann", _HERE)


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 5_000, "ä" * 300, "'; DROP TABLE auth_user; --"])
def test_strange_names_are_wrong_names(name: str, db: None) -> None:
    assert _basic(name, "wrong").status_code == 401
    assert _login(name, "wrong").status_code == 200


@pytest.mark.parametrize(
    ("peer", "forwarded", "trusted", "address"),
    [
        ("192.0.2.1", "", (), "192.0.2.1"),
        ("192.0.2.1", "203.0.113.5", (), "192.0.2.1"),  # anyone can send the header
        ("10.0.0.1", "203.0.113.5", ("10.0.0.0/8",), "203.0.113.5"),
        ("10.0.0.1", "198.51.100.1, 203.0.113.5", ("10.0.0.0/8",), "203.0.113.5"),
        ("10.0.0.1", "203.0.113.5, 10.0.0.2", ("10.0.0.0/8",), "203.0.113.5"),
        ("10.0.0.1", "nonsense", ("10.0.0.0/8",), "10.0.0.1"),
        ("10.0.0.1", "203.0.113.5, nonsense", ("10.0.0.0/8",), "10.0.0.1"),
        ("::1", "2001:db8::5", ("::1",), "2001:db8::5"),
        ("", "203.0.113.5", ("10.0.0.0/8",), ""),
    ],
)
def test_only_a_trusted_proxy_names_the_client(peer: str, forwarded: str, trusted: Any, address: str) -> None:
    assert forwarded_address(peer, forwarded, trusted) == address
