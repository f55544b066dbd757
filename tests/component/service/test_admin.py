"""Django's admin: for admins only, under the same content policy, and its writes go through the services."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from srm_service.clusters.models import Cluster
from srm_service.configuration.models import ConfigVersion, StoredProperty
from srm_service.configuration.selectors import current_version
from srm_service.flows.models import Flow, FlowHold, FlowReset
from srm_service.flows.orders import hold_set
from srm_service.people.models import ApiToken, LoginSession
from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH, PASSWORD

pytestmark = BOTH

_SECRET = "hunter2-planted"
_PAIR = ("us-east", "eu-central")


@pytest.fixture
def client(person: Callable[[str | None], APIClient], one_flow: str) -> APIClient:
    """An admin, with one flow."""
    return person("admin")


class _Inline(HTMLParser):
    """Collects what a content policy without unsafe-inline blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        is_data = values.get("type") == "application/json"
        if tag == "style" or (tag == "script" and "src" not in values and not is_data):
            self.found.append(f"<{tag}>")
        self.found += [f"{tag} {name}" for name in values if name == "style" or name.startswith("on")]
        self.found += [f"{tag} {name}" for name in ("src", "href") if str(values.get(name)).startswith("javascript:")]


def _inline(html: str) -> list[str]:
    parser = _Inline()
    parser.feed(html)
    return parser.found


def _form(client: APIClient, path: str) -> dict[str, Any]:
    """Return the values that a browser would send for the form of a page."""
    response = client.get(path)
    assert response.status_code == 200, response.content[:500]
    context: Any = response.context
    form = context["adminform"].form
    values = {name: _text(form[name].value()) for name in form.fields}
    for formset in context["inline_admin_formsets"]:
        management = formset.formset.management_form
        values |= {management.add_prefix(name): management[name].value() for name in management.fields}
        for row in formset.formset.initial_forms:
            values |= {row.add_prefix(name): _text(row[name].value()) for name in row.fields}
    return {name: value for name, value in values.items() if value is not None and value is not False}


def _text(value: Any) -> Any:
    return "on" if value is True else value


def _send(browser: APIClient, path: str, /, **values: Any) -> str:
    """Send a form and return the page that follows."""
    response = browser.post(path, values, format="multipart", follow=True)
    assert response.status_code == 200
    html: str = response.content.decode()
    return html


def _errors(html: str) -> list[str]:
    return re.findall(r'class="errorlist[^"]*"[^>]*>(.*?)</ul>|class="error">(.*?)</li>', html, re.DOTALL)


def test_only_admins_get_in(one_flow: str, person: Callable[[str | None], APIClient]) -> None:
    assert Client().get("/admin/", follow=True).redirect_chain[-1][0] == "/login?next=/admin/"
    for role in (None, "viewer", "operator"):
        browser = person(role)
        assert browser.get("/admin/", follow=True).status_code == 404
        assert browser.get("/admin/auth/user/", follow=True).status_code == 404
    assert person("admin").get("/admin/").status_code == 200


def test_a_path_that_the_admin_does_not_know_is_not_the_page_of_flows(client: APIClient) -> None:
    assert client.get("/admin/nothing/here/").status_code == 404
    assert client.get("/admin")["Location"] == "/admin/"


def _pages(client: APIClient) -> list[str]:
    client.post("/api/v2/tokens", {"name": "ci"}, format="json")
    hold_set(source=_PAIR[0], target=_PAIR[1], topic="orders", partition=None, until=None, reason="r", by="ann")
    pages = ["/admin/", "/admin/password_change/"]
    for model in admin.site._registry:
        base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        first = model._default_manager.first()
        pages += [base, f"{base}?q=x", f"{base}add/"]
        pages += (
            [f"{base}{first.pk}/change/", f"{base}{first.pk}/delete/", f"{base}{first.pk}/history/"] if first else []
        )
    return pages


def test_every_page_obeys_the_content_policy(client: APIClient) -> None:
    pages = _pages(client)
    shown = 0
    for page in pages:
        response = client.get(page)
        assert response.status_code in (200, 302, 403, 404), page
        policy = response.headers["Content-Security-Policy"]
        assert "unsafe-inline" not in policy
        if response.status_code == 200:
            shown += 1
            assert _inline(response.content.decode()) == [], page
    assert {model.__name__ for model in admin.site._registry} == {
        "ApiToken",
        "Cluster",
        "ConfigVersion",
        "Flow",
        "LoginSession",
        "StoredProperty",
        "TrailEntry",
        "User",
    }
    assert shown > len(pages) / 2


