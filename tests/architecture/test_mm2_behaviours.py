"""The table of MirrorMaker's behaviours names tests that exist and run on real brokers."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = (ROOT / "docs/mm2-behaviours.md").read_text()
NAMED = re.findall(r"\| `(tests/[\w/]+\.py)::(\w+)` \|$", TABLE, re.MULTILINE)
HEADS = ("| Behaviour", "|---")
ROWS = [line for line in TABLE.splitlines() if line.startswith("|") and not line.startswith(HEADS)]
WITH_BROKERS = ("tests/integration/", "tests/contract/", "tests/faults/")


def test_every_row_says_what_we_do_and_names_a_test() -> None:
    assert len(ROWS) == len(NAMED) > 80
    assert all(len(cells := row.strip("|").split(" | ")) == 3 and all(map(str.strip, cells)) for row in ROWS)


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_the_named_test_exists_and_has_brokers(file: str, test: str) -> None:
    assert file.startswith(WITH_BROKERS)
    assert has_brokers(ast.parse((ROOT / file).read_text()), test)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("pytestmark = pytest.mark.kafka\ndef test_a(): ...", True),
        ("pytestmark = [pytest.mark.slow, pytest.mark.kafka]\ndef test_a(): ...", True),
        ("@pytest.mark.kafka\ndef test_a(): ...", True),
        ("@pytest.mark.kafka\nclass TestA:\n    def test_a(self): ...", True),
        (
            "@pytest.fixture(params=[pytest.param(1, marks=pytest.mark.kafka)])\ndef lab(): ...\ndef test_a(lab): ...",
            True,
        ),
        ("@pytest.mark.kafka\ndef test_b(): ...\ndef test_a(): ...", False),
        ("# pytest.mark.kafka\ndef test_a(): ...", False),
        ("pytestmark = pytest.mark.kafka", False),
    ],
)
def test_only_the_marks_of_a_test_count(source: str, expected: bool) -> None:
    assert has_brokers(ast.parse(source), "test_a") == expected


def has_brokers(module: ast.Module, test: str) -> bool:
    """Return True if the module, the test, its class or a fixture that it uses has the mark of real brokers."""
    functions = {node.name: node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}
    if test not in functions:
        return False
    return any(map(_is_marked, _marks_of_module(module))) or any(
        _is_marked(decorator) or any(_is_marked(value) for value in _values_of(decorator, module))
        for holder in _holders(module, functions, test)
        for decorator in holder.decorator_list
    )


def _marks_of_module(module: ast.Module) -> Iterator[ast.expr]:
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            yield node.value


def _holders(
    module: ast.Module, functions: Mapping[str, ast.FunctionDef], test: str
) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """Yield the test, the class around it, and the module's fixtures among its arguments."""
    yield functions[test]
    yield from (functions[arg.arg] for arg in functions[test].args.args if arg.arg in functions)
    yield from (node for node in module.body if isinstance(node, ast.ClassDef) and functions[test] in node.body)


def _values_of(decorator: ast.expr, module: ast.Module) -> Iterator[ast.expr]:
    """Yield the values of the names in the decorator that the module imports from another module of the tests."""
    names = {node.id for node in ast.walk(decorator) if isinstance(node, ast.Name)}
    for node in module.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
            wanted = names & {alias.name for alias in node.names}
            path = ROOT / (node.module or "").replace(".", "/")
            other = ast.parse(path.with_suffix(".py").read_text()) if wanted else ast.Module(body=[], type_ignores=[])
            assigned = (each for each in other.body if isinstance(each, ast.Assign))
            yield from (each.value for each in assigned if ast.unparse(each.targets[0]) in wanted)


def _is_marked(expression: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Attribute) and ast.unparse(node) == "pytest.mark.kafka" for node in ast.walk(expression)
    )
