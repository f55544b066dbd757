from metrics.counting.sums.tile_histogram import MOST_BIGINT
from metrics.counting.sums.tile_sums import TileSums
from metrics.schemas import TILE_COLUMNS


def test_a_tile_is_read_back_as_it_was_written() -> None:
    tile = TileSums()
    tile.records, tile.bytes, tile.hole_offsets = 5, 500, 2
    tile.observe_lag(7)
    tile.latency.add(0, 2)
    tile.latency.add(40, 3)
    tile.age.add(-1, 4)
    row = tile.to_row(9, 10_000)

    assert row[:3] == (9, 10_000, 5)
    assert TileSums.from_row(row).to_row(9, 10_000) == row


def test_a_sum_that_no_database_holds_is_written_as_the_largest_it_does() -> None:
    tile = TileSums()
    tile.age.add(366 * 86_400_000, 81_000 * 3_600 * 10)

    row = tile.to_row(9, 10_000)

    assert max(value for value in row if isinstance(value, int)) == MOST_BIGINT
    assert tile.age.sum_ms >= MOST_BIGINT


def test_each_value_stands_under_the_name_of_its_column() -> None:
    tile = TileSums()
    plain = ("records", "bytes", "wire_bytes", "lag_max", "lag_last", "hole_offsets", "overlap_offsets")
    for number, name in enumerate((*plain, "covered_offsets", "throttled_ms"), 1):
        setattr(tile, name, number)
    tile.latency.add(9, 3)
    tile.age.add(0)
    tile.age.add(1)
    row = dict(zip((column.name for column in TILE_COLUMNS), tile.to_row(7, 8), strict=True))

    numbers = [row[name] for name in (*plain, "covered_offsets", "throttled_ms")]
    latency = [row[f"latency_{name}"] for name in ("count", "min_ms", "max_ms", "sum_ms", "negative_count")]
    assert (row["id"], row["time_ms"], numbers, latency) == (7, 8, [*range(1, 10)], [3, 9, 9, 27, 0])
    assert (row["latency_hist"], row["age_hist"]) == ('{"12":3}', '{"-1":1,"0":1}')


def test_what_was_not_measured_is_null_in_the_row() -> None:
    row = dict(zip((column.name for column in TILE_COLUMNS), TileSums().to_row(1, 0), strict=True))

    unknown = {name for name, value in row.items() if value is None}
    assert unknown == {"lag_max", "lag_last", "latency_min_ms", "latency_max_ms", "age_min_ms", "age_max_ms"}


def test_the_extremes_of_an_empty_histogram_do_not_win() -> None:
    total, empty, slow = TileSums(), TileSums(), TileSums()
    slow.latency.add(40)
    for each in (empty, slow, empty):
        total.merge(each)

    assert (total.latency.min_ms, total.latency.max_ms) == (40, 40)


def test_the_last_known_lag_survives_a_part_without_one() -> None:
    total, first, second = TileSums(), TileSums(), TileSums()
    first.observe_lag(9)
    for each in (first, second):
        total.merge(each)

    assert (total.lag_last, total.lag_max) == (9, 9)
