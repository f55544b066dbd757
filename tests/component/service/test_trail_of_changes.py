"""Every kind of change and order has its entry in the audit trail, once."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from srm_service.clusters.models import Cluster, DiscoveredPair
from srm_service.core.clock import now_ms
from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH
from tests.support.rest.world import World

pytestmark = [BOTH, pytest.mark.redis]

_FLOW = "/api/v2/replications/us-east/eu-central"
_CLUSTER = "/api/v2/clusters/us-east"
_PAIRS = [{"source": "us-east", "target": "eu-central"}, {"source": "eu-central", "target": "us-east"}]
_CHANGE = {"changes": [{"key": "us-east->eu-central.tasks.max", "value": "3"}]}


def _set_again(client: APIClient) -> Any:
    return client.post(f"{_FLOW}/drift", {"topics": ["orders"]}, format="json")


def _sync_groups(client: APIClient) -> Any:
    return client.post(f"{_FLOW}/groups/sync", {"reason": "moving"}, format="json")


def _describe_flow(client: APIClient) -> Any:
    return client.patch(_FLOW, {"owner": "ann", "labels": {}, "comment": "new team"}, format="json")


def _describe_cluster(client: APIClient) -> Any:
    return client.patch(_CLUSTER, {"owner": "ann", "comment": "new team"}, format="json")


def _test_cluster(client: APIClient) -> Any:
    return client.post(f"{_CLUSTER}/test", {}, format="json")


def _test_definition(client: APIClient) -> Any:
    secrets = {"ssl.key.password": "planted-secret"}
    return client.post("/api/v2/clusters/test", {"bootstrap": ["h:1"], "secrets": secrets}, format="json")


def _pause_many(client: APIClient) -> Any:
    order = {"action": "pause", "reason": "repair", "flows": _PAIRS}
    return client.post("/api/v2/replications/actions", order, format="json")


def _disable_many(client: APIClient) -> Any:
    order = {"action": "disable", "reason": "repair", "flows": _PAIRS}
    return client.post("/api/v2/replications/actions", order, format="json")


def _create_cluster(client: APIClient) -> Any:
    cluster = {"alias": "ap-south", "bootstrap": ["h:1"], "owner": "ann"}
    return client.post("/api/v2/clusters", cluster, format="json")


def _create_flow(client: APIClient) -> Any:
    """The flow of the world is deleted, then created again."""
    assert client.delete(_FLOW).status_code in (200, 204)
    return client.post("/api/v2/replications", {**_PAIRS[0], "comment": "new"}, format="json")


def _change_flow(client: APIClient) -> Any:
    return client.patch(_FLOW, {"tasks_max": 4, "enabled": False}, format="json")


def _disable_flow(client: APIClient) -> Any:
    return client.patch(_FLOW, {"enabled": False}, format="json")


def _change_cluster(client: APIClient) -> Any:
    return client.patch(_CLUSTER, {"bootstrap": ["h:2"]}, format="json")


def _delete_cluster(client: APIClient) -> Any:
    client.post("/api/v2/clusters", {"alias": "ap-south", "bootstrap": ["h:1"]}, format="json")
    client.delete("/api/v2/clusters/ap-south")
    return client.get("/api/v2/clusters")


def _change_property(client: APIClient) -> Any:
    return client.patch("/api/v2/properties", _CHANGE, format="json")


def _change_properties(client: APIClient) -> Any:
    changes = [*_CHANGE["changes"], {"key": "connectors.tasks.max", "value": "2"}]
    return client.patch("/api/v2/properties", {"changes": changes}, format="json")


def _enable_flow(client: APIClient) -> Any:
    client.patch(_FLOW, {"enabled": False}, format="json")
    return client.patch(_FLOW, {"enabled": True}, format="json")


def _audit_flow(client: APIClient) -> Any:
    return client.post(f"{_FLOW}/audits", {}, format="json")


def _restart_driver(client: APIClient) -> Any:
    return client.post("/api/v2/drivers/driver-1/restart", {"reason": "new disks"}, format="json")


def _delete_user(client: APIClient) -> Any:
    return client.delete("/api/v2/users/bystander")


def _reset_password(client: APIClient) -> Any:
    return client.post("/api/v2/users/bystander/password", {}, format="json")


def _end_sessions(client: APIClient) -> Any:
    Client().post("/login", {"username": "bystander", "password": "a long password of a bystander"})
    return client.delete("/api/v2/sessions?user=bystander")


@pytest.mark.parametrize(
    ("order", "entries"),
    [
        (_describe_flow, [("flow.describe", "us-east->eu-central", "new team")]),
        (_describe_cluster, [("cluster.describe", "us-east", "new team")]),
        (_create_cluster, [("cluster.create", "ap-south", ""), ("cluster.describe", "ap-south", "")]),
        (_test_cluster, [("cluster.test", "us-east", "")]),
        (_test_definition, [("cluster.test", "new", "")]),
        (_set_again, [("flow.set_configs", "us-east->eu-central", "")]),
        (_sync_groups, [("groups.sync", "us-east->eu-central", "moving")]),
        (
            _pause_many,
            [("flow.pause", "us-east->eu-central", "repair"), ("flow.pause", "eu-central->us-east", "repair")],
        ),
        (
            _disable_many,
            [("flow.disable", "us-east->eu-central", "repair"), ("flow.disable", "eu-central->us-east", "repair")],
        ),
        (_create_flow, [("flow.delete", "us-east->eu-central", ""), ("flow.create", "us-east->eu-central", "new")]),
        (_change_flow, [("flow.change", "us-east->eu-central", "")]),
        (_disable_flow, [("flow.disable", "us-east->eu-central", "")]),
        (_enable_flow, [("flow.disable", "us-east->eu-central", ""), ("flow.enable", "us-east->eu-central", "")]),
        (_audit_flow, [("flow.audit", "us-east->eu-central", "")]),
        (_restart_driver, [("driver.restart", "driver-1", "new disks")]),
        (_delete_user, [("user.delete", "bystander", "")]),
        (_reset_password, [("user.reset_password", "bystander", "")]),
        (_end_sessions, [("session.end", "bystander", "")]),
        (_change_cluster, [("cluster.change", "us-east", "")]),
        (_delete_cluster, [("cluster.create", "ap-south", ""), ("cluster.delete", "ap-south", "")]),
        (_change_property, [("configuration.change", "us-east->eu-central", "")]),
        (_change_properties, [("configuration.change", "properties", "")]),
    ],
    ids=lambda each: each.__name__ if callable(each) else "",
)
def test_a_change_has_its_entries(
    order: Callable[[APIClient], Any], entries: list[tuple[str, str, str]], admin: APIClient, world: World
) -> None:
    before = TrailEntry.objects.latest("id").pk

    answer = order(admin)

    assert answer.status_code in (200, 201, 202, 204, 503), answer.content  # 503: no control worker sets configs
    found = TrailEntry.objects.filter(pk__gt=before, actor="somebody-admin").order_by("id")
    assert [(entry.action, entry.subject, entry.reason) for entry in found] == entries
    assert "planted-secret" not in str([(entry.before, entry.after) for entry in found])


def test_a_token_is_recorded_without_its_text(admin: APIClient, world: World) -> None:
    made = admin.post("/api/v2/tokens", {"name": "deploy"}, format="json").json()

    entry = TrailEntry.objects.get(action="token.create", actor="somebody-admin")
    assert (entry.subject_kind, entry.subject) == ("token", made["id"])
    assert made["token"].removeprefix(f"srm_{made['id']}_") not in str((entry.before, entry.after))


def test_a_description_is_recorded_by_its_changed_fields(admin: APIClient, world: World) -> None:
    _describe_flow(admin)
    _describe_flow(admin)

    (entry,) = TrailEntry.objects.filter(action="flow.describe")
    assert (entry.before, entry.after) == ({"owner": ""}, {"owner": "ann"})


def test_a_draft_is_recorded_from_its_creation_to_its_deletion(operator: APIClient, world: World) -> None:
    url = "/api/v2/config/drafts"
    draft = operator.post(url, {"name": "more tasks", **_CHANGE}, format="json").json()["id"]
    operator.patch(f"{url}/{draft}", {"name": "three tasks"}, format="json")
    operator.delete(f"{url}/{draft}")

    found = TrailEntry.objects.filter(subject_kind="draft", subject=str(draft)).order_by("id")
    assert [entry.action for entry in found] == ["draft.create", "draft.change", "draft.delete"]
    names = [tuple(None if side is None else side["name"] for side in (each.before, each.after)) for each in found]
    assert names == [(None, "more tasks"), ("more tasks", "three tasks"), ("three tasks", None)]


def test_an_adopted_flow_is_recorded(admin: APIClient, world: World) -> None:
    _create_cluster(admin)
    cluster = Cluster.objects.get(alias="eu-central")
    DiscoveredPair.objects.create(
        cluster=cluster, source="ap-south", named_target="eu", first_seen_ms=1, heartbeat_ms=now_ms()
    )

    pair = {"source": "ap-south", "target": "eu-central", "owner": "ann"}
    answer = admin.post("/api/v2/clusters/discovered/adopt", pair, format="json")

    assert answer.status_code == 201, answer.content
    first, second = TrailEntry.objects.filter(reason="adopted").order_by("id")
    assert (first.action, first.subject) == ("flow.create", "ap-south->eu-central")
    assert (first.after or {}).get("flows") == ["ap-south->eu-central"]
    assert (second.action, second.subject) == ("flow.describe", "ap-south->eu-central")
