"""Rows of tasks that wait for the driver's transaction, and what makes them void."""

from threading import Thread

import pytest

from metrics.errors import BatchOutdatedError, StoreUnavailableError
from metrics.schemas import HOUR_EXCHANGED
from metrics.store.address import connect
from metrics.store.connection import SharedConnection
from metrics.store.forgotten_rows import delete_forgotten
from metrics.store.rollup import roll_up
from metrics.store.target_store import TargetStore
from tests.contract.test_metrics_store import (
    NOW_MS,
    TARGET,
    Writing,
    _never,
    connection,
    postgres_url,
    rows,
    store_url,
    tile_at,
    writing,
)

__all__ = ["connection", "postgres_url", "store_url", "writing"]


def test_rows_that_wait_are_taken_over_with_their_batch_and_those_of_other_attempts_deleted(
    connection: SharedConnection, writing: Writing
) -> None:
    writing.prepared(tile_at(NOW_MS, end=3), staged=1)  # of an attempt that failed afterwards
    batch = writing.prepared(tile_at(NOW_MS, end=4), staged=2)
    writing.prepared(tile_at(NOW_MS + 10_000, start=4, end=9), staged=3)  # of a later batch
    before = rows(connection, "SELECT * FROM tile_partition_10s")

    writing.take(batch)

    assert before == []
    assert rows(connection, "SELECT records FROM tile_partition_10s") == [(4,)]
    assert rows(connection, "SELECT next_offset FROM covered") == [(4,)]
    for table in ("staged_attempt", "staged_tile", "staged_now", "staged_covered"):
        assert set(rows(connection, f"SELECT attempt FROM {table}")) == {(3,)}, table


def test_rows_that_got_lost_while_they_waited_fail_the_batch(connection: SharedConnection, writing: Writing) -> None:
    batch = writing.prepared(tile_at(NOW_MS), staged=1)
    with connection.reading() as opened:
        opened.run("DELETE FROM staged_tile")

    with pytest.raises(StoreUnavailableError, match="0 of 1 staged rows"):
        writing.take(batch)

    assert rows(connection, "SELECT * FROM covered") == []


def test_a_new_writer_deletes_what_attempts_of_the_older_one_have_left(
    connection: SharedConnection, writing: Writing
) -> None:
    writing.prepared(tile_at(NOW_MS), staged=1)

    TargetStore(connection, TARGET, "host:2").claim(NOW_MS)

    assert rows(connection, "SELECT * FROM staged_tile") == rows(connection, "SELECT * FROM staged_attempt") == []


def test_a_batch_whose_tile_the_roll_up_has_passed_meanwhile_is_folded_again(
    connection: SharedConnection, writing: Writing
) -> None:
    batch = writing.prepared(tile_at(NOW_MS))
    later = writing.prepared(tile_at(NOW_MS + 600_000, start=10, end=11, partition=1))
    roll_up(connection, TARGET, NOW_MS + 120_000, _never)

    with pytest.raises(BatchOutdatedError):
        writing.take(batch)
    writing.take(later)  # which the roll-up has still to come to
    writing.commit(tile_at(NOW_MS))
    roll_up(connection, TARGET, NOW_MS + 1_200_000, _never)

    assert rows(connection, "SELECT SUM(records) FROM tile_partition_1m") == [(11,)]


def test_a_batch_is_folded_again_when_another_hand_has_deleted_series(
    connection: SharedConnection, writing: Writing
) -> None:
    batch = writing.prepared(tile_at(NOW_MS))
    assert delete_forgotten(connection, TARGET, NOW_MS, _never) == 2  # numbered, and nothing is written for them yet

    with pytest.raises(BatchOutdatedError):
        writing.take(batch)
    writing.commit(tile_at(NOW_MS))

    assert rows(connection, "SELECT t.records FROM tile_partition_10s t JOIN series s ON s.id = t.id") == [(10,)]


def test_no_other_hand_changes_what_a_batch_was_folded_on_between_its_check_and_its_commit(
    connection: SharedConnection, store_url: str, writing: Writing
) -> None:
    other = connect(store_url)
    exchange = Thread(target=exchange_hour, args=(other,), daemon=True)
    waits: list[bool] = []

    def when_checked() -> None:
        exchange.start()
        exchange.join(0.3)
        waits.append(exchange.is_alive())

    writing.store.commit(
        writing.prepared(tile_at(NOW_MS)), writing.flows, {}, (), now_ms=NOW_MS, when_checked=when_checked
    )
    exchange.join(30)
    other.close()

    assert waits == [True]
    assert rows(connection, "SELECT revision FROM writer") == [(HOUR_EXCHANGED,)]


def test_a_batch_that_is_void_is_not_said_to_be_checked(connection: SharedConnection, writing: Writing) -> None:
    batch = writing.prepared(tile_at(NOW_MS))
    exchange_hour(connection)
    roll_up(connection, TARGET, NOW_MS + 120_000, _never)
    checked: list[int] = []

    with pytest.raises(BatchOutdatedError):
        writing.store.commit(batch, writing.flows, {}, (), now_ms=NOW_MS, when_checked=lambda: checked.append(1))

    assert checked == []


HOUR_MS = 3_600_000


def test_an_exchanged_hour_makes_only_batches_void_that_add_to_hours_that_have_passed(
    connection: SharedConnection, writing: Writing
) -> None:
    writing.commit(tile_at(NOW_MS))
    roll_up(connection, TARGET, NOW_MS + 2 * HOUR_MS, _never)
    late = writing.prepared(tile_at(NOW_MS + 10_000, start=10, end=12, partition=1))
    current = writing.prepared(tile_at(NOW_MS + 3 * HOUR_MS, start=10, end=13, partition=2))

    exchange_hour(connection)

    writing.take(current)
    with pytest.raises(BatchOutdatedError):
        writing.take(late)
    writing.commit(tile_at(NOW_MS + 10_000, start=10, end=12, partition=1))
    records = "SELECT t.records FROM tile_partition_10s t JOIN series s ON s.id = t.id ORDER BY s.partition"
    assert rows(connection, records) == [(10,), (2,), (3,)]


def test_deleted_series_make_a_batch_void_after_exchanged_hours_too(
    connection: SharedConnection, writing: Writing
) -> None:
    exchange_hour(connection)
    batch = writing.prepared(tile_at(NOW_MS))
    assert delete_forgotten(connection, TARGET, NOW_MS, _never) == 2
    exchange_hour(connection)

    with pytest.raises(BatchOutdatedError):
        writing.take(batch)


def exchange_hour(connection: SharedConnection) -> None:
    """As a backfill does at the end of an hour."""
    with connection.writing(TARGET) as opened:
        opened.run("UPDATE writer SET revision = revision + ? WHERE target = ?", (HOUR_EXCHANGED, TARGET))
