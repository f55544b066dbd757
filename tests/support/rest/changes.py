"""One request for every operation of the schema that changes something in `world`, and its entry in the trail."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.test import Client
from rest_framework.test import APIClient

from srm_service.clusters.models import Cluster, DiscoveredPair
from srm_service.core.clock import now_ms
from srm_service.people.models import ApiToken, LoginSession
from tests.support.rest.callers import PASSWORD
from tests.support.rest.operations import OPERATIONS, Operation
from tests.support.rest.world import PEER, World

CHANGING = {operation.name: operation for operation in OPERATIONS if operation.method != "get"}
READING_ONLY = frozenset(
    ("config_plan", "replications_preview", "replications_preview_groups", "replications_translate")
)
NEEDS_BROKERS = frozenset(("lists_change",))  # its entry is read by tests/component/service/test_lists.py

_FLOW = "/api/v2/replications/us-east/eu-central"
_KEY = "us-east->eu-central.tasks.max"
_PAUSE = {"action": "pause", "reason": "repair"}
_PAIR = {"source": "us-east", "target": "eu-central"}
_FILE = (
    f"clusters = us-east, eu-central\nus-east.bootstrap.servers = h:1\neu-central.bootstrap.servers = h:2\n{_KEY} = 3\n"
)
_SPARE = {"alias": "ap-south", "bootstrap": ["h:1"]}


def _nothing(client: APIClient) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """`prepare` creates what the request needs; it returns the path parameters that differ from those of `world`."""

    action: str
    body: Mapping[str, Any] = field(default_factory=dict)
    prepare: Callable[[APIClient], Mapping[str, str]] = _nothing
    query: str = ""

    def address(self, operation: Operation, client: APIClient, world: World) -> str:
        """Prepare the change; returns the address of its request."""
        known = {**world.known, **self.prepare(client)}
        return operation.address(known) + (f"?{self.query}" if self.query else "")


def send(client: APIClient, operation: Operation, address: str, body: Mapping[str, Any], **headers: str) -> Any:
    """Send the request; underscores in the names of headers stand for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    ask = getattr(client, operation.method)
    return ask(address, dict(body) if operation.takes_body else None, format="json", headers=named)


def _spare_cluster(client: APIClient) -> Mapping[str, str]:
    assert client.post("/api/v2/clusters", _SPARE, format="json").status_code == 201
    return {"alias": "ap-south"}


def _discovered(client: APIClient) -> Mapping[str, str]:
    _spare_cluster(client)
    target = Cluster.objects.get(alias="eu-central")
    DiscoveredPair.objects.create(
        cluster=target, source="ap-south", named_target="eu", first_seen_ms=1, heartbeat_ms=now_ms()
    )
    return {}


def _second_version(client: APIClient) -> Mapping[str, str]:
    changes = {"changes": [{"key": _KEY, "value": "7"}]}
    assert client.patch("/api/v2/properties", changes, format="json").status_code == 200
    return {}


def _drained(client: APIClient) -> Mapping[str, str]:
    assert client.post("/api/v2/drivers/driver-1/drain", {}, format="json").status_code == 200
    return {}


def _open_audit(client: APIClient) -> Mapping[str, str]:
    answer = client.post(f"{_FLOW}/audits", {}, format="json")
    assert answer.status_code == 202, answer.content
    return {"audit_id": str(answer.json()["id"])}


def _trusted(client: APIClient) -> Mapping[str, str]:
    body = {"address": PEER, "token": "srm_of_the_peer"}
    assert client.put("/api/v2/remote-services/credential", body, format="json").status_code == 200
    return {}


def _token(client: APIClient) -> Mapping[str, str]:
    return {"prefix": ApiToken.objects.get().prefix}


def _session(client: APIClient) -> Mapping[str, str]:
    Client().post("/login", {"username": "bystander", "password": "a long password of a bystander"})
    return {"ended": LoginSession.objects.get(user__username="bystander").session_key}


def _saved_view(client: APIClient) -> Mapping[str, str]:
    answer = client.post("/api/v2/me/views", {"name": "mine", "page": "overview"}, format="json")
    assert answer.status_code == 201, answer.content
    return {"view_id": str(answer.json()["id"])}


