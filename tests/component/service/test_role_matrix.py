"""Every operation of the API with every kind of caller, from the schema: who is let in and who is refused."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from rest_framework.test import APIClient

from srm_service.configuration.models import ConfigDraft
from srm_service.core.auth.roles import UserRole, includes
from tests.component.service.conftest import BOTH
from tests.support.rest.callers import CALLERS, Caller
from tests.support.rest.operations import OPERATIONS, Operation
from tests.support.rest.world import World

pytestmark = [BOTH, pytest.mark.redis]

# What a method needs unless its operation is named here.
_READS: UserRole = "viewer"
_CHANGES: UserRole = "operator"
_OTHERS: Mapping[str, UserRole] = {
    **dict.fromkeys(("users_list", "users_create", "users_detail", "users_change", "users_delete"), "admin"),
    **dict.fromkeys(("users_reset_password", "users_unlock", "addresses_unlock", "trail_export"), "admin"),
    **dict.fromkeys(("clusters_create", "clusters_change", "clusters_delete", "clusters_test_definition"), "admin"),
    **dict.fromkeys(("remote_credentials_set", "remote_credentials_remove"), "admin"),
    **dict.fromkeys(("replications_preview", "replications_preview_groups", "replications_translate"), "viewer"),
    **dict.fromkeys(("me_change_password", "sessions_end_all", "sessions_end"), "viewer"),
    **dict.fromkeys(("me_set_preferences", "me_save_view", "me_change_view", "me_delete_view"), "viewer"),
    **dict.fromkeys(("tokens_create", "tokens_revoke"), "viewer"),
}


def needed(operation: Operation) -> UserRole:
    return _OTHERS.get(operation.name, _READS if operation.method == "get" else _CHANGES)


def send(operation: Operation, world: World, headers: Mapping[str, str], body: Any = None) -> Any:
    client = APIClient()
    content = json.dumps({} if body is None else body) if operation.takes_body else ""
    address = operation.address(world.known)
    return client.generic(operation.method.upper(), address, content, "application/json", headers=dict(headers))


@pytest.mark.parametrize("caller", CALLERS, ids=lambda caller: caller.name)
def test_a_caller_reaches_what_the_role_allows_and_nothing_else(caller: Caller, world: World) -> None:
    headers = caller.headers()
    name = APIClient().get("/api/v2/me", headers=headers).json().get("username", "me")
    ConfigDraft.objects.update(author=name)  # others' drafts are for admins
    wrong = {}
    for operation in OPERATIONS:
        answer = send(operation, world, headers)
        may = caller.changes or operation.method == "get"
        allowed = caller.refused is None and may and includes(caller.role, needed(operation))
        expected = answer.status_code not in (401, 403) if allowed else answer.status_code == (caller.refused or 403)
        if not expected or answer.status_code not in operation.statuses:
            wrong[operation.name] = (answer.status_code, answer.content[:200])

    assert wrong == {}


def test_the_schema_names_the_role_that_an_operation_needs() -> None:
    wrong = []
    for operation in OPERATIONS:
        example = operation.described["responses"]["403"]["content"]["application/problem+json"]["example"]
        if f"needs the {needed(operation)} role" not in example["detail"]:
            wrong.append(operation.name)

    assert wrong == []


def test_every_operation_is_in_the_matrix() -> None:
    assert len(OPERATIONS) > 25
    assert set(_OTHERS) <= {operation.name for operation in OPERATIONS}
