"""Closed hours become Parquet that equals the store, each hour at once, whenever an export ends or dies."""

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from metrics.errors import JobCancelledError, JobError, StoreUnavailableError
from metrics.export.export_job import run_export
from metrics.export.hadoop_files import HadoopFiles
from metrics.export.history import History
from metrics.export.staged_hours import write_staged
from metrics.schemas import LEVELS, TILE_COLUMNS
from metrics.store.address import connect
from metrics.store.job_table import JobTable
from tests.support.metrics.history_lab import (
    FIRST_MS,
    HOUR_MS,
    MINUTE_MS,
    TARGET,
    CountedHours,
    Exports,
    count_in_this_process,
    counted_hours,
    files_of,
    rows_of,
)
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store, store_rows
from tests.support.servers.postgres import postgres_url

__all__ = ["postgres_url"]
pytestmark = pytest.mark.spark

SECOND_MS = FIRST_MS + HOUR_MS
OPEN_MS = FIRST_MS + 2 * HOUR_MS
TABLES = ("tiles_1m", "tiles_1h", "covered")


class KilledError(BaseException):
    """In place of a kill: nothing catches it, so nothing is tidied up."""


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return create_sqlite_store(tmp_path / "metrics.sqlite3")
    url: str = request.getfixturevalue("postgres_url")
    create_postgres_store(url)
    return url


@pytest.fixture
def counted(store_url: str, monkeypatch: pytest.MonkeyPatch) -> CountedHours:
    count_in_this_process(monkeypatch)
    return counted_hours(store_url)


@pytest.fixture
def exports(spark: SparkSession, counted: CountedHours, tmp_path: Path) -> Exports:
    return Exports(spark, counted.url, tmp_path / "a history", lambda: counted.now_ms)


