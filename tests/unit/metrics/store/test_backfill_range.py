"""The parts of tiles that the steps of a backfill leave, and what they come to when the database merges them."""

import sqlite3
from collections.abc import Mapping, Sequence

import pytest

from metrics.counting.batch import TileKey
from metrics.counting.sums.tile_sums import TileSums
from metrics.schemas import TILE_COLUMNS
from metrics.store.backfill.backfill_range import FIRST_BACKFILL_ID, HOUR_MS, BackfillRange, new_backfill_id
from metrics.store.merging.dialect import SQLITE
from metrics.store.merging.tile_merge_sql import merged_tiles_sql
from replication.domain.reporting.metric_defs import WIDTHS_MS, TileWidth
from tests.support.metrics.metrics_builders import key

NOON_MS = 497_000 * HOUR_MS
_NAMES = [column.name for column in TILE_COLUMNS]


def backfill(width: TileWidth = "1m") -> BackfillRange:
    return BackfillRange(
        backfill_id=FIRST_BACKFILL_ID,
        from_ms=NOON_MS,
        to_ms=NOON_MS + HOUR_MS,
        widths={"partition": width, "topic": width, "flow": width},
    )


def tile(records: int, lag: int | None = None) -> TileSums:
    sums = TileSums()
    sums.records = records
    sums.observe_lag(lag)
    return sums


def merged(steps: Sequence[Mapping[TileKey, TileSums]], width: TileWidth) -> list[dict[str, object]]:
    """The tiles of all steps, as the database merges their parts."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE part (step, {', '.join(_NAMES)})")
    marks = ", ".join("?" * (len(_NAMES) + 1))
    for step, tiles in enumerate(steps):
        rows = [(step, *sums.to_row(1, time_ms)) for (_, time_ms), sums in backfill().parts("partition", tiles).items()]
        connection.executemany(f"INSERT INTO part VALUES ({marks})", rows)
    sql = merged_tiles_sql(SQLITE, "part", width_ms=WIDTHS_MS[width], order=("time_ms", "step"))
    found = [dict(zip(_NAMES, row, strict=True)) for row in connection.execute(sql)]
    connection.close()
    return found


@pytest.mark.parametrize("in_one_step", [True, False])
@pytest.mark.parametrize("width", ["1m", "1h"])
def test_the_last_lag_is_that_of_the_latest_ten_seconds_however_late_others_come(
    in_one_step: bool, width: TileWidth
) -> None:
    tiles = [
        {(key(), NOON_MS + at_s * 1_000): tile(1, lag)}
        for at_s, lag in ((20, 2), (40, 5), (50, None), (10, 1), (30, 3), (55, None))
    ]
    steps = [{at: sums for each in tiles for at, sums in each.items()}] if in_one_step else tiles

    (found,) = merged(steps, width)

    assert (found["lag_last"], found["lag_max"], found["records"]) == (5, 5, 6)


def test_of_two_readings_of_the_same_ten_seconds_the_later_one_is_the_last() -> None:
    (found,) = merged([{(key(), NOON_MS): tile(1, 4)}, {(key(), NOON_MS): tile(1, 2)}], "1m")

    assert (found["lag_last"], found["lag_max"]) == (2, 4)


def test_only_tiles_of_the_range_are_kept_one_per_tile_of_the_width() -> None:
    tiles = {(key(), NOON_MS + offset): tile(1) for offset in (-10_000, 0, 10_000, 60_000, HOUR_MS)}

    found = backfill().parts("partition", tiles)

    assert {time_ms - NOON_MS: sums.records for (_, time_ms), sums in found.items()} == {10_000: 2, 60_000: 1}


def test_a_level_is_replaced_in_its_finest_width_and_all_coarser_ones() -> None:
    assert [backfill(width).widths_of("flow") for width in WIDTHS_MS] == [
        ("10s", "1m", "1h"),
        ("1m", "1h"),
        ("1h",),
    ]


def test_ids_of_backfills_lie_above_all_epochs_and_fit_the_store() -> None:
    assert all(FIRST_BACKFILL_ID <= new_backfill_id() < 1 << 63 for _ in range(100))
