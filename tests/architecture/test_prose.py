"""Docstrings are statements, and lines of documents are short enough to read beside code."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUESTION = re.compile(r"(What|Whether|How|Which|Where|Who|Whose)\b")
MOST_COLUMNS = 120
FENCE = re.compile(r"\s*(```|~~~)")
TABLE_ROW = re.compile(r"\s*\|")


def tracked(pattern: str) -> Iterator[Path]:
    listed = subprocess.run(["git", "ls-files", pattern], cwd=ROOT, capture_output=True, text=True, check=True)
    yield from (path for line in listed.stdout.splitlines() if (path := ROOT / line).is_file())


def questions(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and first line of each docstring that starts with a question word."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node) or ""
            if QUESTION.match(docstring):
                yield node.body[0].lineno, docstring.splitlines()[0]


def long_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line of prose that is too long; tables and code blocks cannot be wrapped."""
    is_code = False
    for number, line in enumerate(text.splitlines(), start=1):
        if FENCE.match(line):
            is_code = not is_code
        elif not is_code and not TABLE_ROW.match(line) and len(line) > MOST_COLUMNS:
            yield number, line


def test_no_docstring_starts_with_a_question_word() -> None:
    paths = [path for path in tracked("*.py") if "migrations" not in path.parts]
    found = [f"{path.relative_to(ROOT)}:{line}: {text}" for path in paths for line, text in questions(path.read_text())]

    assert paths
    assert found == []


def test_no_line_of_a_document_is_longer_than_120_columns() -> None:
    paths = list(tracked("*.md"))
    found = [f"{path.relative_to(ROOT)}:{line}" for path in paths for line, _text in long_lines(path.read_text())]

    assert paths
    assert found == []


@pytest.mark.parametrize("word", ["What", "Whether", "How", "Which", "Where", "Who", "Whose"])
def test_a_question_is_found_in_docstrings_of_functions(word: str) -> None:
    assert list(questions(f'def f():\n    """{word} it is."""\n')) == [(2, f"{word} it is.")]


def test_a_word_that_only_begins_like_a_question_is_none() -> None:
    assert not list(questions('"""However it is."""'))


def test_only_prose_must_be_wrapped() -> None:
    long = "a" * (MOST_COLUMNS + 1)

    assert list(long_lines(f"| {long} |\n```\n{long}\n```\n{long}")) == [(5, long)]
