"""Times as people write and read them."""

import pytest

from metrics.time_format import epoch_ms, iso_time

ELEVEN_MS = 1_795_345_200_000


@pytest.mark.parametrize(
    ("text", "time_ms"),
    [
        ("2026-11-22T11:00Z", ELEVEN_MS),
        ("2026-11-22T12:00+01:00", ELEVEN_MS),
        ("2026-11-22 11:00", ELEVEN_MS),
        (str(ELEVEN_MS), ELEVEN_MS),
    ],
)
def test_a_time_is_read_as_utc_where_it_names_no_zone(text: str, time_ms: int) -> None:
    assert epoch_ms(text) == time_ms


@pytest.mark.parametrize("text", ["yesterday", "", "²", "-5"])
def test_what_is_no_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="write it like 2026-11-21T05:00Z, or in epoch ms"):
        epoch_ms(text)


@pytest.mark.parametrize(
    ("time_ms", "text"),
    [
        (ELEVEN_MS, "2026-11-22T11:00Z"),
        (ELEVEN_MS + 5_999, "2026-11-22T11:00:05Z"),
        (0, "1970-01-01T00:00Z"),
        (10**20, f"{10**20} ms"),
    ],
)
def test_a_time_is_told_as_people_write_it(time_ms: int, text: str) -> None:
    assert iso_time(time_ms) == text
