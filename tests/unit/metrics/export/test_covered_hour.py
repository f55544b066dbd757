"""The range of an hour, from the present range and what was counted since."""

import pytest

from metrics.export.covered_hour import CoveredNow, covered_in_hour

NOW = CoveredNow(topic_id="id", first_offset=100, next_offset=500)


@pytest.mark.parametrize(
    ("in_hour", "later", "expected"),
    [
        (50, 0, ("id", 450, 500)),
        (50, 150, ("id", 300, 350)),
        (200, 200, ("id", 100, 300)),
        (0, 400, ("id", 100, 100)),
        (0, 0, ("id", 500, 500)),
        (260, 200, ("id", 100, 300)),
        (60, 400, (None, None, None)),
        (60, 430, (None, None, None)),
    ],
    ids=["newest", "older", "first", "idle before", "idle", "began in it", "of the id before", "far before"],
)
def test_the_range_ends_before_what_was_counted_later(
    in_hour: int, later: int, expected: tuple[str | None, int | None, int | None]
) -> None:
    assert covered_in_hour(NOW, in_hour, later) == expected
