"""A backfill replaces hours one at a time, each as a whole, beside the stream; what it leaves is never read."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from metrics.errors import JobCancelledError, JobError, StoreUnavailableError
from metrics.schemas import BACKFILL, BACKFILL_COVERED, BACKFILL_NOW, BACKFILL_TILE, STAGED_ATTEMPT, STAGED_TILE
from metrics.store.address import connect
from metrics.store.backfill import running
from metrics.store.backfill.backfill_range import new_backfill_id
from metrics.store.backfill.hour_exchange import HourExchange
from metrics.store.connection import SharedConnection
from metrics.store.forgotten_rows import delete_forgotten
from tests.contract.test_metrics_backfill import (
    HOUR_MS,
    MINUTE_MS,
    RawTopic,
    backfill,
    connection,
    count_live,
    damage,
    postgres_url,
    raw,
    report,
    store_url,
    tiles,
    write_hours,
)
from tests.support.eventually import eventually
from tests.support.metrics.metrics_store import create_sqlite_store, postgres_rows
from tests.support.metrics.raw_metrics import RawTask

__all__ = ["connection", "postgres_url", "raw", "store_url"]

NOW_MS = HOUR_MS + 120 * MINUTE_MS
EARLIER_MS = HOUR_MS - 60 * MINUTE_MS
WIDTHS = ("1m", "1h")

Tiles = dict[tuple[str, int], list[tuple[Any, ...]]]


def all_tiles(connection: SharedConnection) -> Tiles:
    return {
        (width, hour_ms): tiles(connection, width, hour_ms) for width in WIDTHS for hour_ms in (EARLIER_MS, HOUR_MS)
    }


def left_over(connection: SharedConnection) -> dict[str, int]:
    with connection.reading() as reading:
        tables = (BACKFILL, BACKFILL_TILE, BACKFILL_NOW, BACKFILL_COVERED, STAGED_ATTEMPT, STAGED_TILE)
        counts = {table.name: reading.rows(f"SELECT COUNT(*) FROM {table.name}")[0][0] for table in tables}
    return {name: count for name, count in counts.items() if count}


@pytest.fixture
def counted(
    raw: RawTopic, store_url: str, connection: SharedConnection, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], None]:
    """Hours that the stream has counted; counts what is written later. The backfill runs in two stages."""
    monkeypatch.setattr("metrics.backfill.backfill_folding.SMALL_BATCH_REPORTS", 0)
    write_hours(raw)
    return count_live(raw, store_url, connection, NOW_MS)


def after_steps(raw: RawTopic, steps: int) -> Callable[[], bool]:
    """A request to stop that comes when some steps are done."""
    begun = len(raw.reads)
    return lambda: len(raw.reads) - begun >= steps


class LateTasks:
    """Write records of both hours that come hours late: of a known partition and of a new topic."""

    def __init__(self, raw: RawTopic) -> None:
        self._raw = raw
        self._tasks = [
            RawTask(slot=3, partitions=(1,), boot="late"),
            RawTask(slot=4, topic="late", partitions=(0,), boot="late"),
        ]
        self.reports = 0

    def report(self) -> None:
        self.reports += 1
        for hour_ms in (EARLIER_MS, HOUR_MS):
            for task in self._tasks:
                to_ms = hour_ms + 20 * MINUTE_MS + 11_000 * self.reports
                record = report(task, to_ms, 77_777)
                if task.topic == "late":  # its lag would depend on where batches are cut
                    record["parts"][0][7] = None
                self._raw.write(task.slot % 2, record, written_ms=NOW_MS)


def test_a_cancelled_backfill_leaves_the_old_tiles_and_nothing_else(
    connection: SharedConnection, store_url: str, raw: RawTopic, counted: Callable[[], None]
) -> None:
    true = all_tiles(connection)
    damage(connection, WIDTHS)
    damaged = all_tiles(connection)

    with pytest.raises(JobCancelledError):
        backfill(raw, store_url, NOW_MS, cancelled=after_steps(raw, 6))

    assert all_tiles(connection) == damaged
    assert left_over(connection) == {}
    backfill(raw, store_url, NOW_MS, from_ms=EARLIER_MS)
    assert all_tiles(connection) == true


def test_what_a_killed_process_has_left_is_deleted_by_the_next_backfill_and_not_counted(
    connection: SharedConnection,
    store_url: str,
    raw: RawTopic,
    counted: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    true = all_tiles(connection)
    damage(connection, WIDTHS)
    with monkeypatch.context() as killed:
        killed.setattr(running, "end", lambda *_: None)  # nothing runs after a kill
        with pytest.raises(JobCancelledError):
            backfill(raw, store_url, NOW_MS, cancelled=after_steps(raw, 10))
    assert left_over(connection).keys() >= {"backfill", "backfill_tile", "backfill_now", "backfill_covered"}

    backfill(raw, store_url, NOW_MS, from_ms=EARLIER_MS)

    assert all_tiles(connection) == true
    assert left_over(connection) == {}


def test_rows_of_a_backfill_whose_job_has_ended_are_deleted_in_the_end(
    connection: SharedConnection,
    store_url: str,
    raw: RawTopic,
    counted: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as killed:
        killed.setattr(running, "end", lambda *_: None)
        with pytest.raises(JobCancelledError):
            backfill(raw, store_url, NOW_MS, cancelled=after_steps(raw, 10))

    delete_forgotten(connection, "b", NOW_MS, lambda: False)

    assert left_over(connection) == {}


@pytest.mark.parametrize("moment", ["while it reads", "before an hour is prepared"])
def test_a_backfill_ends_when_another_one_of_the_target_has_begun(
    connection: SharedConnection,
    store_url: str,
    raw: RawTopic,
    counted: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
) -> None:
    damage(connection, WIDTHS)
    damaged = all_tiles(connection)
    begun: list[int] = []
    prepare = HourExchange.prepare

    def begin_another() -> None:
        if not begun:
            begun.append(new_backfill_id())
            running.begin(connection, "b", begun[0], 2)

    def is_cancelled() -> bool:
        if len(raw.reads) > 10 and moment == "while it reads":
            begin_another()
        return False

    def prepared(*arguments: Any) -> None:
        begin_another()
        prepare(*arguments)

    monkeypatch.setattr(HourExchange, "prepare", prepared)

    with pytest.raises(JobError, match="another backfill of target b has begun"):
        backfill(raw, store_url, NOW_MS, cancelled=is_cancelled)

    assert all_tiles(connection) == damaged
    assert left_over(connection) == {"backfill": 1}


def test_each_hour_is_replaced_as_a_whole_and_hours_one_after_the_other(
    connection: SharedConnection,
    store_url: str,
    raw: RawTopic,
    counted: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    true = all_tiles(connection)
    damage(connection, WIDTHS)
    damaged = all_tiles(connection)
    seen: list[Tiles] = []
    replace = HourExchange._replace

    def looked_at(*arguments: Any) -> None:
        replace(*arguments)
        seen.append(all_tiles(connection))  # of another connection, in the middle of the transaction

    monkeypatch.setattr(HourExchange, "_replace", looked_at)

    backfill(raw, store_url, NOW_MS, from_ms=EARLIER_MS)

    half = {at: true[at] if at[1] == EARLIER_MS else damaged[at] for at in true}
    tables = 3 * len(WIDTHS)
    assert seen == [*[damaged] * tables, *[half] * tables]
    assert all_tiles(connection) == true


def test_an_exchange_that_fails_leaves_the_hour_as_it_was(
    connection: SharedConnection,
    store_url: str,
    raw: RawTopic,
    counted: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    damage(connection, WIDTHS)
    damaged = all_tiles(connection)
    replace = HourExchange._replace

    def failing(*arguments: Any) -> None:
        replace(*arguments)
        if "1h" in arguments:
            raise StoreUnavailableError("gone")

    monkeypatch.setattr(HourExchange, "_replace", failing)

    with pytest.raises(StoreUnavailableError):
        backfill(raw, store_url, NOW_MS)

    assert all_tiles(connection) == damaged


@pytest.mark.parametrize("moment", ["while it reads", "before the exchange", "after the exchange"])
def test_late_records_that_the_stream_counts_meanwhile_are_in_the_tiles_once(
    connection: SharedConnection,
    store_url: str,
    raw: RawTopic,
    counted: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    moment: str,
) -> None:
    damage(connection, WIDTHS)
    late = LateTasks(raw)
    prepare, delete_part = HourExchange.prepare, running.delete_part

    def count_late() -> None:
        late.report()
        counted()

    def while_it_reads() -> bool:
        if moment == "while it reads" and len(raw.reads) in (5, 15):
            count_late()
        return False

    def prepared(*arguments: Any) -> None:
        prepare(*arguments)
        if moment == "before the exchange":
            count_late()

    def exchanged(*arguments: Any) -> None:
        if moment == "after the exchange":
            count_late()
        delete_part(*arguments)

    monkeypatch.setattr(HourExchange, "prepare", prepared)
    monkeypatch.setattr(running, "delete_part", exchanged)

    backfill(raw, store_url, NOW_MS, from_ms=EARLIER_MS, cancelled=while_it_reads)

    url = create_sqlite_store(tmp_path / "stream.sqlite3")
    reference = connect(url)
    count_live(raw, url, reference, NOW_MS)()
    assert late.reports >= 2
    assert all_tiles(connection) == all_tiles(reference)
    reference.close()


def test_a_late_record_that_waits_for_a_row_of_the_exchange_is_in_the_tiles_once(
    connection: SharedConnection,
    store_url: str,
    raw: RawTopic,
    counted: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    if store_url.startswith("sqlite"):
        pytest.skip("SQLite has one writer, which waits for the file")
    damage(connection, WIDTHS)
    late = LateTasks(raw)
    exchange = HourExchange.exchange
    streams: list[Thread] = []

    def count_late() -> None:
        while True:  # as the supervisor of a query does
            try:
                return counted()
            except StoreUnavailableError:
                continue

    def exchanged(*arguments: Any) -> None:
        exchange(*arguments)
        if not streams:
            late.report()
            streams.append(Thread(target=count_late))
            streams[0].start()
            eventually(lambda: waits_for_a_lock(store_url), 60, "the stream waits for a row of the exchange")

    monkeypatch.setattr(HourExchange, "exchange", exchanged)

    backfill(raw, store_url, NOW_MS, from_ms=EARLIER_MS)

    streams[0].join()
    url = create_sqlite_store(tmp_path / "stream.sqlite3")
    reference = connect(url)
    count_live(raw, url, reference, NOW_MS)()
    assert all_tiles(connection) == all_tiles(reference)
    reference.close()


def waits_for_a_lock(url: str) -> bool:
    return bool(postgres_rows(url, "SELECT 1 FROM pg_locks WHERE NOT granted"))
