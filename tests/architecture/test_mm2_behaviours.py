"""The table of MirrorMaker's behaviours names tests that exist and run on real brokers."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = (ROOT / "docs/mm2-behaviours.md").read_text()
NAMED = re.findall(r"\| `(tests/[\w/]+\.py)::(\w+)` \|$", TABLE, re.MULTILINE)
HEADS = ("| behaviour", "|---")
ROWS = [line for line in TABLE.splitlines() if line.startswith("|") and not line.startswith(HEADS)]
WITH_BROKERS = ("tests/integration/", "tests/contract/", "tests/faults/")


def test_every_row_says_what_we_do_and_names_a_test() -> None:
    assert len(ROWS) == len(NAMED) > 80
    assert all(len(cells := row.strip("|").split(" | ")) == 3 and all(map(str.strip, cells)) for row in ROWS)


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_the_named_test_exists_and_has_brokers(file: str, test: str) -> None:
    text = (ROOT / file).read_text()

    assert f"def {test}(" in text
    assert file.startswith(WITH_BROKERS)
    assert "mark.kafka" in text or "kafka_ports" in text