def test_inline_scripts_and_styles_would_be_found() -> None:
    html = (
        '<script>x</script><p style="a"><a onclick="b" href="javascript:x"><script src="/a.js"></script><style></style>'
    )

    assert _inline(html) == ["<script>", "p style", "a onclick", "a href", "<style>"]


def test_the_trail_and_versions_are_read_only(client: APIClient) -> None:
    entry, version = TrailEntry.objects.first(), ConfigVersion.objects.first()
    assert entry is not None
    assert version is not None
    for base in (f"/admin/trail/trailentry/{entry.pk}", f"/admin/configuration/configversion/{version.pk}"):
        page = client.get(f"{base}/change/").content.decode()
        assert 'name="_save"' not in page
        assert client.get(f"{base}/delete/").status_code == 403
        assert client.post(f"{base}/change/", {"actor": "x"}, format="multipart").status_code == 403
    assert client.get("/admin/trail/trailentry/add/").status_code == 403


def test_a_property_is_changed_as_a_version(client: APIClient) -> None:
    row = StoredProperty.objects.get(level="flow", name="tasks.max")
    path = f"/admin/configuration/storedproperty/{row.pk}/change/"
    before = current_version()

    _send(client, path, **{**_form(client, path), "value": "5", "comment": "more tasks"})

    assert Flow.objects.get().tasks_max == 5
    version = ConfigVersion.objects.order_by("-number").first()
    assert version is not None
    assert (version.number, version.author) == (before + 1, "somebody-admin")
    entry = TrailEntry.objects.filter(action="configuration.change").first()
    assert entry is not None
    assert (entry.actor, entry.actor_kind) == ("somebody-admin", "user")


def test_an_invalid_property_is_refused_in_the_form(client: APIClient) -> None:
    row = StoredProperty.objects.get(level="flow", name="tasks.max")
    path = f"/admin/configuration/storedproperty/{row.pk}/change/"

    page = _send(client, path, **{**_form(client, path), "value": "many"})

    assert _errors(page)
    assert Flow.objects.get().tasks_max == 1


def test_a_form_that_was_opened_before_another_change_is_refused(client: APIClient) -> None:
    row = StoredProperty.objects.get(level="flow", name="tasks.max")
    path = f"/admin/configuration/storedproperty/{row.pk}/change/"
    old = _form(client, path)
    _send(client, path, **{**old, "value": "2"})
    again = StoredProperty.objects.get(level="flow", name="tasks.max")

    page = _send(client, f"/admin/configuration/storedproperty/{again.pk}/change/", **{**old, "value": "3"})

    assert "version" in str(_errors(page))
    assert Flow.objects.get().tasks_max == 2


def test_a_property_is_added_and_removed(client: APIClient) -> None:
    path = "/admin/configuration/storedproperty/add/"
    place = {"level": "flow", "source": _PAIR[0], "target": _PAIR[1], "name": "refresh.topics.interval.seconds"}
    _send(client, path, **{**_form(client, path), **place, "value": "30"})
    row = StoredProperty.objects.get(name=place["name"])
    assert Flow.objects.get().connectors["source"][place["name"]] == "30"

    _send(client, f"/admin/configuration/storedproperty/{row.pk}/delete/", post="yes")

    assert not StoredProperty.objects.filter(name=place["name"]).exists()


