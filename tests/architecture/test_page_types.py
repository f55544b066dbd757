"""The page takes closed sets of words from the schema of the API; it never writes them a second time."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_PAGE = Path(__file__).resolve().parents[2] / "frontend"
_UNION = re.compile(r'"[\w-]+"(?:\s*\|\s*"[\w-]+")+')
_WORD = re.compile(r'"([\w-]+)"')


def _enums(node: Any) -> Iterator[frozenset[str]]:
    if isinstance(node, dict):
        words = node.get("enum")
        if isinstance(words, list):
            yield frozenset(word for word in words if isinstance(word, str))
        for child in node.values():
            yield from _enums(child)
    elif isinstance(node, list):
        for child in node:
            yield from _enums(child)


def repeated(text: str, sets: set[frozenset[str]]) -> list[str]:
    """Return the unions of a file that have exactly the words of one of these sets."""
    return [union for union in _UNION.findall(text) if frozenset(_WORD.findall(union)) in sets]


@pytest.fixture(scope="module")
def sets_of_schema() -> set[frozenset[str]]:
    document = json.loads((_PAGE / "openapi.json").read_text())
    return {words for words in _enums(document) if len(words) > 1}


def test_a_union_in_any_order_and_layout_is_found(sets_of_schema: set[frozenset[str]]) -> None:
    assert repeated('on: "target"\n  | "source";', sets_of_schema) == ['"target"\n  | "source"']
    assert repeated('on: "target" | "elsewhere";', sets_of_schema) == []


def test_no_closed_set_of_the_schema_is_written_again(sets_of_schema: set[frozenset[str]]) -> None:
    files = [file for file in (_PAGE / "src").rglob("*.ts*") if file.name != "schema.d.ts"]
    assert files
    found = {str(file.relative_to(_PAGE)): repeated(file.read_text(), sets_of_schema) for file in files}
    assert {file: unions for file, unions in found.items() if unions} == {}
