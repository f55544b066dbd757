"""The history at a URI: files of hours are staged by an attempt, published hour by hour, and recorded.

A record is withdrawn before the first file of its hour is replaced, and written after the last. An hour without a
record is exported again, so a crash in between costs one more export.
"""

from collections.abc import Collection, Iterable, Mapping

from metrics.errors import JobError
from metrics.export.hadoop_files import HadoopFiles
from metrics.export.hour_record import HourRecord, TableRecord
from metrics.export.layout import HistoryLayout
from metrics.time_format import iso_time

_RECORD = "record.json"


class History:
    """The hours of one target; `attempt` names the writer's own staging folder."""

    def __init__(self, files: HadoopFiles, layout: HistoryLayout, attempt: str) -> None:
        self._files = files
        self._layout = layout
        self._attempt = attempt

    @property
    def staging(self) -> str:
        """The folder of this attempt."""
        return self._layout.attempt(self._attempt)

    def records(self, hours: Iterable[int]) -> dict[int, HourRecord]:
        """The records of hours; empty ones of hours that are not exported."""
        return {hour_ms: self._record(hour_ms) for hour_ms in hours}

    def delete_leftovers(self, kept: Collection[str]) -> int:
        """Delete what other attempts left, except those whose names begin like this; how many there were."""
        others = [name for name in self._files.names(self._layout.staging) if name != self._attempt]
        left = [name for name in others if not name.startswith(tuple(kept))]
        for name in left:
            self._files.delete(self._layout.attempt(name))
        return len(left)

    def delete_staged(self) -> None:
        self._files.delete(self.staging)

    def staged_table(self, batch: int, table: str) -> str:
        """The folder into which a batch of hours of a table is written."""
        return f"{self.staging}/{batch}/{table}"

    def publish(self, batch: int, hour_ms: int, tables: Mapping[str, TableRecord]) -> None:
        """Put the staged files of an hour in the place of those of an earlier export."""
        record = self._record(hour_ms)
        others = record.without(tables.keys())
        if others != record:
            self._write_record(hour_ms, others)
        for name, table in tables.items():
            file = self._layout.hour_file(name, hour_ms)
            if table.rows:
                self._files.replace(self._staged(batch, name, hour_ms), file)
            else:
                self._files.delete(file)
        self._write_record(hour_ms, others.with_tables(tables))

    def _staged(self, batch: int, table: str, hour_ms: int) -> str:
        folder = f"{self.staged_table(batch, table)}/{self._layout.hour_folder(hour_ms)}"
        found = [name for name in self._files.names(folder) if name.endswith(".parquet") and not name.startswith(".")]
        if len(found) != 1:
            raise JobError(f"{folder} has {len(found)} files instead of one: another process has changed it")
        return f"{folder}/{found[0]}"

    def _record(self, hour_ms: int) -> HourRecord:
        return HourRecord.from_json(self._files.read(self._layout.hour_record(hour_ms)))

    def _write_record(self, hour_ms: int, record: HourRecord) -> None:
        file = self._layout.hour_record(hour_ms)
        if not record.tables:
            self._files.delete(file)
            return
        staged = f"{self.staging}/{_RECORD}"
        self._files.write(staged, record.to_json(self._layout.target, iso_time(hour_ms)))
        self._files.replace(staged, file)
