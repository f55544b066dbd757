"""The table of requirements of the page names files and journeys that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "frontend"
ROWS = [
    line for line in (ROOT / "docs/page-requirements.md").read_text().splitlines() if re.match(r"\| (\d+|-) \|", line)
]
NAMED = sorted({name for row in ROWS for name in re.findall(r"`([^`]+)`", row.split(" | ")[-1])})
FILES = [name for name in NAMED if re.fullmatch(r"[\w./-]+\.(ts|tsx|py)", name)]
JOURNEYS = [name for name in NAMED if name.startswith("test_")]


def test_every_requirement_has_a_row_that_names_a_file_or_what_is_missing() -> None:
    assert {int(number) for row in ROWS for number in re.findall(r"^\| (\d+) \|", row)} == set(range(1, 26))
    assert [row for row in ROWS if "`" not in row.split(" | ")[-1] and "-:" not in row] == []


@pytest.mark.parametrize("file", FILES)
def test_the_named_file_exists(file: str) -> None:
    places = [ROOT / file, PAGE / file] if "/" in file else [*PAGE.glob(f"src/**/{file}"), *PAGE.glob(f"e2e/**/{file}")]
    assert any(place.is_file() for place in places)


@pytest.mark.parametrize("journey", JOURNEYS)
def test_the_named_journey_exists(journey: str) -> None:
    journeys = {
        node.name
        for file in (ROOT / "tests/e2e").glob("test_*.py")
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.FunctionDef)
    }
    assert journey in journeys
