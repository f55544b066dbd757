"""The steps in which an hour is published: a crash after any of them leaves whole files, and no wrong record."""

from typing import cast

import pytest

from metrics.errors import JobError
from metrics.export.hadoop_files import HadoopFiles
from metrics.export.history import History
from metrics.export.hour_record import TableRecord
from metrics.export.layout import HistoryLayout

HOUR_MS = 1_795_345_200_000  # 2026-11-22T11:00Z
LAYOUT = HistoryLayout("file:///data", "b")
TABLES = ("tiles_1m", "tiles_1h", "covered")


class CrashError(Exception):
    """The process ends here."""


class FakeFiles:
    """Files in memory; `crash_at` counts the changes."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.changes = 0
        self.crash_at = -1

    def names(self, folder: str) -> tuple[str, ...]:
        below = [path.removeprefix(f"{folder}/") for path in self.files if path.startswith(f"{folder}/")]
        return tuple(sorted({path.split("/")[0] for path in below}))

    def read(self, file: str) -> str | None:
        return self.files.get(file)

    def write(self, file: str, text: str) -> None:
        self._change()
        self.files[file] = text

    def replace(self, source: str, file: str) -> None:
        self._change()
        self.files[file] = self.files.pop(source)

    def delete(self, path: str) -> None:
        self._change()
        self.files = {name: text for name, text in self.files.items() if not f"{name}/".startswith(f"{path}/")}

    def _change(self) -> None:
        if self.changes == self.crash_at:
            raise CrashError
        self.changes += 1


def history(files: FakeFiles, attempt: str) -> History:
    return History(cast("HadoopFiles", files), LAYOUT, attempt)


def staged(files: FakeFiles, attempt: str, rows: int = 5) -> tuple[History, dict[str, TableRecord]]:
    """An attempt whose tasks have written; the text of a file is the attempt."""
    found = history(files, attempt)
    for table in TABLES:
        folder = f"{found.staged_table(1, table)}/{LAYOUT.hour_folder(HOUR_MS)}"
        files.files |= {f"{folder}/part-00003-x.parquet": attempt, f"{folder}/.part-00003-x.parquet.crc": ""}
    return found, {table: TableRecord(rows=rows, fingerprint=attempt, exported_ms=1) for table in TABLES}


def published(files: FakeFiles) -> dict[str, str]:
    return {table: files.files.get(LAYOUT.hour_file(table, HOUR_MS), "none") for table in TABLES}


def test_the_layout_is_that_of_hive() -> None:
    assert (
        LAYOUT.hour_file("tiles_1m", HOUR_MS) == "file:///data/tiles_1m/target=b/day=2026-11-22/hour=11/part-0.parquet"
    )
    assert LAYOUT.hour_record(HOUR_MS) == "file:///data/_hours/target=b/day=2026-11-22/hour=11.json"
    assert LAYOUT.attempt("7-x") == "file:///data/_staging/target=b/7-x"


def test_a_published_hour_has_its_files_and_its_record_and_nothing_else() -> None:
    files = FakeFiles()
    attempt, tables = staged(files, "1-new")

    attempt.publish(1, HOUR_MS, tables)
    attempt.delete_staged()

    assert published(files) == dict.fromkeys(TABLES, "1-new")
    assert attempt.records([HOUR_MS])[HOUR_MS].tables == tables
    assert len(files.files) == len(TABLES) + 1


def test_a_crash_after_any_step_leaves_whole_files_and_the_next_attempt_completes_them() -> None:
    steps = 0
    while True:
        files = FakeFiles()
        old, tables = staged(files, "1-old")
        old.publish(1, HOUR_MS, tables)
        old.delete_staged()
        new, tables = staged(files, "2-new")
        files.changes, files.crash_at = 0, steps
        try:
            new.publish(1, HOUR_MS, tables)
        except CrashError:
            ended = False
        else:
            ended = True
        files.crash_at = -1
        record = new.records([HOUR_MS])[HOUR_MS]
        states = published(files)
        assert set(states.values()) <= {"1-old", "2-new"}
        for name, table in record.tables.items():
            assert states[name] == table.fingerprint
        if set(states.values()) == {"1-old", "2-new"}:
            assert not record.tables

        last, tables = staged(files, "3-last")
        assert last.delete_leftovers(()) == 1
        last.publish(1, HOUR_MS, tables)
        last.delete_staged()
        assert published(files) == dict.fromkeys(TABLES, "3-last")
        assert len(files.files) == len(TABLES) + 1
        if ended:
            break
        steps += 1
    assert steps == 6  # the record withdrawn, three tables, the record written and moved


def test_a_table_without_rows_has_no_file() -> None:
    files = FakeFiles()
    old, tables = staged(files, "1-old")
    old.publish(1, HOUR_MS, tables)
    new, tables = staged(files, "2-new")

    new.publish(1, HOUR_MS, {**tables, "covered": TableRecord(rows=0, fingerprint="2-new", exported_ms=1)})

    assert published(files) == {"tiles_1m": "2-new", "tiles_1h": "2-new", "covered": "none"}


def test_two_files_of_an_hour_are_not_published() -> None:
    files = FakeFiles()
    attempt, tables = staged(files, "1-new")
    folder = f"{attempt.staged_table(1, 'tiles_1m')}/{LAYOUT.hour_folder(HOUR_MS)}"
    files.files[f"{folder}/part-00004-x.parquet"] = "more"

    with pytest.raises(JobError, match="has 2 files instead of one"):
        attempt.publish(1, HOUR_MS, tables)


def test_leftovers_are_deleted_but_not_those_of_attempts_that_run() -> None:
    files = FakeFiles()
    for name in ("1-dead", "2-running", "21-dead"):
        staged(files, name)
    own, _ = staged(files, "3-own")

    assert own.delete_leftovers(["2-"]) == 2
    assert files.names(LAYOUT.staging) == ("2-running", "3-own")
