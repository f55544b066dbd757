"""Export, diff and apply: the whole system as one document."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from srm_cli.control.document.differences import differences
from tests.unit.srm_cli.control.played import Played, control

CALLS = [
    "export -o json",
    "export -o yaml",
    "diff -f FILE",
    "diff --file FILE",
    "apply -f FILE --dry-run",
    "apply --file FILE --prune",
]
_API = "/api/v2"
_EMPTY: dict[str, Any] = {"items": [], "next_cursor": None}


class System(Played):
    """A service that remembers clusters, flows, properties and lists."""

    def __init__(self) -> None:
        super().__init__()
        self.clusters: dict[str, dict[str, Any]] = {}
        self.flows: dict[str, dict[str, Any]] = {}
        self.properties: dict[str, dict[str, Any]] = {}
        self.lists: dict[str, dict[str, set[str]]] = {}
        self.has_properties = True

    def answer(self, method: str, path: str) -> tuple[int, Any]:
        body = self.asked[-1][2]
        parts = path.removeprefix(f"{_API}/").split("/")
        handler = getattr(self, f"_{parts[0]}")
        return 200, handler(method, parts[1:], body) or {}

    def changes(self) -> list[tuple[str, str]]:
        return [(method, path) for method, path, _ in self.asked if method != "GET"]

    def _clusters(self, method: str, rest: list[str], body: Any) -> Any:
        if method == "POST":
            self.clusters[body["alias"]] = body
        elif method == "PATCH":
            self.clusters[rest[0]] |= body
        elif method == "DELETE":
            del self.clusters[rest[0]]
        return {"items": list(self.clusters.values()), "next_cursor": None}

    def _replications(self, method: str, rest: list[str], body: Any) -> Any:
        if len(rest) == 4:
            return self._list("/".join((*rest[:2], rest[3])), method, body)
        if method == "POST":
            self.flows[f"{body['source']}/{body['target']}"] = body
        elif method == "PATCH":
            self.flows["/".join(rest)] |= body
        elif method == "DELETE":
            del self.flows["/".join(rest)]
        if rest:
            return {"settings": self.flows.get("/".join(rest))}
        return {"items": list(self.flows.values()), "next_cursor": None}

    def _list(self, name: str, method: str, body: Any) -> Any:
        sides = self.lists.setdefault(name, {"allow": set(), "deny": set()})
        if method == "POST":
            for side, add, remove in (("allow", "add", "remove"), ("deny", "add_denied", "remove_denied")):
                sides[side] = (sides[side] | set(body.get(add, []))) - set(body.get(remove, []))
        return {side: [{"pattern": pattern} for pattern in sorted(found)] for side, found in sides.items()}

    def _properties(self, method: str, _: list[str], body: Any) -> Any:
        for change in body["changes"] if method == "PATCH" else ():
            key = change["key"]
            if change["value"] is None:
                del self.properties[key]
            else:
                self.properties[key] = change
        return {"items": list(self.properties.values()), "next_cursor": None}


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> Iterator[System]:
    from tests.unit.srm_cli.control import played

    made = System()
    monkeypatch.setattr(played, "Played", lambda: made)
    with played.playing():
        yield made


DOCUMENT = {
    "v": 1,
    "clusters": {
        "a": {"bootstrap": ["a:1"], "client": {"x": "1"}, "owner": "ann"},
        "b": {"bootstrap": ["b:1"], "client": {}, "owner": ""},
    },
    "flows": {"a->b": {"enabled": True, "labels": {"team": "pay"}}},
    "properties": {"a->b.tasks.max": "4", "workers.offset.flush.timeout.ms": "9"},
    "lists": {"a->b": {"topics": {"allow": ["orders.*"], "deny": ["tmp"]}}},
}


def run(system: System, folder: Path, command: str, document: Any, *options: str) -> tuple[int, str]:
    path = folder / "system.yaml"
    path.write_text(document if isinstance(document, str) else yaml.safe_dump(document))
    result = control(system, folder, command, "-f", str(path), *options)
    return result.exit_code, result.output


def test_an_applied_document_is_exported_as_it_was_and_does_not_differ(system: System, tmp_path: Path) -> None:
    code, output = run(system, tmp_path, "apply", DOCUMENT)

    assert (code, output.splitlines()[-1]) == (0, "6 change(s)")
    assert yaml.safe_load(control(system, tmp_path, "export").output) == DOCUMENT
    assert control(system, tmp_path, "export", "-o", "json").output.startswith("{")
    assert run(system, tmp_path, "diff", DOCUMENT) == (0, "")


def test_applying_twice_changes_nothing(system: System, tmp_path: Path) -> None:
    run(system, tmp_path, "apply", DOCUMENT)
    system.asked.clear()

    assert run(system, tmp_path, "apply", DOCUMENT, "--prune") == (0, "0 change(s)\n")
    assert system.changes() == []


def test_numbers_and_truth_values_of_properties_are_their_texts(system: System, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("properties: {a->b.tasks.max: 4, b->a.enabled: false}")

    control(system, tmp_path, "apply", "-f", str(file))

    assert {key: each["value"] for key, each in system.properties.items()} == {
        "a->b.tasks.max": "4",
        "b->a.enabled": "false",
    }
    assert control(system, tmp_path, "diff", "-f", str(file)).exit_code == 0


def test_a_difference_is_printed_and_told_by_the_exit_code(system: System, tmp_path: Path) -> None:
    run(system, tmp_path, "apply", DOCUMENT)
    wanted = {**DOCUMENT, "flows": {"a->b": {"enabled": False}, "b->a": {}}, "properties": {"a->b.tasks.max": "5"}}
    system.asked.clear()

    code, output = run(system, tmp_path, "diff", wanted)

    assert code == 1
    assert output.splitlines() == [
        "~ flows a->b.enabled: True -> False",
        "+ flows b->a",
        "~ properties a->b.tasks.max: '4' -> '5'",
        "- properties workers.offset.flush.timeout.ms",
    ]
    assert system.changes() == []


def test_a_dry_run_prints_the_changes_and_makes_none(system: System, tmp_path: Path) -> None:
    code, output = run(system, tmp_path, "apply", DOCUMENT, "--dry-run")

    assert code == 0
    assert "+ clusters a\n" in output
    assert "6 change(s) (dry run)" in output
    assert system.changes() == []


def test_what_the_document_does_not_contain_is_deleted_only_on_request(system: System, tmp_path: Path) -> None:
    run(system, tmp_path, "apply", DOCUMENT)
    system.asked.clear()
    less: dict[str, Any] = {"clusters": {"a": {}}, "flows": {}, "properties": {}, "lists": {}}

    assert run(system, tmp_path, "apply", less) == (0, "0 change(s)\n")
    code, _ = run(system, tmp_path, "apply", less, "--prune")

    assert code == 0
    assert (sorted(system.clusters), system.flows, system.properties) == (["a"], {}, {})
    deleted = [path for method, path in system.changes() if method == "DELETE"]
    assert deleted == [f"{_API}/replications/a/b", f"{_API}/clusters/b"]


def test_all_properties_become_one_version(system: System, tmp_path: Path) -> None:
    run(system, tmp_path, "apply", DOCUMENT)

    assert system.changes().count(("PATCH", f"{_API}/properties")) == 1


def test_a_hidden_secret_is_not_written_and_is_told(system: System, tmp_path: Path) -> None:
    document = {"properties": {"a.sasl.jaas.config": "${secret:hidden}"}}

    code, output = run(system, tmp_path, "apply", document)

    assert code == 0
    assert "warning: a.sasl.jaas.config is a secret that the document does not contain: set it" in output
    assert system.changes() == []


def test_changes_reach_their_objects(system: System, tmp_path: Path) -> None:
    run(system, tmp_path, "apply", DOCUMENT)
    wanted = {
        "clusters": {"a": {"client": {"y": "2"}}},
        "lists": {"a->b": {"topics": {"allow": ["x"], "deny": []}, "groups": {"allow": ["g"], "deny": []}}},
    }

    assert run(system, tmp_path, "apply", wanted)[0] == 0

    assert system.clusters["a"]["client"] == {"x": None, "y": "2"}
    assert system.lists["a/b/topics"] == {"allow": {"x"}, "deny": set()}
    assert system.lists["a/b/groups"]["allow"] == {"g"}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("a: [", "is not YAML"),
        ("- a", "is no document"),
        ("", "is no document"),
        ("cluster: {}", "unknown sections: cluster"),
        ("clusters: {a: 5}", "clusters a of"),
        ("flows: {a: {}}", "'a' is not a flow"),
        ("lists: {a->b: 5}", "lists a->b of"),
        ("lists: {a->b: {topics: 5}}", "topics in lists a->b of"),
        ("lists: {a->b: {topic: {}}}", "unknown list topic; known are topics"),
        ("lists: {a->b: {topics: {allow: [1]}}}", "topics.allow in lists a->b"),
        ("properties: {x: [1]}", "property x of"),
        ("properties: {x: }", "property x of"),
        ("5: {}", "unknown sections: 5"),
        ("v: 2", "upgrade"),
        ("flows: [a]", "flows of"),
    ],
)
def test_a_wrong_document_is_refused_before_anything_is_sent(
    system: System, tmp_path: Path, text: str, wrong: str
) -> None:
    code, output = run(system, tmp_path, "apply", text)

    assert code == 2
    assert wrong in output
    assert system.asked == []


def test_sections_and_fields_that_are_not_named_are_not_compared() -> None:
    current = {"clusters": {"a": {"owner": "ann", "bootstrap": []}}, "flows": {"x": {}}}

    assert differences(current, {"clusters": {"a": {"owner": "ann"}}}) == []
