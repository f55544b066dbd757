"""The table of MirrorMaker's behaviours names tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = (ROOT / "tests/integration/control/README.md").read_text()
NAMED = re.findall(r"\| `(tests/[\w/]+\.py)(?:::(\w+))?` \|", TABLE)
ROWS = [line for line in TABLE.splitlines() if line.startswith("| ") and not line.startswith("| behaviour")]


def test_every_row_names_a_test() -> None:
    assert len(ROWS) == len(NAMED) > 40


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_the_named_test_exists(file: str, test: str) -> None:
    assert f"def {test}" in (ROOT / file).read_text()
