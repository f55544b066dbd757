"""Login at an OpenID Connect provider: with its roles, its faults, and a provider that lies."""

import importlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import clear_url_caches, set_urlconf

from srm_service import urls
from srm_service.people.oidc.claims import role_from
from srm_service.people.services import user_change
from srm_service.settings.oidc import BACKEND, ProviderSettings, role_values
from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH, PASSWORD
from tests.support.servers.identity_provider import CLIENT_ID, CLIENT_SECRET, IdentityProvider, identity_provider

pytestmark = BOTH


@pytest.fixture
def provider(settings: Any) -> Iterator[IdentityProvider]:
    """A provider that the service uses; it knows ann, who is an operator here."""
    with identity_provider() as running:
        roles = role_values("viewer=staff,operator=srm-operators|sre,admin=srm-admins")
        settings.SRM_OIDC = ProviderSettings(
            issuer=running.issuer, client_id=CLIENT_ID, client_secret=CLIENT_SECRET, roles=roles
        )
        settings.AUTHENTICATION_BACKENDS = [*settings.AUTHENTICATION_BACKENDS, BACKEND]
        _reload_urls()
        running.claims = {"sub": "4711", "preferred_username": "ann", "groups": ["staff", "sre"]}
        yield running
    settings.SRM_OIDC = ProviderSettings()
    _reload_urls()


def _reload_urls() -> None:
    importlib.reload(urls)
    clear_url_caches()
    set_urlconf(None)


def _login(client: Client | None = None, **query: str) -> tuple[Client, Any]:
    """Go the way of a browser: to the provider, and back with its code."""
    browser = client or Client()
    sent = browser.get("/oidc/login", query)
    assert sent.status_code == 302, sent.content
    approved = httpx.get(sent["Location"], follow_redirects=False)
    return browser, browser.get(approved.headers["Location"].removeprefix("http://testserver"))


def _refusal(provider: IdentityProvider) -> str:
    browser, answer = _login()
    assert (answer.status_code, answer["Location"]) == (302, "/login")
    assert browser.get("/api/v2/me").status_code == 401
    return browser.get("/login").content.decode()


def test_a_first_login_creates_the_user_with_the_role_of_the_claim(provider: IdentityProvider) -> None:
    browser, answer = _login(next="/replications")

    assert answer["Location"] == "/replications"
    me = browser.get("/api/v2/me").json()
    assert (me["username"], me["role"]) == ("ann", "operator")
    assert not User.objects.get(username="ann").has_usable_password()
    assert [entry.action for entry in TrailEntry.objects.all()][-3:] == [
        "session.start",
        "user.change_role",
        "user.create",
    ]


def test_the_role_follows_the_claim_at_each_login(provider: IdentityProvider) -> None:
    _login()
    provider.claims["groups"] = ["srm-admins"]
    browser, _ = _login()
    assert browser.get("/api/v2/me").json()["role"] == "admin"
    provider.claims |= {"preferred_username": "renamed", "groups": ["staff"]}
    browser, _ = _login()  # the last admin by claim keeps the role, so that someone can manage users

    assert browser.get("/api/v2/me").json() == {**browser.get("/api/v2/me").json(), "username": "ann", "role": "admin"}
    assert User.objects.count() == 1


def test_without_a_role_no_one_logs_in(provider: IdentityProvider) -> None:
    provider.claims["groups"] = ["sales"]
    page = _refusal(provider)
    provider.claims["groups"] = ["staff"]
    _login()
    provider.claims["groups"] = []

    assert "no role" in page
    assert "no role" in _refusal(provider)
    assert User.objects.get().groups.count() == 0


def test_a_name_of_the_provider_does_not_take_over_a_local_user(provider: IdentityProvider) -> None:
    User.objects.create_superuser("Ann", password=PASSWORD)

    assert "local user" in _refusal(provider)


