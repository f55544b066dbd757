import pytest

from metrics.backfill import HOUR_MS, Range, Recount, check_complete, wanted_range
from metrics.errors import JobError
from metrics.tile_sums import TileSums
from tests.support.metrics_builders import key

NOON_MS = 497_000 * HOUR_MS


def test_a_range_is_widened_to_whole_hours() -> None:
    spec = {"from_ms": NOON_MS + 5, "to_ms": NOON_MS + HOUR_MS + 1, "from the future": 1}

    assert wanted_range(spec, NOON_MS + 9 * HOUR_MS) == Range(NOON_MS, NOON_MS + 2 * HOUR_MS)


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ({}, "from_ms and to_ms"),
        ({"from_ms": "5", "to_ms": 9}, "from_ms and to_ms"),
        ({"from_ms": 9, "to_ms": 9}, "before"),
        ({"from_ms": NOON_MS, "to_ms": NOON_MS + HOUR_MS + 1}, "still being rolled up"),
        ({"from_ms": NOON_MS - 60 * HOUR_MS, "to_ms": NOON_MS}, "longer than 48 hours"),
    ],
)
def test_a_range_that_cannot_be_counted_again_is_refused(spec: dict[str, object], complaint: str) -> None:
    with pytest.raises(JobError, match=complaint):
        wanted_range(spec, NOON_MS + HOUR_MS)


@pytest.mark.parametrize(
    ("log_start", "first_in_range", "is_complete"),
    [(0, None, True), (0, 0, True), (500, 501, True), (500, 500, False), (500, None, False)],
)
def test_expired_raw_metrics_are_noticed(log_start: int, first_in_range: int | None, is_complete: bool) -> None:
    if is_complete:
        check_complete("raw", 0, log_start=log_start, first_in_range=first_in_range)
    else:
        with pytest.raises(JobError, match="have expired"):
            check_complete("raw", 0, log_start=log_start, first_in_range=first_in_range)


def test_only_tiles_of_the_range_are_kept_and_cut_to_the_width() -> None:
    recount = Recount(Range(NOON_MS, NOON_MS + HOUR_MS), "1m")
    tiles = {(key(), NOON_MS + offset): _tile(1) for offset in (-10_000, 0, 10_000, 60_000, HOUR_MS)}

    recount.add({"partition": tiles, "topic": {}, "flow": {}})
    recount.add({"partition": {(key(), NOON_MS + 20_000): _tile(5)}, "topic": {}, "flow": {}})

    found = {time_ms - NOON_MS: sums.records for (_, time_ms), sums in recount.tiles["partition"].items()}
    assert found == {0: 7, 60_000: 1}


def _tile(records: int) -> TileSums:
    sums = TileSums()
    sums.records = records
    return sums