def test_a_cluster_is_created_changed_and_deleted_and_its_secret_is_nowhere(client: APIClient) -> None:
    path = "/admin/clusters/cluster/add/"
    login = {"sasl.jaas.config": f'PlainLoginModule required username="a" password="{_SECRET}";'}
    values = {
        "alias": "ap-south",
        "bootstrap": '["127.0.0.1:9005"]',
        "client": '{"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}',
        "new_secrets": json.dumps(login),
    }
    _send(client, path, **{**_form(client, path), **values})
    cluster = Cluster.objects.get(alias="ap-south")
    change = f"/admin/clusters/cluster/{cluster.pk}/change/"
    _send(client, change, **{**_form(client, change), "bootstrap": '["127.0.0.1:9006"]', "client": "{}"})

    cluster = Cluster.objects.get(alias="ap-south")
    assert (cluster.bootstrap, cluster.secrets != "") == (["127.0.0.1:9006"], True)
    pages = [page for page in _pages(client) if page.split("/")[2] in ("clusters", "configuration", "trail")]
    shown = [client.get(page).content.decode() for page in pages]
    stored = [str(list(model.objects.values())) for model in (TrailEntry, Cluster, StoredProperty, ConfigVersion)]
    assert _SECRET not in "".join(shown + stored)
    _send(client, f"/admin/clusters/cluster/{cluster.pk}/delete/", post="yes")
    assert not Cluster.objects.filter(alias="ap-south").exists()


def test_a_flow_is_created_changed_and_deleted(client: APIClient) -> None:
    ids = {cluster.alias: cluster.pk for cluster in Cluster.objects.all()}
    path = "/admin/flows/flow/add/"
    values = {"source": ids["eu-central"], "target": ids["us-east"], "enabled": "on", "topics_allow": '["orders"]'}
    _send(client, path, **{**_form(client, path), **values})
    flow = Flow.objects.get(source__alias="eu-central")
    assert (flow.enabled, flow.topics_allow) == (True, ["orders"])

    change = f"/admin/flows/flow/{flow.pk}/change/"
    _send(client, change, **{**_form(client, change), "tasks_max": "3", "throttle_bytes_per_second": "1000"})

    flow = Flow.objects.get(source__alias="eu-central")
    assert (flow.tasks_max, flow.throttle_bytes_per_second, flow.topics_allow) == (3, 1000, ["orders"])
    assert TrailEntry.objects.filter(action="flow.throttle", subject="eu-central->us-east").exists()
    _send(client, f"/admin/flows/flow/{flow.pk}/delete/", post="yes")
    assert not Flow.objects.filter(source__alias="eu-central", enabled=True).exists()


def test_holds_and_resets_are_ordered_inline(client: APIClient) -> None:
    change = f"/admin/flows/flow/{Flow.objects.get().pk}/change/"
    until = timezone.now() + timedelta(hours=1)
    orders = {
        "holds-TOTAL_FORMS": "1",
        "holds-0-topic": "orders",
        "holds-0-reason": "repair",
        "holds-0-until_0": until.strftime("%Y-%m-%d"),
        "holds-0-until_1": until.strftime("%H:%M:%S"),
        "resets-TOTAL_FORMS": "1",
        "resets-0-topic": "orders",
        "resets-0-partition": "0",
        "resets-0-to": '"earliest"',
    }
    version = current_version()
    _send(client, change, **{**_form(client, change), **orders})

    hold, reset = FlowHold.objects.get(), FlowReset.objects.get()
    assert (hold.topic, hold.reason, hold.held_by) == ("orders", "repair", "somebody-admin")
    assert (reset.topic, reset.to, reset.requested_by) == ("orders", "earliest", "somebody-admin")
    assert current_version() == version  # orders are no configuration
    _send(client, change, **{**_form(client, change), "holds-0-DELETE": "on", "resets-0-DELETE": "on"})
    assert not FlowHold.objects.exists()
    assert not FlowReset.objects.exists()
    actions = [entry.action for entry in TrailEntry.objects.filter(subject_kind="flow")]
    assert actions == ["flow.withdraw_reset", "flow.release", "flow.reset", "flow.hold"]


def test_users_are_managed_as_over_rest(client: APIClient) -> None:
    path = "/admin/auth/user/add/"
    values = {"username": "ann", "role": "operator", "is_active": "on", "new_password": PASSWORD}
    _send(client, path, **{**_form(client, path), **values})
    ann = User.objects.get(username="ann")
    assert client.get("/api/v2/users/ann").json()["role"] == "operator"
    change = f"/admin/auth/user/{ann.pk}/change/"
    _send(client, change, **{**_form(client, change), "role": "viewer"})
    assert client.get("/api/v2/users/ann").json()["role"] == "viewer"
    assert User.objects.get(username="ann").check_password(PASSWORD)

    own = User.objects.get(username="somebody-admin")
    own_page = f"/admin/auth/user/{own.pk}/change/"
    page = _send(client, own_page, **{**_form(client, own_page), "role": "viewer"})
    assert "only admin" in page
    _send(client, f"/admin/auth/user/{own.pk}/delete/", post="yes")
    assert User.objects.filter(username="somebody-admin").exists()
    _send(client, f"/admin/auth/user/{ann.pk}/delete/", post="yes")
    assert not User.objects.filter(username="ann").exists()


