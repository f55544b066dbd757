"""The hours that may and must be exported."""

import pytest

from metrics.backfill.backfill_steps import HourRange
from metrics.errors import JobError
from metrics.export.hour_record import HourRecord, TableRecord
from metrics.export.hours import HourFigures, batches, check_kept, closed_range, due_hours, hours_of, kept_from
from replication.domain.reporting.metric_defs import TileWidth
from replication.domain.reporting.tile_retention import TileRetention

HOUR_MS = 3_600_000
ELEVEN_MS = 1_795_345_200_000  # 2026-11-22T11:00Z
KEPT = TileRetention()


def test_part_of_an_hour_counts_as_the_whole_hour() -> None:
    assert closed_range(ELEVEN_MS - HOUR_MS + 1, ELEVEN_MS - HOUR_MS + 2, ELEVEN_MS) == HourRange(
        ELEVEN_MS - HOUR_MS, ELEVEN_MS
    )
    assert hours_of(HourRange(ELEVEN_MS - 2 * HOUR_MS, ELEVEN_MS)) == (ELEVEN_MS - 2 * HOUR_MS, ELEVEN_MS - HOUR_MS)


def test_an_open_hour_is_refused_with_the_end_of_the_closed_ones() -> None:
    with pytest.raises(JobError, match=r"reaches to 2026-11-22T12:00Z.*ends at 2026-11-22T11:00Z"):
        closed_range(ELEVEN_MS - HOUR_MS, ELEVEN_MS + 1, ELEVEN_MS)


def test_a_reversed_range_is_refused() -> None:
    with pytest.raises(JobError, match="not before its end"):
        closed_range(ELEVEN_MS, ELEVEN_MS, ELEVEN_MS)


@pytest.mark.parametrize(
    ("widths", "hours", "complaint"),
    [
        (("1m", "1h"), 48, None),
        (("1m", "1h"), 49, "tiles of 1m are kept for 48 hours.*2026-11-20T11:00Z or later, or export only 1h"),
        (("1h",), 49, None),
        (("1h",), 91 * 24, "tiles of 1h are kept for 2160 hours"),
    ],
)
def test_hours_with_expired_tiles_are_refused(widths: tuple[TileWidth, ...], hours: int, complaint: str | None) -> None:
    first_ms = ELEVEN_MS - hours * HOUR_MS

    if complaint is None:
        check_kept(first_ms, widths, KEPT, ELEVEN_MS)
    else:
        with pytest.raises(JobError, match=complaint):
            check_kept(first_ms, widths, KEPT, ELEVEN_MS)


def test_an_hour_is_kept_as_long_as_its_first_minute_is() -> None:
    assert kept_from("1m", KEPT, ELEVEN_MS) == ELEVEN_MS - 48 * HOUR_MS
    assert kept_from("1m", KEPT, ELEVEN_MS + 1) == ELEVEN_MS - 47 * HOUR_MS


def recorded(fingerprint: str, *names: str) -> HourRecord:
    return HourRecord({name: TableRecord(rows=1, fingerprint=fingerprint, exported_ms=1) for name in names})


def test_hours_are_due_that_are_missing_incomplete_or_changed() -> None:
    tables = ("tiles_1m", "covered")
    hours = [ELEVEN_MS - n * HOUR_MS for n in range(5, 0, -1)]
    figures = {hour_ms: HourFigures(1, "new") for hour_ms in hours}
    found = [recorded("new", *tables), HourRecord(), recorded("new", "covered"), recorded("old", *tables)]
    records = dict(zip(hours, [*found, recorded("new", *tables, "more")], strict=True))

    assert due_hours(figures, records, tables, ELEVEN_MS) == tuple(hours[1:4])


def test_an_old_hour_is_not_compared_because_nothing_changes_it() -> None:
    hour_ms = ELEVEN_MS - 30 * HOUR_MS

    figures = {hour_ms: HourFigures(1, "of columns that were added since")}
    assert due_hours(figures, {hour_ms: recorded("old", "tiles_1h")}, ("tiles_1h",), ELEVEN_MS) == ()
    assert due_hours(figures, {hour_ms: HourRecord()}, ("tiles_1h",), ELEVEN_MS) == (hour_ms,)


@pytest.mark.parametrize(("series", "sizes"), [(0, [24, 6]), (1_000, [24, 6]), (100_000, [2] * 15), (10**7, [1] * 30)])
def test_few_hours_of_many_series_are_read_at_once(series: int, sizes: list[int]) -> None:
    assert [len(batch) for batch in batches(tuple(range(30)), series)] == sizes
    assert [hour for batch in batches(tuple(range(30)), series) for hour in batch] == list(range(30))
