"""REST resources of the configuration."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from rest_framework.test import APIClient

from srm_service.clusters.selectors import cluster_access
from srm_service.configuration.contracts import HIDDEN_VALUE
from srm_service.configuration.selectors import current_tree, current_version
from srm_service.flows.models import Flow
from tests.component.service.conftest import BOTH
from tests.component.service.test_configuration import BASE, apply
from tests.component.service.test_configuration_import import FILE

pytestmark = BOTH
_URL = "/api/v2/properties"
_SECRET = "planted-secret"


@pytest.fixture
def admin(person: Callable[[str | None], APIClient]) -> APIClient:
    return person("admin")


@pytest.fixture
def base(db: None) -> int:
    return apply({**BASE, "connectors.tasks.max": "2", "tasks.maxx": "3", "a.ssl.key.password": _SECRET}).version


def patch(client: APIClient, values: Mapping[str, str | None], **more: Any) -> Any:
    headers = {"If-Match": more.pop("match")} if "match" in more else {}
    changes = [{"key": key, "value": value} for key, value in values.items()]
    return client.patch(_URL, {"changes": changes, **more}, format="json", headers=headers)


def test_properties_are_listed_with_level_effect_and_without_secrets(viewer: APIClient, base: int) -> None:
    answer = viewer.get(_URL)

    items = {item["key"]: item for item in answer.json()["items"]}
    assert answer.headers["ETag"] == f'"{base}"'
    assert (items["a->b.enabled"]["level"], items["a->b.enabled"]["effect"]) == ("flow", "flow")
    assert items["connectors.tasks.max"]["effect"] == "planning"
    assert items["tasks.maxx"]["effect"] == "unknown"
    assert (items["a.ssl.key.password"]["value"], items["a.ssl.key.password"]["is_secret"]) == (HIDDEN_VALUE, True)
    assert _SECRET not in answer.content.decode()


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ({"level": "connectors"}, ["connectors.tasks.max"]),
        ({"alias": "a"}, ["a.bootstrap.servers", "a.ssl.key.password"]),
        ({"flow": "a->b"}, ["a->b.enabled"]),
        ({"key": "TASKS"}, ["connectors.tasks.max", "tasks.maxx"]),
        ({"effect": "unknown"}, ["tasks.maxx"]),
    ],
)
def test_properties_are_filtered(viewer: APIClient, base: int, query: dict[str, str], keys: list[str]) -> None:
    assert [item["key"] for item in viewer.get(_URL, query).json()["items"]] == keys


def test_properties_come_in_pages(viewer: APIClient, base: int) -> None:
    first = viewer.get(_URL, {"limit": 5}).json()
    second = viewer.get(_URL, {"limit": 5, "cursor": first["next_cursor"]}).json()

    keys = [item["key"] for item in (*first["items"], *second["items"])]
    assert keys == [each.place.key for each in current_tree().properties]
    assert second["next_cursor"] is None


def test_a_change_is_one_version_with_its_effect(operator: APIClient, base: int) -> None:
    answer = patch(operator, {"a->b.tasks.max": "4", "connectors.tasks.max": None}, comment="more", match=f'"{base}"')

    body = answer.json()
    assert (answer.status_code, body["version"], body["changed"]) == (200, base + 1, True)
    assert answer.headers["ETag"] == f'"{base + 1}"'
    assert [(each["key"], each["before"], each["after"]) for each in body["differences"]] == [
        ("connectors.tasks.max", "2", None),
        ("a->b.tasks.max", None, "4"),
    ]
    assert body["flows"] == [{"source": "a", "target": "b"}]
    assert Flow.objects.get().tasks_max == 4
    assert operator.get(f"/api/v2/config/versions/{base + 1}").json()["comment"] == "more"


def test_the_second_of_two_gets_412_with_the_difference(operator: APIClient, base: int) -> None:
    patch(operator, {"a->b.tasks.max": "4"}, match=f'"{base}"')

    answer = patch(operator, {"a->b.tasks.max": "5"}, match=f'"{base}"')

    body = answer.json()
    assert (answer.status_code, answer.headers["ETag"]) == (412, f'"{base + 1}"')
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert body["diff"] == [{"field": "a->b.tasks.max", "yours": None, "current": "4"}]


def test_all_errors_come_at_once_with_the_nearest_names(operator: APIClient, base: int) -> None:
    answer = patch(operator, {"a->b.tasks.max": "many", "a->bb.topics": "x", "a->b.topics": "(", "a->b.taskmax": "1"})

    findings = {each["key"]: each["message"] for each in answer.json()["findings"]}
    assert answer.status_code == 422
    assert set(findings) == {"a->b.tasks.max", "a->bb.topics", "a->b.topics"}
    assert current_version() == base


def test_a_dry_run_changes_nothing(operator: APIClient, base: int) -> None:
    body = patch(operator, {"a->b.tasks.max": "4"}, dry_run=True).json()

    assert (body["dry_run"], body["changed"], body["version"]) == (True, True, base)
    assert current_version() == base


@pytest.mark.parametrize(
    ("body", "match"),
    [
        ({}, ""),
        ({"changes": []}, ""),
        ({"changes": [{"key": "x"}]}, ""),
        ({"changes": [{"key": "", "value": "1"}]}, ""),
        ({"changes": [{"key": "x", "value": "a\0"}]}, ""),
        ({"changes": [{"key": "x", "value": "1", "level": "flow"}]}, ""),
        ({"changes": [{"key": "x", "value": "1"}], "what": 1}, ""),
        ({"changes": "x"}, ""),
        ({"changes": [{"key": "x" * 501, "value": "1"}]}, ""),
        ({"changes": [{"key": "x", "value": "1"}]}, '"abc"'),
    ],
    ids=["empty", "no change", "no value", "no key", "NUL", "a level", "a stranger", "text", "long", "no version"],
)
def test_nonsense_is_refused(operator: APIClient, base: int, body: dict[str, Any], match: str) -> None:
    answer = operator.patch(_URL, body, format="json", headers={"If-Match": match} if match else {})

    assert answer.status_code == 400
    assert current_version() == base


def test_a_list_as_a_body_is_refused(operator: APIClient, base: int) -> None:
    assert operator.patch(_URL, [1], format="json").status_code == 400


@pytest.mark.parametrize("path", [_URL, "/api/v2/settings", "/api/v2/config/versions", "/api/v2/config/drafts"])
def test_unknown_parameters_are_refused(viewer: APIClient, base: int, path: str) -> None:
    assert viewer.get(path, {"colour": "red"}).status_code == 400
    assert viewer.get(path, {"limit": "0"}).status_code == 400


def test_a_viewer_changes_nothing_and_an_operator_no_credentials(
    viewer: APIClient, operator: APIClient, admin: APIClient, base: int
) -> None:
    secret = {"a.ssl.key.password": "other"}

    assert patch(viewer, {"a->b.tasks.max": "4"}).status_code == 403
    refused = patch(operator, {"a->b.tasks.max": "4", **secret})
    assert (refused.status_code, "a.ssl.key.password" in refused.json()["detail"]) == (403, True)
    assert patch(operator, {"clusters": "a, b, c", "c.bootstrap.servers": "h:3"}).status_code == 403
    assert patch(operator, {"a.consumer.bootstrap.servers": "h:3"}).status_code == 403
    assert patch(operator, {"a->b.source.cluster.sasl.mechanism": "PLAIN"}).status_code == 403
    assert current_version() == base
    assert patch(admin, secret).json()["differences"][0]["after"] == HIDDEN_VALUE


def test_an_operator_cannot_revert_credentials(operator: APIClient, admin: APIClient, base: int) -> None:
    patch(admin, {"a.ssl.key.password": "other"})

    assert operator.post(f"/api/v2/config/versions/{base}/revert", {}, format="json").status_code == 403
    assert admin.post(f"/api/v2/config/versions/{base}/revert", {}, format="json").json()["version"] == base + 2


def test_a_file_is_imported_and_exported_without_loss(admin: APIClient, db: None) -> None:
    order = {"text": FILE, "format": "mm2", "name": "mm2.properties"}

    tried = admin.post(f"{_URL}/import", {**order, "dry_run": True}, format="json").json()
    imported = admin.post(f"{_URL}/import", order, format="json").json()
    text = admin.get(f"{_URL}/export").json()["text"]
    again = admin.post(f"{_URL}/import", {**order, "text": text, "replace": True}, format="json").json()

    assert (tried["changed"], tried["version"], imported["version"]) == (True, 0, 1)
    assert "# only these" in text
    assert again["changed"] is False


def test_a_broken_file_is_refused_with_lines(admin: APIClient, base: int) -> None:
    order = {"text": FILE.replace("true", "perhaps"), "format": "mm2", "replace": True}

    answer = admin.post(f"{_URL}/import", order, format="json")

    findings = [each for each in answer.json()["findings"] if each["severity"] == "error"]
    assert answer.status_code == 422
    assert [(each["line"], each["key"]) for each in findings] == [(5, "a->b.enabled")]


@pytest.mark.parametrize("name", ["mm2", "srm", "replication-configs", "operator"])
def test_an_export_never_holds_a_secret_and_says_so(viewer: APIClient, base: int, name: str) -> None:
    answer = viewer.get(f"{_URL}/export", {"format": name})

    assert answer.status_code == 200
    assert _SECRET not in answer.content.decode()
    assert "a.ssl.key.password" in {each["key"] for each in answer.json()["findings"]}


def test_an_exported_tree_imported_again_keeps_the_secret(admin: APIClient, base: int) -> None:
    text = admin.get(f"{_URL}/export", {"format": "srm"}).json()["text"]

    answer = admin.post(f"{_URL}/import", {"text": text, "format": "srm", "replace": True}, format="json").json()

    assert answer["changed"] is False


def test_a_value_on_four_levels_shows_the_whole_chain_until_it_is_reverted(admin: APIClient, base: int) -> None:
    key, effective = "offset.flush.timeout.ms", "/api/v2/replications/a/b/effective"
    for name, value in {key: "1", f"workers.{key}": "2", f"b.{key}": "3", f"a->b.{key}": "4"}.items():
        patch(admin, {name: value})

    (found,) = admin.get(effective, {"key": key}).json()["items"]
    admin.post(f"/api/v2/config/versions/{base + 3}/revert", {}, format="json")
    (back,) = admin.get(effective, {"key": key}).json()["items"]

    assert (found["value"], found["level"], found["key"]) == ("4", "flow", f"a->b.{key}")
    assert [(each["value"], each["level"], each["has_effect"]) for each in found["beaten"]] == [
        ("3", "cluster", True),
        ("2", "workers", True),
        ("1", "global", False),
    ]
    assert (back["value"], back["level"]) == ("3", "cluster")


def test_effective_values_have_connection_keys_and_no_secret(viewer: APIClient, base: int) -> None:
    answer = viewer.get("/api/v2/replications/a/b/effective", {"limit": 1000})

    values = {(each["client"], each["name"]): each for each in answer.json()["items"]}
    assert values["consumer", "bootstrap.servers"]["value"] == "h:1"
    assert values["producer", "bootstrap.servers"]["value"] == "h:2"
    assert _SECRET not in answer.content.decode()
    assert viewer.get("/api/v2/replications/a/c/effective").status_code == 404


def test_the_key_table_says_type_default_levels_and_effect(viewer: APIClient, base: int) -> None:
    rows = {row["key"]: row for row in viewer.get("/api/v2/settings", {"limit": 1000}).json()["items"]}

    assert rows["tasks.max"]["default"] == "1"
    assert rows["tasks.max"]["levels"] == ["global", "connectors", "flow"]
    assert rows["consumer.max.poll.records"]["effect"] == "none"
    assert rows["consumer.max.poll.records"]["why"]
    assert viewer.get("/api/v2/settings", {"dialect": "latin"}).status_code == 400


def test_versions_are_listed_newest_first_and_compared(operator: APIClient, base: int) -> None:
    patch(operator, {"a->b.tasks.max": "4"}, comment="more")
    patch(operator, {"a->b.tasks.max": "5"})

    listed = operator.get("/api/v2/config/versions").json()["items"]
    there = operator.get("/api/v2/config/diff", {"from": base, "to": base + 2}).json()["differences"]
    back = operator.get("/api/v2/config/diff", {"from": base + 2, "to": base + 1}).json()["differences"]

    assert [(each["number"], each["author"]) for each in listed] == [
        (base + 2, "somebody-operator"),
        (base + 1, "somebody-operator"),
        (base, "ann"),
    ]
    assert [(each["before"], each["after"]) for each in (*there, *back)] == [(None, "5"), ("5", "4")]
    assert operator.get("/api/v2/config/diff", {"from": 0, "to": 99}).status_code == 404
    assert operator.get("/api/v2/config/diff", {"from": 0}).status_code == 400
    assert operator.get("/api/v2/config/versions/99").status_code == 404
    assert operator.get(f"/api/v2/config/versions/{10**30}").status_code == 404
    assert operator.post("/api/v2/config/versions/99/revert", {}, format="json").status_code == 404


def test_a_draft_is_checked_as_typed_and_applied_once(operator: APIClient, base: int) -> None:
    order = {"name": "more tasks", "changes": [{"key": "a->b.tasks.max", "value": "many"}]}
    made = operator.post("/api/v2/config/drafts", order, format="json")
    url = f"/api/v2/config/drafts/{made.json()['id']}"

    assert (made.status_code, made.json()["is_valid"]) == (201, False)
    assert operator.post(f"{url}/apply", {}, format="json").status_code == 422
    better = operator.patch(url, {"changes": [{"key": "a->b.tasks.max", "value": "6"}]}, format="json").json()
    assert (better["is_valid"], better["flows"]) == (True, [{"source": "a", "target": "b"}])
    assert operator.post(f"{url}/apply", {"dry_run": True}, format="json").json()["version"] == base
    applied = operator.post(f"{url}/apply", {}, format="json").json()
    assert (applied["version"], Flow.objects.get().tasks_max) == (base + 1, 6)
    assert operator.get(url).status_code == 404
    assert operator.get(f"/api/v2/config/versions/{base + 1}").json()["comment"] == "more tasks"


def test_a_draft_behind_the_configuration_conflicts_until_it_is_rebased(operator: APIClient, base: int) -> None:
    order = {"name": "d", "changes": [{"key": "a->b.tasks.max", "value": "6"}]}
    url = f"/api/v2/config/drafts/{operator.post('/api/v2/config/drafts', order, format='json').json()['id']}"
    patch(operator, {"a->b.tasks.max": "4"})

    assert operator.post(f"{url}/apply", {}, format="json").status_code == 412
    rebased = operator.patch(url, {"rebase": True}, format="json").json()
    assert (rebased["base_version"], rebased["differences"][0]["before"]) == (base + 1, "4")
    assert operator.post(f"{url}/apply", {}, format="json").status_code == 200


def test_a_secret_in_a_draft_is_sealed_kept_and_applied(admin: APIClient, base: int) -> None:
    changes = [{"key": "b.ssl.key.password", "value": "planted-in-a-draft"}]
    made = admin.post("/api/v2/config/drafts", {"name": "d", "changes": changes}, format="json").json()
    url = f"/api/v2/config/drafts/{made['id']}"

    kept = admin.patch(url, {"changes": made["changes"]}, format="json")
    admin.post(f"{url}/apply", {}, format="json")
    assert made["changes"][0]["value"] == HIDDEN_VALUE
    assert "planted-in-a-draft" not in kept.content.decode()
    assert cluster_access(["b"])["b"].secrets == {"ssl.key.password": "planted-in-a-draft"}


def test_drafts_have_owners_and_names(operator: APIClient, admin: APIClient, viewer: APIClient, base: int) -> None:
    made = operator.post("/api/v2/config/drafts", {"name": "d"}, format="json").json()
    url = f"/api/v2/config/drafts/{made['id']}"

    assert operator.post("/api/v2/config/drafts", {"name": "d"}, format="json").status_code == 409
    assert admin.post("/api/v2/config/drafts", {"name": "d"}, format="json").status_code == 201
    assert [each["name"] for each in viewer.get("/api/v2/config/drafts").json()["items"]] == ["d", "d"]
    assert viewer.delete(url).status_code == 403
    assert operator.delete(url).status_code == 204
    assert operator.delete(url).status_code == 404


def test_effective_values_are_ordered_by_value_level_and_effect_over_all_pages(admin: APIClient, base: int) -> None:
    address = "/api/v2/replications/a/b/effective"
    patch(admin, {"a->b.topics.exclude": "z" * 400})

    def listed(ordering: str, column: str) -> list[Any]:
        found: list[Any] = []
        cursor: str | None = ""
        while cursor is not None:
            query: dict[str, Any] = {"ordering": ordering, "limit": 100, "cursor": cursor}
            page = admin.get(address, query).json()
            found += [each[column] for each in page["items"]]
            cursor = page["next_cursor"]
        return found

    values = [value for value in listed("-value", "value") if value is not None]
    assert [value[:64] for value in values] == sorted((value[:64] for value in values), reverse=True)
    assert "z" * 400 in values
    assert listed("level", "level") == sorted(listed("name", "level"))
    assert listed("-effect", "effect") == sorted(listed("name", "effect"), reverse=True)
