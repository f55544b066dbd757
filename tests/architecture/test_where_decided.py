"""The table "Where is it decided?" of docs/architecture.md names files that exist."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/architecture.md"
SECTION = "## Where is it decided?"
FILE = re.compile(r"`([\w./-]+\.(?:py|tsx?))`")


def rows(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield question, deciding files and count of each row."""
    section = text.split(SECTION)[1].split("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("|")]
    for line in table[2:]:  # behind the header and its rule
        question, decided, count = (cell.strip() for cell in line.strip("|").split("|"))
        yield question, decided, count


ROWS = list(rows(PAGE.read_text()))


def test_fifteen_questions_are_answered() -> None:
    assert len(ROWS) == 15
    assert len({question for question, _, _ in ROWS}) == 15


@pytest.mark.parametrize(("question", "decided", "count"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_names_files_that_exist_and_counts_them(question: str, decided: str, count: str) -> None:
    deciding, others = FILE.findall(decided), FILE.findall(count)
    by_path = [name for name in (*deciding, *others) if "/" in name]
    folders = {str(Path(name).parent) for name in by_path}

    assert deciding
    assert re.match(r"\d+\b", count)
    assert not [name for name in by_path if not (ROOT / name).is_file()]
    for name in set(others) - set(by_path):  # the folder is that of a file next to it
        assert any((ROOT / folder / name).is_file() for folder in folders), name
