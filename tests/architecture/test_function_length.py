"""Functions have at most 40 lines, from `def` to the last line, docstring included."""

import ast
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PACKAGES = ("replication", "metrics", "srm_service", "srm_cli")
MOST_LINES = 40


def test_no_function_is_longer_than_forty_lines() -> None:
    files = [path for package in PACKAGES for path in sorted((PROJECT / package).rglob("*.py"))]
    too_long = {name for path in files if "migrations" not in path.parts for name in _too_long(path)}

    assert files
    assert too_long == set()


def test_the_docstring_counts(tmp_path: Path) -> None:
    path = tmp_path / "long.py"
    path.write_text('def long() -> None:\n    """First line.' + "\n" * (MOST_LINES - 1) + '    """\n')

    assert list(_too_long(path)) == [f"{path} long"]


def _too_long(path: Path) -> Iterator[str]:
    shown = path.relative_to(PROJECT) if path.is_relative_to(PROJECT) else path
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > MOST_LINES:
                yield f"{shown} {node.name}"