def test_a_short_password_is_told_and_creates_no_user(client: APIClient) -> None:
    path = "/admin/auth/user/add/"
    values = {"username": "ann", "role": "viewer", "is_active": "on", "new_password": "short"}
    page = _send(client, path, **{**_form(client, path), **values})

    assert "too short" in page
    assert not User.objects.filter(username="ann").exists()


def test_tokens_are_revoked_and_sessions_ended(client: APIClient) -> None:
    client.post("/api/v2/tokens", {"name": "ci"}, format="json")
    token, other = ApiToken.objects.get(), Client()
    User.objects.create_user("ann", password=PASSWORD)
    other.post("/login", {"username": "ann", "password": PASSWORD})
    session = LoginSession.objects.get(user__username="ann")

    _send(client, f"/admin/people/apitoken/{token.pk}/delete/", post="yes")
    _send(client, f"/admin/people/loginsession/{session.pk}/delete/", post="yes")

    assert ApiToken.objects.get().revoked_at is not None
    assert other.get("/api/v2/me").status_code == 401
    page = client.get(f"/admin/people/apitoken/{token.pk}/change/").content.decode()
    assert token.digest not in page


def test_the_own_password_is_changed_as_over_rest(client: APIClient) -> None:
    path, new = "/admin/password_change/", "another long password"
    values = {"new_password1": new, "new_password2": new}

    wrong = _send(client, path, old_password="wrong", **values)
    _send(client, path, old_password=PASSWORD, **values)

    assert "not your password" in wrong
    assert User.objects.get().check_password(new)
    assert client.get("/admin/").status_code == 200
    assert TrailEntry.objects.filter(action="user.change_password").count() == 1


def _new_cluster(client: APIClient) -> tuple[str, dict[str, Any]]:
    path = "/admin/clusters/cluster/add/"
    return path, {**_form(client, path), "alias": "ap-south", "bootstrap": '["127.0.0.1:9005"]', "client": "{}"}


def _changed_flow(client: APIClient) -> tuple[str, dict[str, Any]]:
    path = f"/admin/flows/flow/{Flow.objects.get().pk}/change/"
    return path, {**_form(client, path), "tasks_max": "3"}


def _new_user(client: APIClient) -> tuple[str, dict[str, Any]]:
    path = "/admin/auth/user/add/"
    values = {"username": "ann", "role": "viewer", "is_active": "on", "new_password": PASSWORD}
    return path, {**_form(client, path), **values}


def _login(client: APIClient) -> tuple[str, dict[str, Any]]:
    User.objects.create_user("bob", password=PASSWORD)
    client.logout()  # the page sends a user with a session away
    return "/login", {"username": "bob", "password": PASSWORD}


@pytest.mark.parametrize(
    ("form", "is_stored"),
    [
        (_new_cluster, lambda: Cluster.objects.filter(alias="ap-south").exists()),
        (_changed_flow, lambda: Flow.objects.get().tasks_max == 3),
        (_new_user, lambda: User.objects.filter(username="ann").exists()),
        (_login, lambda: LoginSession.objects.filter(user__username="bob").exists()),
    ],
    ids=["cluster", "flow", "user", "login"],
)
def test_a_form_without_the_csrf_token_stores_nothing(
    form: Callable[[APIClient], tuple[str, dict[str, Any]]], is_stored: Callable[[], bool], client: APIClient
) -> None:
    path, values = form(client)
    strict = APIClient(enforce_csrf_checks=True)
    strict.cookies = client.cookies
    entries = TrailEntry.objects.count()

    refused = strict.post(path, values, format="multipart")

    assert refused.status_code == 403
    assert TrailEntry.objects.count() == entries
    assert not is_stored()
    client.post(path, values, format="multipart")  # this client sends no token either, but is not checked
    assert is_stored()
