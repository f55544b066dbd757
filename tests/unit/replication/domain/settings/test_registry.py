"""The registry of settings: each is declared once, is read somewhere, and no other module spells its key."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from replication.domain.plan.slot import SlotSpec
from replication.domain.settings.record_settings import RecordSettings
from replication.domain.settings.registry import all_settings
from replication.domain.settings.registry.all_settings import SETTINGS, find_setting
from replication.domain.settings.setting import Setting

ROOT = Path(__file__).parents[5]
PACKAGES = ("replication", "metrics", "srm_service", "srm_cli")
REGISTRY = ROOT / "replication/domain/settings/registry"
# lists of vendors' keys by name; `group.id` and its like are also keys of Kafka's own clients and brokers
VENDOR_LISTS = {"client_keys.py", "global_keys.py"}
SAMPLE_FILES = {"demo_flows.py"}  # writes a properties file as an operator would
WORKING = [setting for setting in SETTINGS if setting.effect != "none"]
OWN_KEYS = [setting.key for setting in WORKING if "." in setting.key and setting.key != "group.id"]
_SPELLED = re.compile(
    r"(?<![\w.>-])(" + "|".join(map(re.escape, sorted(OWN_KEYS, key=len, reverse=True))) + r")(?![\w-]|\.\w)"
)


@cache
def sources() -> dict[Path, ast.Module]:
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return {path: ast.parse(path.read_text()) for path in paths}


def declarations() -> list[tuple[str, Setting[object]]]:
    """Single settings with the names under which they are declared."""
    return [
        (name, value)
        for module in all_settings._MODULES
        for name in names_assigned(ast.parse(inspect.getsource(module)))
        if isinstance(value := getattr(module, name), Setting)
    ]


def names_assigned(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def uses_of(tree: ast.Module) -> Iterator[str]:
    """The constants whose value a module takes.

    They are read as `X.read(...)`, `X.parse(...)`, `X.parse_or_default(...)` or `resolver.read(X)`, or after a
    choice: `X if ... else Y`.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=receiver, attr="read" | "parse" | "parse_or_default" | "given"),
                args=[first, *_],
            ):
                yield from (each.id for each in (receiver, first) if isinstance(each, ast.Name))
            case ast.IfExp(body=ast.Name(id=name), orelse=ast.Name(id=other)):
                yield from (name, other)


@cache
def names_used_elsewhere() -> set[str]:
    return {name for path, tree in sources().items() if REGISTRY not in path.parents for name in uses_of(tree)}


def texts_of(tree: ast.Module) -> Iterator[str]:
    """All string literals that are no docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def test_every_key_is_declared_once() -> None:
    keys = [setting.key for setting in SETTINGS]

    assert sorted(keys) == sorted(set(keys))
    assert all(find_setting(setting.key) is setting for setting in SETTINGS)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_a_setting_has_a_meaning_or_a_reason_why_it_has_none(setting: Setting[object]) -> None:
    works = setting.effect != "none"

    assert (bool(setting.doc), bool(setting.why)) == (works, not works)
    assert setting.doc.endswith(".") == works
    assert works or setting.slot_field is None


WORKING_NAMES = [name for name, setting in declarations() if setting in WORKING]


@pytest.mark.parametrize("name", WORKING_NAMES)
def test_the_value_of_a_setting_with_an_effect_is_taken_outside_of_the_registry(name: str) -> None:
    assert name in names_used_elsewhere()


def test_every_setting_with_an_effect_has_a_name_of_its_own() -> None:
    assert len(set(WORKING_NAMES)) == len(WORKING_NAMES)
    assert {setting.key for setting in WORKING} == {dict(declarations())[name].key for name in WORKING_NAMES}


def test_no_module_outside_of_the_registry_spells_a_key() -> None:
    spelled = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path, tree in sources().items()
        if REGISTRY not in path.parents and path.name not in VENDOR_LISTS | SAMPLE_FILES
        if path.parent.name != "migrations"  # which keep the spelling of their time
        for text in texts_of(tree)
        if (found := _SPELLED.search(text))
    ]

    assert spelled == []


@pytest.mark.parametrize("setting", [setting for setting in SETTINGS if setting.slot_field], ids=str)
def test_settings_of_slots_name_a_field_and_agree_on_its_changes(setting: Setting[object]) -> None:
    same_field = [other.change for other in SETTINGS if other.slot_field == setting.slot_field]

    assert setting.slot_field is not None
    field, _, part = setting.slot_field.partition(".")
    assert field in SlotSpec.__dataclass_fields__
    assert not part or (field == "records" and part in RecordSettings.__dataclass_fields__)
    assert set(same_field) == {setting.change}


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_a_default_is_an_allowed_value(setting: Setting[object]) -> None:
    if setting.default_text:
        assert setting.parse(setting.default_text) == setting.default
