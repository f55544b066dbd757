"""The tables of docs/groups.md name every cause of readiness, and each outcome has a test."""

from pathlib import Path

import pytest

from replication.domain.groups.readiness import CAUSE_KINDS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/groups.md").read_text()


def table(heading: str) -> list[list[str]]:
    """Return the cells of the rows of a section's table."""
    section = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[1:]]


def test_the_page_has_the_causes_in_their_order_with_their_effect() -> None:
    found = [(cells[0].strip("`"), cells[1]) for cells in table("Readiness")]

    assert found == [(kind.code, kind.readiness) for kind in CAUSE_KINDS]


@pytest.mark.parametrize("cells", table("Outcomes"), ids=lambda cells: cells[0])
def test_every_outcome_has_a_test_that_exists(cells: list[str]) -> None:
    situation, outcome, test = cells
    file, name = test.strip("`").split("::")

    assert situation
    assert outcome
    assert f"\ndef {name}(" in (ROOT / file).read_text()