CHANGES: Mapping[str, Change] = {
    "addresses_unlock": Change(action="address.unlock", body={"address": "192.0.2.1"}),
    "audits_cancel": Change(action="flow.cancel_audit", prepare=_open_audit),
    "audits_request": Change(action="flow.audit"),
    "clusters_adopt": Change(
        action="flow.create", body={"source": "ap-south", "target": "eu-central"}, prepare=_discovered
    ),
    "clusters_change": Change(action="cluster.change", body={"bootstrap": ["h:2"]}),
    "clusters_create": Change(action="cluster.create", body=_SPARE),
    "clusters_delete": Change(action="cluster.delete", prepare=_spare_cluster),
    "clusters_test": Change(action="cluster.test"),
    "clusters_test_definition": Change(action="cluster.test", body={"bootstrap": ["h:1"]}),
    "config_drafts_apply": Change(action="configuration.change"),
    "config_drafts_change": Change(action="draft.change", body={"name": "another name"}),
    "config_drafts_create": Change(
        action="draft.create", body={"name": "more tasks", "changes": [{"key": _KEY, "value": "3"}]}
    ),
    "config_drafts_delete": Change(action="draft.delete"),
    "config_versions_revert": Change(action="configuration.change", prepare=_second_version),
    "drivers_drain": Change(action="driver.drain", body={"reason": "new disks"}),
    "drivers_restart": Change(action="driver.restart", body={"reason": "new disks"}),
    "drivers_undrain": Change(action="driver.undrain", body={"reason": "done"}, prepare=_drained),
    "groups_sync": Change(action="groups.sync", body={"reason": "moving"}),
    "groups_sync_all": Change(action="groups.sync", body={"reason": "moving"}),
    "holds_release": Change(action="flow.release"),
    "holds_set": Change(action="flow.hold", body={"topic": "payments"}),
    "me_change_password": Change(
        action="user.change_password", body={"old_password": PASSWORD, "new_password": "another long password"}
    ),
    "me_change_view": Change(action="view.change", body={"query": "status=failed"}, prepare=_saved_view),
    "me_delete_view": Change(action="view.delete", prepare=_saved_view),
    "me_save_view": Change(action="view.create", body={"name": "mine", "page": "overview"}),
    "me_set_preferences": Change(action="preferences.set", body={"pinned_flows": ["us-east->eu-central"]}),
    "properties_change": Change(action="configuration.change", body={"changes": [{"key": _KEY, "value": "3"}]}),
    "properties_import": Change(action="configuration.change", body={"format": "mm2", "text": _FILE}),
    "remote_credentials_remove": Change(action="service.remove_credential", prepare=_trusted),
    "remote_credentials_set": Change(
        action="service.set_credential", body={"address": PEER, "token": "srm_of_the_peer"}
    ),
    "replications_act": Change(action="flow.pause", body=_PAUSE),
    "replications_act_on_many": Change(action="flow.pause", body={**_PAUSE, "flows": [_PAIR]}),
    "replications_change": Change(action="flow.change", body={"tasks_max": 4}),
    "replications_create": Change(
        action="flow.create", body={"source": "us-east", "target": "ap-south"}, prepare=_spare_cluster
    ),
    "replications_delete": Change(action="flow.delete"),
    "replications_set_again": Change(action="flow.set_configs", body={"topics": ["orders"]}),
    "resets_request": Change(action="flow.reset", body={"topic": "payments", "partition": 0, "to": "earliest"}),
    "resets_withdraw": Change(action="flow.withdraw_reset"),
    "sessions_end": Change(action="session.end", prepare=_session),
    "sessions_end_all": Change(action="session.end", prepare=_session, query="user=bystander"),
    "throttle_remove": Change(action="flow.throttle"),
    "throttle_set": Change(action="flow.throttle", body={"bytes_per_second": 5}),
    "tokens_create": Change(action="token.create", body={"name": "deploy"}),
    "tokens_revoke": Change(action="token.revoke", prepare=_token),
    "users_change": Change(action="user.change_role", body={"role": "operator"}),
    "users_create": Change(action="user.create", body={"name": "ann", "role": "viewer"}),
    "users_delete": Change(action="user.delete"),
    "users_reset_password": Change(action="user.reset_password"),
    "users_unlock": Change(action="user.unlock"),
}
