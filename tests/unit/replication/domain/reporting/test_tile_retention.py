import pytest

from replication.domain.reporting.tile_retention import TileRetention, parse_retention

HOUR_MS = 3_600_000


def test_what_is_skipped_keeps_its_default() -> None:
    assert parse_retention("") == TileRetention()
    assert parse_retention(" 1h = 400d , 10s=30m") == TileRetention(
        ten_seconds_ms=HOUR_MS // 2, hours_ms=9_600 * HOUR_MS
    )


def test_each_width_has_its_age() -> None:
    retention = parse_retention("10s=1h,1m=2h,1h=3d")

    assert [retention.of_width(width) for width in ("10s", "1m", "1h")] == [HOUR_MS, 2 * HOUR_MS, 72 * HOUR_MS]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("10s", "cannot read '10s'"),
        ("5s=2h", "cannot read '5s=2h'"),
        ("10s=two", "cannot read"),
        ("10s=-2h", "cannot read"),
        ("1h=1m", "too short"),
        ("10s=90h,1m=2h", "shorter time"),
    ],
)
def test_nonsense_is_answered_with_what_to_write(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_retention(text)
