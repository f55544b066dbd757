"""A public class or choice of the product has a name that no other one has."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("replication", "metrics", "srm_service", "srm_cli")
# Names that have several meanings on purpose, and how often each is defined.
INTENDED = {
    "Command": 4,  # the name under which Django looks for a management command
    "Gap": 2,  # the domain value and the Django model of its rows
}


def public_names(module: ast.Module) -> Iterator[str]:
    """Yield the names of the module's public classes and `Literal` aliases."""
    for node in module.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name
        elif isinstance(node, ast.Assign) and _is_literal(node.value):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name) and target.id[0] != "_")


def _is_literal(value: ast.expr) -> bool:
    return isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) and value.value.id == "Literal"


def test_no_public_class_name_is_used_twice() -> None:
    found = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "migrations" not in path.parts:
                for name in public_names(ast.parse(path.read_text())):
                    found[name].append(str(path.relative_to(ROOT)))

    assert len(found) > len(INTENDED)
    assert {name: paths for name, paths in found.items() if len(paths) != INTENDED.get(name, 1)} == {}


def test_classes_and_literals_are_names_and_private_ones_are_not() -> None:
    text = "class A: ...\nB = Literal['x']\nclass _C: ...\n_D = Literal['x']\nE = 5\nF = list[int]\n"

    assert list(public_names(ast.parse(text))) == ["A", "B"]