def test_a_disabled_user_is_refused(provider: IdentityProvider) -> None:
    _login()
    user_change(name="ann", active=False, by="admin")

    assert "disabled" in _refusal(provider)
    assert not User.objects.get().is_active


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "another-client"},
        {"iss": "https://evil.example"},
        {"exp": 1},
        {"nonce": "another"},
        {"sub": "4712"},
        {"sub": None},
    ],
)
def test_a_token_that_is_not_for_this_login_is_refused(provider: IdentityProvider, changes: dict[str, Any]) -> None:
    provider.token_changes = changes

    assert 'role="alert"' in _refusal(provider)
    assert not User.objects.exists()


def test_a_token_with_a_foreign_signature_is_refused(provider: IdentityProvider) -> None:
    provider.signing_key = rsa.generate_private_key(65537, 2048)

    assert "failed" in _refusal(provider)
    assert not User.objects.exists()


@pytest.mark.parametrize("name", [None, "", "a b", ["ann"], "x" * 200])
def test_a_claim_that_is_no_user_name_is_refused(provider: IdentityProvider, name: Any) -> None:
    provider.claims["preferred_username"] = name

    assert "user name" in _refusal(provider)


def test_an_answer_for_another_browser_is_refused(provider: IdentityProvider) -> None:
    sent = Client().get("/oidc/login")
    approved = httpx.get(sent["Location"], follow_redirects=False).headers["Location"]
    stranger = Client()

    assert stranger.get(approved.removeprefix("http://testserver"))["Location"] == "/login"
    assert stranger.get("/oidc/callback", {"error": "access_denied"})["Location"] == "/login"
    assert stranger.get("/oidc/callback")["Location"] == "/login"
    assert stranger.get("/api/v2/me").status_code == 401


def test_a_code_is_of_use_once(provider: IdentityProvider) -> None:
    browser = Client()
    sent = browser.get("/oidc/login")
    back = httpx.get(sent["Location"], follow_redirects=False).headers["Location"].removeprefix("http://testserver")
    browser.get(back)
    browser.post("/logout")

    assert browser.get(back)["Location"] == "/login"
    assert browser.get("/api/v2/me").status_code == 401


def test_a_provider_that_does_not_answer_is_told_on_the_login_page(settings: Any, provider: IdentityProvider) -> None:
    settings.SRM_OIDC = replace(settings.SRM_OIDC, issuer="http://127.0.0.1:9")
    browser = Client()

    assert browser.get("/oidc/login")["Location"] == "/login"
    page = browser.get("/login").content.decode()
    assert "failed" in page
    assert "/oidc/login" in page
    assert "failed" not in browser.get("/login").content.decode()  # it is shown once


def test_passwords_work_beside_the_provider(provider: IdentityProvider) -> None:
    User.objects.create_user("local", password=PASSWORD)
    answer = Client().post("/login?state=a&code=b", {"username": "local", "password": PASSWORD})

    assert answer.status_code == 302


def test_the_redirect_stays_on_this_service(provider: IdentityProvider) -> None:
    _, answer = _login(next="https://evil.example/")

    assert answer["Location"] == "/"


def test_without_a_provider_there_are_no_such_pages(db: None) -> None:
    assert Client().get("/oidc/login")["Location"].startswith("/login")
    assert "/oidc/login" not in Client().get("/login").content.decode()


def test_roles_are_found_in_texts_lists_and_nested_claims() -> None:
    values = role_values("viewer=staff, admin=boss|root")

    assert role_from({"groups": "root"}, claim="groups", values=values) == "admin"
    assert role_from({"realm_access": {"roles": ["staff", 5]}}, claim="realm_access.roles", values=values) == "viewer"
    assert role_from({"https://x.example/roles": ["boss"]}, claim="https://x.example/roles", values=values) == "admin"
    assert role_from({"groups": 7}, claim="other", values=values) is None


@pytest.mark.parametrize("text", ["", "owner=x", "admin", "viewer=a,,admin=b"])
def test_an_invalid_mapping_is_refused_at_start(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="SRM_OIDC_ROLES"):
        role_values(text)
