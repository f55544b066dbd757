"""docs/transforms.md says what there is."""

import re
from pathlib import Path

from replication.domain.transforms.catalogue import BUILT_IN, ENTRY_POINTS

DOCUMENT = Path(__file__).resolve().parents[5] / "docs" / "transforms.md"


def test_every_transform_and_nothing_else_has_a_row() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", DOCUMENT.read_text(), re.MULTILINE)

    assert sorted(rows) == sorted(BUILT_IN)


def test_the_entry_point_group_is_the_one_that_is_read() -> None:
    assert f'[project.entry-points."{ENTRY_POINTS}"]' in DOCUMENT.read_text()
