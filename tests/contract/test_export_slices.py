"""The tasks of an export read the same rows from both databases, and cannot write."""

import sqlite3
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest

from metrics.errors import StoreUnavailableError
from metrics.export import slice_task
from metrics.export.columns import COVERED_RANGES, HistoryTable, tile_history
from metrics.export.slice_task import SliceTask, read_slices
from metrics.export.store_hours import first_hour, hour_figures, series_ranges
from metrics.store.address import connect
from tests.support.metrics.history_lab import (
    FIRST_MS,
    HOUR_MS,
    MINUTE_MS,
    TARGET,
    CountedHours,
    count_in_this_process,
    counted_hours,
)
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store, store_rows
from tests.support.servers.postgres import postgres_url

__all__ = ["postgres_url"]
SECOND_MS = FIRST_MS + HOUR_MS


@pytest.fixture(params=["sqlite", "postgres"])
def counted(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CountedHours:
    monkeypatch.setattr(slice_task, "_connections", {})
    monkeypatch.setattr("metrics.export.store_hours.SERIES_PER_SLICE", 2)
    count_in_this_process(monkeypatch)
    if request.param == "sqlite":
        return counted_hours(create_sqlite_store(tmp_path / "metrics.sqlite3"))
    url: str = request.getfixturevalue("postgres_url")
    create_postgres_store(url)
    return counted_hours(url)


def rows_read(counted: CountedHours, table: HistoryTable, hours: tuple[int, ...]) -> list[dict[str, Any]]:
    store = connect(counted.url)
    ranges = series_ranges(store, TARGET)
    store.close()
    task = SliceTask(store_url=counted.url, target=TARGET, table=table, hours=hours, ranges=ranges)
    numbers = pa.RecordBatch.from_arrays([pa.array(range(len(task)))], ["id"])
    return [row for batch in read_slices(task, [numbers]) for row in batch.to_pylist()]


def test_each_tile_of_the_hours_is_read_once(counted: CountedHours) -> None:
    rows = rows_read(counted, tile_history("1m"), (FIRST_MS, SECOND_MS))

    keys = [(row["level"], row["topic"], row["partition"], row["consumer_group"], row["time"]) for row in rows]
    assert len(set(keys)) == len(keys)
    expected = sum(
        store_rows(
            counted.url,
            f"SELECT COUNT(*) FROM tile_{level}_1m WHERE time_ms < ?",
            (FIRST_MS + 2 * HOUR_MS,),
        )[0][0]
        for level in ("partition", "topic", "flow", "group")
    )
    assert len(rows) == expected > 700
    assert {row["level"] for row in rows} == {"partition", "topic", "flow", "group"}
    assert {(row["day"], row["hour"]) for row in rows} == {("2026-09-21", "14"), ("2026-09-21", "15")}


def test_names_that_a_level_does_not_have_are_null(counted: CountedHours) -> None:
    rows = rows_read(counted, tile_history("1h"), (FIRST_MS,))

    names = ("level", "source", "topic", "remote_topic", "partition", "consumer_group")
    assert sorted(map(repr, {tuple(row[name] for name in names) for row in rows})) == sorted(
        map(
            repr,
            [
                ("flow", "a", None, None, None, None),
                ("group", "a", None, None, None, "billing"),
                ("topic", "a", "clicks", "a.clicks", None, None),
                ("topic", "a", "orders", "a.orders", None, None),
                ("partition", "a", "clicks", "a.clicks", 0, None),
                ("partition", "a", "orders", "a.orders", 0, None),
                ("partition", "a", "orders", "a.orders", 1, None),
            ],
        )
    )


def test_covered_ranges_end_where_the_next_hour_begins(counted: CountedHours) -> None:
    rows = rows_read(counted, COVERED_RANGES, (FIRST_MS, SECOND_MS))

    found = {(row["topic"], row["partition"], row["hour"]): (row["first_offset"], row["next_offset"]) for row in rows}
    assert found == {
        ("clicks", 0, "14"): (0, 600),
        ("clicks", 0, "15"): (600, 1200),
        ("orders", 0, "14"): (0, 603),
        ("orders", 0, "15"): (603, 1206),
        ("orders", 1, "14"): (0, 603),
        ("orders", 1, "15"): (603, 1206),
    }


def test_offsets_of_a_topic_since_re_created_are_unknown(counted: CountedHours) -> None:
    clicks = counted.tasks[1]
    clicks.topic_id = "22" * 16
    clicks.positions.clear()
    counted.take(counted.minutes(FIRST_MS + 2 * HOUR_MS + 25 * MINUTE_MS, 50))
    counted.roll_up(FIRST_MS + 3 * HOUR_MS + 20 * MINUTE_MS)

    rows = rows_read(counted, COVERED_RANGES, (FIRST_MS, SECOND_MS, FIRST_MS + 2 * HOUR_MS))

    found = [(row["topic_id"], row["first_offset"], row["next_offset"]) for row in rows if row["topic"] == "clicks"]
    assert found == [(None, None, None), (None, None, None), ("22" * 16, 0, 350)]


def test_any_later_tile_changes_the_figures_of_its_hour_only(counted: CountedHours) -> None:
    store = connect(counted.url)
    before = hour_figures(store, TARGET, (FIRST_MS, SECOND_MS))
    late = counted.tasks[1]
    late.now_ms = FIRST_MS + 30 * MINUTE_MS

    counted.take([late.report(0)])

    after = hour_figures(store, TARGET, (FIRST_MS, SECOND_MS))
    assert after[FIRST_MS] != before[FIRST_MS]
    assert after[SECOND_MS] == before[SECOND_MS]
    assert hour_figures(store, TARGET, (FIRST_MS - HOUR_MS,)) == {}
    assert first_hour(store, TARGET) == FIRST_MS
    assert first_hour(store, "unknown") is None
    assert series_ranges(store, "unknown") == ()
    store.close()


def test_sums_of_milliseconds_may_be_as_large_as_a_bigint(counted: CountedHours) -> None:
    store = connect(counted.url)
    with store.writing(TARGET) as connection:
        connection.run("UPDATE tile_partition_1h SET latency_sum_ms = ?", ((1 << 63) - 1,))

    assert hour_figures(store, TARGET, (FIRST_MS,))[FIRST_MS].tiles == 7
    store.close()


def test_a_connection_of_a_task_cannot_write(counted: CountedHours) -> None:
    store = connect(counted.url, read_only=True)

    with pytest.raises(StoreUnavailableError) as refused, store.reading() as connection:
        connection.run("DELETE FROM series")

    assert isinstance(refused.value.__cause__, sqlite3.OperationalError | psycopg.errors.ReadOnlySqlTransaction)
    store.close()
