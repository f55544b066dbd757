"""Roll-up and retention run in the database: what they write is what `TileSums.merge` gives, and no tile is read."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metrics.counting.side_records import GaugeSums
from metrics.counting.sums.tile_sums import TileSums
from metrics.schemas import GAUGES, LEVELS, ROLLUP, SERIES, TILES, Table, tile_table
from metrics.store import rollup
from metrics.store.address import connect
from metrics.store.connection import SharedConnection
from metrics.store.rollup import GRACE_MS, delete_expired, roll_up
from metrics.store.statements import insert_sql
from replication.domain.reporting.metric_defs import WIDTHS_MS
from tests.support.metrics.merged_rows import TileRow, merged, tile_rows
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store
from tests.support.servers.postgres import postgres_url

__all__ = ["postgres_url"]

TARGET, OTHER = "b", "c"
HOUR_MS = 1_790_000_000_000 // WIDTHS_MS["1h"] * WIDTHS_MS["1h"]
BEGIN_MS = HOUR_MS + 57 * 60_000  # the hour ends after three minutes
MINUTES = 6
SERIES_IDS = (1, 2, 3)  # as `tile_rows` draws them
OTHER_ID = 4
MANY = 300
TABLE_OF = {table.name: table for table in (*TILES, *GAUGES)}


@pytest.fixture(params=["sqlite", "postgres"])
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SharedConnection]:
    if request.param == "sqlite":
        opened = connect(create_sqlite_store(tmp_path / "metrics.sqlite3"))
    else:
        create_postgres_store(request.getfixturevalue("postgres_url"))
        opened = connect(request.getfixturevalue("postgres_url"))
    with opened.writing(TARGET) as writing:
        for number in (*SERIES_IDS, OTHER_ID):
            target = OTHER if number == OTHER_ID else TARGET
            writing.run_many(insert_sql(SERIES), [("a", target, f"t{number}", "", 0, "")])
    yield opened
    opened.close()


def rows(connection: SharedConnection, name: str) -> list[TileRow]:
    with connection.reading() as reading:
        columns = ", ".join(f'"{column}"' for column in TABLE_OF[name].column_names)
        return sorted(tuple(row) for row in reading.rows(f"SELECT {columns} FROM {name}"))


def begin(connection: SharedConnection) -> None:
    """Empty tables, and borders before the first tile."""
    with connection.writing(TARGET) as writing:
        for name in TABLE_OF:
            writing.run(f"DELETE FROM {name}")
        writing.upsert(ROLLUP, [(target, width, BEGIN_MS) for target in (TARGET, OTHER) for width in ("1m", "1h")])


def write(connection: SharedConnection, name: str, added: Sequence[TileRow]) -> None:
    with connection.writing(TARGET) as writing:
        writing.upsert(TABLE_OF[name], added)


def roll(connection: SharedConnection, minutes: int = MINUTES) -> int:
    return roll_up(connection, TARGET, BEGIN_MS + minutes * 60_000 + GRACE_MS, lambda: False)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    found=tile_rows(begin_ms=BEGIN_MS, times=6 * MINUTES),
    level=st.sampled_from(LEVELS),
    stops=st.sets(st.integers(1, MINUTES)),
)
def test_coarser_tiles_are_the_finer_ones_merged_in_their_order(
    connection: SharedConnection, found: list[TileRow], level: Any, stops: set[int]
) -> None:
    begin(connection)
    write(connection, tile_table(level, "10s"), found)

    for minute in sorted(stops | {MINUTES}):
        roll(connection, minute)

    assert rows(connection, tile_table(level, "1m")) == merged(found, WIDTHS_MS["1m"])
    assert rows(connection, tile_table(level, "1h")) == merged(found, WIDTHS_MS["1h"])
    others = {tile_table(other, width) for other in LEVELS if other != level for width in WIDTHS_MS}
    assert [name for name in others if rows(connection, name)] == []


def test_what_a_coarser_tile_holds_is_older_than_what_is_added(connection: SharedConnection) -> None:
    begin(connection)
    late, first, second = TileSums(), TileSums(), TileSums()
    for tile, lag in ((late, 90), (first, 5), (second, None)):
        tile.observe_lag(lag)
        tile.latency.add(40, 3)
        tile.age.add(700)
    write(connection, "tile_topic_1m", [late.to_row(1, BEGIN_MS)])
    write(connection, "tile_topic_10s", [first.to_row(1, BEGIN_MS), second.to_row(1, BEGIN_MS + 50_000)])

    roll(connection)

    late.merge(first)
    late.merge(second)
    assert rows(connection, "tile_topic_1m") == [late.to_row(1, BEGIN_MS)]
    assert rows(connection, "tile_topic_1h") == [late.to_row(1, HOUR_MS)]
    assert (late.lag_last, late.lag_max, late.latency.count) == (5, 90, 9)


def test_a_coarser_tile_that_gets_nothing_stays_as_it_is(connection: SharedConnection) -> None:
    begin(connection)
    tile = TileSums()
    odd = (*tile.to_row(2, BEGIN_MS)[:-1], '{"6":1}')  # of no record: merging drops it
    write(connection, "tile_flow_1m", [odd])
    write(connection, "tile_flow_10s", [tile.to_row(1, BEGIN_MS)])

    roll(connection)

    assert rows(connection, "tile_flow_1m") == [tile.to_row(1, BEGIN_MS), odd]


def test_tiles_of_another_target_are_left_to_its_own_roll_up(connection: SharedConnection) -> None:
    begin(connection)
    tile = TileSums().to_row(OTHER_ID, BEGIN_MS)
    write(connection, "tile_topic_10s", [tile, TileSums().to_row(1, BEGIN_MS)])
    write(connection, "tile_topic_1m", [tile])

    roll(connection)

    assert [row[0] for row in rows(connection, "tile_topic_1m")] == [1, OTHER_ID]
    assert [row[0] for row in rows(connection, "tile_topic_1h")] == [1]


_READINGS = st.dictionaries(
    st.tuples(st.sampled_from(SERIES_IDS), st.sampled_from(("lag", "age")), st.integers(0, 6 * MINUTES - 1)),
    st.lists(st.integers(-5, 1_000), min_size=1, max_size=3),
    max_size=9,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(readings=_READINGS, stops=st.sets(st.integers(1, MINUTES)))
def test_coarser_gauges_are_the_finer_ones_merged_in_their_order(
    connection: SharedConnection, readings: dict[tuple[int, str, int], list[int]], stops: set[int]
) -> None:
    begin(connection)
    expected: defaultdict[str, defaultdict[tuple[int, str, int], GaugeSums]] = defaultdict(
        lambda: defaultdict(GaugeSums)
    )
    for (number, name, step), values in sorted(readings.items(), key=lambda item: item[0][2]):
        time_ms = BEGIN_MS + step * WIDTHS_MS["10s"]
        for width, width_ms in WIDTHS_MS.items():
            for value in values:
                expected[f"gauge_{width}"][number, name, time_ms - time_ms % width_ms].add(value)
    found = {
        table: sorted((*key, sums.count, sums.min, sums.max, sums.sum, sums.last) for key, sums in own.items())
        for table, own in expected.items()
    }
    write(connection, "gauge_10s", found.get("gauge_10s", []))

    for minute in sorted(stops | {MINUTES}):
        roll(connection, minute)

    assert [rows(connection, name) for name in ("gauge_1m", "gauge_1h")] == [
        found.get(name, []) for name in ("gauge_1m", "gauge_1h")
    ]


def test_rolling_up_and_expiring_read_no_tile(connection: SharedConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(connection)
    made = [TileSums().to_row(1, BEGIN_MS + number) for number in range(MANY)]
    for level in LEVELS:
        write(connection, tile_table(level, "10s"), made)
    passed: list[int] = []
    kind = type(connection._connection)
    read, upserted, sent = kind.rows, kind.upsert, kind.run_many

    def counted_rows(self: Any, sql: str, parameters: Sequence[Any] = ()) -> list[Sequence[Any]]:
        found: list[Sequence[Any]] = read(self, sql, parameters)
        passed.append(len(found))
        return found

    def counted_upsert(self: Any, table: Table, given_rows: Sequence[Sequence[Any]]) -> None:
        passed.append(len(given_rows))
        upserted(self, table, given_rows)

    def counted_run_many(self: Any, sql: str, given_rows: Iterable[Sequence[Any]]) -> None:
        given_rows = list(given_rows)
        passed.append(len(given_rows))
        sent(self, sql, given_rows)

    monkeypatch.setattr(kind, "rows", counted_rows)
    monkeypatch.setattr(kind, "upsert", counted_upsert)
    monkeypatch.setattr(kind, "run_many", counted_run_many)
    steps = roll(connection)
    deleted = delete_expired(connection, TARGET, BEGIN_MS + 365 * 86_400_000, lambda: False)

    assert steps > 1
    assert deleted == len(LEVELS) * (MANY + 2)
    assert max(passed) <= 2  # the borders of two widths


def test_old_tiles_of_the_target_go_in_chunks_until_none_is_left(
    connection: SharedConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(connection)
    monkeypatch.setattr(rollup, "_DELETE_CHUNK", 3)
    write(connection, "tile_flow_10s", [TileSums().to_row(1, BEGIN_MS + number) for number in range(10)])
    other = TileSums().to_row(OTHER_ID, BEGIN_MS)
    write(connection, "tile_flow_10s", [other])
    kept_ms = BEGIN_MS + 2 * WIDTHS_MS["1h"]

    assert delete_expired(connection, TARGET, kept_ms + 7, lambda: False) == 0  # the roll-up has not passed them
    roll(connection)
    assert delete_expired(connection, TARGET, kept_ms + 7, lambda: False) == 7
    assert [row[1] - BEGIN_MS for row in rows(connection, "tile_flow_10s") if row[0] == 1] == [7, 8, 9]
    assert delete_expired(connection, TARGET, kept_ms + 10, lambda: False) == 3
    assert rows(connection, "tile_flow_10s") == [other]