@pytest.fixture(scope="module")
def counted_once(tmp_path_factory: pytest.TempPathFactory) -> CountedHours:
    """In SQLite, for tests that take a copy."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        count_in_this_process(monkeypatch)
        return counted_hours(create_sqlite_store(tmp_path_factory.mktemp("counted") / "metrics.sqlite3"))


@pytest.fixture
def sqlite_exports(spark: SparkSession, counted_once: CountedHours, tmp_path: Path) -> Exports:
    """For what does not depend on the database."""
    path = tmp_path / "metrics.sqlite3"
    connection = sqlite3.connect(counted_once.url.removeprefix("sqlite:///"))
    connection.execute("VACUUM INTO ?", (str(path),))
    connection.close()
    return Exports(spark, f"sqlite:///{path}", tmp_path / "history", lambda: counted_once.now_ms)


def tiles_in_store(url: str, width: str, from_ms: int, to_ms: int) -> list[str]:
    """With the names of their series, in any order."""
    found = []
    for level in LEVELS:
        names = ", ".join(f"t.{column.name}" for column in TILE_COLUMNS[1:])
        rows = store_rows(
            url,
            f"SELECT s.source, s.topic, s.remote_topic, s.partition, s.consumer_group, {names} "
            f"FROM tile_{level}_{width} t JOIN series s ON s.id = t.id WHERE t.time_ms >= ? AND t.time_ms < ?",
            (from_ms, to_ms),
        )
        for source, topic, remote, partition, group, *values in rows:
            series = (source, topic or None, remote or None, None if partition < 0 else partition, group or None)
            found.append(repr((level, *series, *map(_histogram, values))))
    return sorted(found)


def tiles_in_history(folder: Path, width: str) -> list[str]:
    names = [
        f"CAST(to_json(map_from_entries(list_sort(map_entries({column.name})))) AS VARCHAR)"
        if column.kind == "text"
        else column.name
        for column in TILE_COLUMNS[2:]
    ]
    rows = rows_of(
        folder,
        "SELECT level, source, topic, remote_topic, partition, consumer_group, epoch_ms(time), "
        f"{', '.join(names)} FROM tiles_{width} WHERE target = '{TARGET}' "
        "AND strftime(CAST(epoch_ms(epoch_ms(time)) AS TIMESTAMP), '%Y-%m-%d/%H') = day || '/' || hour",
    )
    return sorted(repr(tuple(map(_histogram, row))) for row in rows)


def _histogram(value: Any) -> Any:
    if isinstance(value, str) and value.startswith("{"):
        return sorted((int(bucket), int(count)) for bucket, count in json.loads(value).items())
    return value


def test_an_export_equals_the_store_in_every_column(exports: Exports) -> None:
    said = exports.run(FIRST_MS + 1, SECOND_MS + 1)

    assert said == "2 hours exported"
    for width in ("1m", "1h"):
        expected = tiles_in_store(exports.url, width, FIRST_MS, OPEN_MS)
        assert len(expected) > {"1m": 700, "1h": 10}[width]
        assert tiles_in_history(exports.folder, width) == expected
    hour = datetime.fromtimestamp(FIRST_MS / 1_000, tz=UTC).strftime("day=%Y-%m-%d/hour=%H")
    assert [path for path in files_of(exports.folder) if hour in path] == [
        f"_hours/target=b/{hour}.json",
        f"covered/target=b/{hour}/part-0.parquet",
        f"tiles_1h/target=b/{hour}/part-0.parquet",
        f"tiles_1m/target=b/{hour}/part-0.parquet",
    ]
    assert not (exports.folder / "_staging" / "target=b").is_dir() or not any(
        (exports.folder / "_staging" / "target=b").iterdir()
    )


def test_covered_ranges_of_hours_meet_and_equal_their_tiles(exports: Exports) -> None:
    exports.run(FIRST_MS, OPEN_MS)

    found = rows_of(
        exports.folder,
        "SELECT topic, partition, epoch_ms(time), topic_id, first_offset, next_offset, "
        "covered_offsets, hole_offsets, overlap_offsets FROM covered ORDER BY topic, partition, time",
    )
    orders = [(FIRST_MS, 0, 603), (SECOND_MS, 603, 1206)]  # 600 records, 7 skipped, 4 repeated
    expected: list[tuple[Any, ...]] = [
        ("clicks", 0, FIRST_MS, "11" * 16, 0, 600, 600, 0, 0),
        ("clicks", 0, SECOND_MS, "11" * 16, 600, 1200, 600, 0, 0),
    ]
    for partition in (0, 1):
        expected += [
            ("orders", partition, time_ms, "00" * 16, first, following, 600, 7, 4)
            for time_ms, first, following in orders
        ]
    assert found == expected


def test_a_second_export_replaces_the_hours(exports: Exports, counted: CountedHours) -> None:
    exports.run(FIRST_MS, OPEN_MS)
    late = counted.tasks[1]
    late.now_ms = FIRST_MS + 30 * MINUTE_MS
    counted.take([late.report(90)])

    exports.run(FIRST_MS, SECOND_MS)

    for width in ("1m", "1h"):
        assert tiles_in_history(exports.folder, width) == tiles_in_store(exports.url, width, FIRST_MS, OPEN_MS)
    clicks = "SELECT SUM(records) FROM tiles_1h WHERE level = 'topic' AND topic = 'clicks'"
    assert rows_of(exports.folder, clicks) == [(1_290,)]


def test_one_width_leaves_the_files_of_the_other(sqlite_exports: Exports) -> None:
    sqlite_exports.run(FIRST_MS, SECOND_MS)
    before = files_of(sqlite_exports.folder)

    sqlite_exports.run(FIRST_MS, SECOND_MS, widths=["1h"])

    after = files_of(sqlite_exports.folder)
    assert after.keys() == before.keys()
    (record,) = (json.loads(text) for path, text in after.items() if path.startswith("_hours"))
    assert sorted(record["tables"]) == sorted(TABLES)
    assert (
        record["tables"]["tiles_1m"]
        == json.loads(before[next(p for p in before if "_hours" in p)])["tables"]["tiles_1m"]
    )


@pytest.mark.parametrize(
    ("from_ms", "to_ms", "complaint"),
    [
        (FIRST_MS, OPEN_MS + 1, "the last closed hour ends at 2026-09-21T16:00Z"),
        (FIRST_MS - 9 * HOUR_MS, FIRST_MS, "nothing to export: b has no tiles"),
        (SECOND_MS, FIRST_MS, "is not before its end"),
    ],
    ids=["open", "empty", "reversed"],
)
def test_a_range_that_cannot_be_exported_is_refused(
    sqlite_exports: Exports, from_ms: int, to_ms: int, complaint: str
) -> None:
    with pytest.raises(JobError, match=complaint):
        sqlite_exports.run(from_ms, to_ms)

    assert files_of(sqlite_exports.folder) == {}


def test_hours_whose_tiles_expire_are_kept_as_they_were_exported(sqlite_exports: Exports) -> None:
    """Tiles that are deleted meanwhile must not shrink what was exported before."""
    sqlite_exports.run(FIRST_MS, SECOND_MS)
    before = files_of(sqlite_exports.folder)
    now_ms = FIRST_MS + 49 * HOUR_MS
    sqlite_exports.now_ms = lambda: now_ms

    with pytest.raises(JobError, match="kept for 48 hours: begin the range at 2026-09-21T15:00Z"):
        sqlite_exports.run(FIRST_MS, SECOND_MS)

    assert files_of(sqlite_exports.folder) == before
    assert sqlite_exports.run(FIRST_MS, SECOND_MS, widths=["1h"]) == "1 hours exported"


@pytest.mark.parametrize("published", [0, 1, 2])
def test_a_run_that_is_killed_leaves_each_file_old_or_new_and_the_next_run_completes_it(
    sqlite_exports: Exports, monkeypatch: pytest.MonkeyPatch, published: int
) -> None:
    sqlite_exports.run(FIRST_MS, SECOND_MS)
    old = files_of(sqlite_exports.folder)
    real = HadoopFiles.replace
    replaced: list[str] = []

    def replace(self: HadoopFiles, source: str, file: str) -> None:
        if file.endswith(".parquet"):
            if len(replaced) == published:
                raise KilledError
            replaced.append(file)
        real(self, source, file)

    with monkeypatch.context() as killing:
        killing.setattr(HadoopFiles, "replace", replace)
        killing.setattr(History, "delete_staged", lambda _: None)
        with pytest.raises(KilledError):
            sqlite_exports.run(FIRST_MS, SECOND_MS)
    left = files_of(sqlite_exports.folder)
    assert {path for path in left if path.startswith("_staging")}
    tables = {path for path in old if not path.startswith("_")}
    assert {path for path in left if not path.startswith("_")} == tables
    assert not [path for path in left if path.startswith("_hours")]
    for width in ("1m", "1h"):
        expected = tiles_in_store(sqlite_exports.url, width, FIRST_MS, SECOND_MS)
        assert tiles_in_history(sqlite_exports.folder, width) == expected

    sqlite_exports.run(widths=["1m", "1h"])

    after = files_of(sqlite_exports.folder)
    assert not [path for path in after if path.startswith("_staging")]
    assert len([path for path in after if path.startswith("_hours")]) == 2


def test_an_attempt_that_another_process_is_at_is_left_alone(sqlite_exports: Exports) -> None:
    table = JobTable(connect(sqlite_exports.url), "other process")
    job_id = table.request("export", TARGET, {})
    table.claim([TARGET], sqlite_exports.now_ms())
    table.keep(job_id, sqlite_exports.now_ms(), None)
    staging = sqlite_exports.folder / "_staging" / "target=b"
    for name in (f"{job_id}-running", "77-dead"):
        (staging / name).mkdir(parents=True)
        (staging / name / "file").write_text("rows")
    sqlite_exports.job_id = job_id

    sqlite_exports.run(FIRST_MS, SECOND_MS)

    assert [path.name for path in staging.iterdir()] == [f"{job_id}-running"]


def test_only_hours_that_are_missing_or_have_changed_are_due(exports: Exports, counted: CountedHours) -> None:
    assert exports.run() == "2 hours exported"
    assert exports.run() == "0 hours exported"

    late = counted.tasks[1]
    late.now_ms = FIRST_MS + 30 * MINUTE_MS
    counted.take([late.report(90)])
    assert exports.run() == "1 hours exported"

    for path in (exports.folder / "_hours").rglob("*.json"):
        path.write_text("not a record")
    assert exports.run() == "2 hours exported"
    assert tiles_in_history(exports.folder, "1m") == tiles_in_store(exports.url, "1m", FIRST_MS, OPEN_MS)


def test_an_hour_that_changes_while_it_is_read_is_read_again(
    exports: Exports, counted: CountedHours, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = counted.tasks[1]

    def writing(*words: Any) -> Any:
        written = write_staged(*words)
        if late.now_ms > FIRST_MS + HOUR_MS:
            late.now_ms = FIRST_MS + 30 * MINUTE_MS
            counted.take([late.report(90)])
        return written

    monkeypatch.setattr("metrics.export.export_job.write_staged", writing)

    exports.run(FIRST_MS, OPEN_MS)

    for width in ("1m", "1h"):
        assert tiles_in_history(exports.folder, width) == tiles_in_store(exports.url, width, FIRST_MS, OPEN_MS)


def test_an_hour_that_never_rests_is_not_published(sqlite_exports: Exports, monkeypatch: pytest.MonkeyPatch) -> None:

    def writing(*words: Any) -> Any:
        written = write_staged(*words)
        store = connect(sqlite_exports.url)
        with store.writing(TARGET) as connection:
            connection.run("UPDATE tile_flow_1h SET records = records + 1 WHERE time_ms = ?", (FIRST_MS,))
        store.close()
        return written

    monkeypatch.setattr("metrics.export.export_job.write_staged", writing)

    with pytest.raises(JobError, match="the tiles of 2026-09-21T14:00Z change while they are exported"):
        sqlite_exports.run(FIRST_MS, SECOND_MS)

    assert files_of(sqlite_exports.folder) == {}


def test_a_cancelled_export_stops_at_its_next_step(sqlite_exports: Exports) -> None:
    sqlite_exports.cancelled = lambda: True

    with pytest.raises(JobCancelledError):
        sqlite_exports.run(FIRST_MS, SECOND_MS)

    assert files_of(sqlite_exports.folder) == {}


def test_a_uri_that_cannot_be_used_is_named(sqlite_exports: Exports, tmp_path: Path) -> None:
    with pytest.raises(JobError, match='cannot use s4://bucket/x: No FileSystem for scheme "s4"'):
        sqlite_exports.run(FIRST_MS, SECOND_MS, uri="s4://bucket/x")

    (tmp_path / "file").write_text("no folder")
    with pytest.raises(JobError, match=r"cannot write file:.*: Parent path is not a directory"):
        sqlite_exports.run(FIRST_MS, SECOND_MS, uri=(tmp_path / "file" / "history").as_uri())


def test_a_store_that_tasks_cannot_reach_is_told_in_one_line(
    sqlite_exports: Exports, monkeypatch: pytest.MonkeyPatch
) -> None:

    def elsewhere(context: Any, *, store_url: str, retention: Any) -> None:
        run_export(context, store_url="sqlite:////nowhere/metrics.sqlite3", retention=retention)

    monkeypatch.setattr("tests.support.metrics.history_lab.run_export", elsewhere)

    with pytest.raises(StoreUnavailableError, match=r"^/nowhere/metrics.sqlite3 does not exist$"):
        sqlite_exports.run(FIRST_MS, SECOND_MS)


def test_a_copy_replaces_a_file_as_a_rename_does(spark: SparkSession, tmp_path: Path) -> None:
    """The way of object stores, on local files."""
    files = HadoopFiles(spark, tmp_path.as_uri())
    files.write(f"{tmp_path.as_uri()}/new", "new")
    files.write(f"{tmp_path.as_uri()}/old", "old and longer")

    assert files.copy_over(f"{tmp_path.as_uri()}/new", f"{tmp_path.as_uri()}/old")

    assert files.read(f"{tmp_path.as_uri()}/old") == "new"
