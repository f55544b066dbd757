"""The job `export`: writes closed hours of a target as Parquet. Tasks read and write rows; the driver only plans.

The stream continues meanwhile. The figures of an hour are read before and after its rows; an hour that changed in
between is read again, so a file never mixes two states of its hour.
"""

import secrets
from collections.abc import Mapping, Sequence

import structlog

from metrics.errors import JobError
from metrics.export.columns import history_tables
from metrics.export.export_spec import ExportSpec, parse_export_spec
from metrics.export.hadoop_files import HadoopFiles
from metrics.export.history import History
from metrics.export.hour_record import TableRecord
from metrics.export.hours import HourFigures, batches, check_kept, closed_range, due_hours, hours_of, kept_from
from metrics.export.layout import HistoryLayout, day_and_hour
from metrics.export.slice_task import HOUR_MS, SliceTask
from metrics.export.staged_hours import export_session, write_staged
from metrics.export.store_hours import SERIES_PER_SLICE, first_hour, hour_figures, series_ranges
from metrics.jobs.context import JobContext
from metrics.store.connection import SharedConnection
from metrics.store.job_table import CLAIM_LIFE_MS
from metrics.store.rollup import rolled_hours_to
from metrics.time_format import iso_time
from replication.domain.reporting.tile_retention import TileRetention

log = structlog.get_logger()

DUE_WITHIN_MS = 7 * 24 * HOUR_MS  # hours that the schedule missed for longer are exported by hand
_MOST_READS = 3  # of an hour that changes while it is read


def run_export(context: JobContext, *, store_url: str, retention: TileRetention) -> None:
    """Spec: `{uri, widths, from_ms, to_ms}`, widened to whole hours; without times, the hours that are due.

    `store_url` is the store as tasks reach it.
    """
    spec = parse_export_spec(context.spec)
    store = context.store()
    try:
        _Export(context, spec, store, store_url, retention).run()
    finally:
        store.close()


class _Export:
    def __init__(
        self, context: JobContext, spec: ExportSpec, store: SharedConnection, store_url: str, retention: TileRetention
    ) -> None:
        self._context = context
        self._spec = spec
        self._store = store
        self._store_url = store_url
        self._retention = retention
        self._target = context.target.alias
        self._tables = history_tables(spec.widths)
        self._session = export_session(context.spark)
        layout = HistoryLayout(spec.uri, self._target)
        self._history = History(
            HadoopFiles(self._session, spec.uri), layout, f"{context.job_id}-{secrets.token_hex(8)}"
        )
        self._batch = 0

    def run(self) -> None:
        left = self._history.delete_leftovers(self._other_attempts())
        if left:
            log.info("leftovers of an export deleted", target=self._target, attempts=left)
        hours = self._hours()
        try:
            self._export(hours)
        finally:
            self._history.delete_staged()
        self._context.progress(1.0, f"{len(hours)} hours exported")
        log.info("hours exported", target=self._target, uri=self._spec.uri, hours=len(hours))

    def _hours(self) -> tuple[int, ...]:
        """The hours to export, of those that have tiles."""
        with self._store.reading() as connection:
            closed_to_ms = rolled_hours_to(connection, self._target)
        if self._spec.wanted is None:
            return self._due(closed_to_ms)
        wanted = closed_range(*self._spec.wanted, closed_to_ms)
        found = tuple(self._figures(hours_of(wanted)))
        if not found:
            raise JobError(
                f"nothing to export: {self._target} has no tiles from {iso_time(wanted.from_ms)} to "
                f"{iso_time(wanted.to_ms)}{self._first()}"
            )
        check_kept(found[0], self._spec.widths, self._retention, self._context.now_ms())
        return found

    def _first(self) -> str:
        first_ms = first_hour(self._store, self._target)
        return "" if first_ms is None else f"; its first hour begins at {iso_time(first_ms)}"

    def _due(self, closed_to_ms: int) -> tuple[int, ...]:
        now_ms = self._context.now_ms()
        kept_ms = max(kept_from(width, self._retention, now_ms) for width in self._spec.widths)
        first_ms = first_hour(self._store, self._target)
        if first_ms is None:
            return ()
        from_ms = max(first_ms, kept_ms + HOUR_MS, closed_to_ms - DUE_WITHIN_MS)
        figures = self._figures(range(from_ms, closed_to_ms, HOUR_MS))
        names = [table.name for table in self._tables]
        return due_hours(figures, self._history.records(figures), names, now_ms)

    def _figures(self, hours: Sequence[int]) -> dict[int, HourFigures]:
        return hour_figures(self._store, self._target, hours)

    def _export(self, hours: Sequence[int]) -> None:
        done, pending = 0, tuple(hours)
        for _ in range(_MOST_READS):
            changed: list[int] = []
            ranges = series_ranges(self._store, self._target)
            for batch in batches(pending, len(ranges) * SERIES_PER_SLICE):
                published = self._export_batch(batch, ranges)
                changed += [hour_ms for hour_ms in batch if hour_ms not in published]
                done += len(published)
                self._context.progress(done / len(hours), f"{done} of {len(hours)} hours exported")
            if not changed:
                return
            pending = tuple(changed)
        raise JobError(
            f"the tiles of {iso_time(pending[0])} change while they are exported: the metrics process is counting "
            "older raw metrics; ask again when it has caught up"
        )

    def _export_batch(self, hours: tuple[int, ...], ranges: tuple[tuple[int, int], ...]) -> list[int]:
        """The hours that were published."""
        self._batch += 1
        before = self._figures(hours)
        rows: dict[str, Mapping[tuple[str, str], int]] = {}
        for table in self._tables:
            self._context.check_cancelled()
            task = SliceTask(store_url=self._store_url, target=self._target, table=table, hours=hours, ranges=ranges)
            rows[table.name] = write_staged(self._session, task, self._history.staged_table(self._batch, table.name))
        now_ms = self._context.now_ms()
        check_kept(hours[0], self._spec.widths, self._retention, now_ms)
        after = self._figures(hours)
        published = [hour_ms for hour_ms in hours if hour_ms in after and before.get(hour_ms) == after[hour_ms]]
        for hour_ms in published:
            self._context.check_cancelled()
            written = {name: found.get(day_and_hour(hour_ms), 0) for name, found in rows.items()}
            found = after[hour_ms].fingerprint
            tables = {
                name: TableRecord(rows=count, fingerprint=found, exported_ms=now_ms) for name, count in written.items()
            }
            self._history.publish(self._batch, hour_ms, tables)
        return published

    def _other_attempts(self) -> list[str]:
        """The beginnings of names of attempts that other processes are still at."""
        with self._store.reading() as connection:
            rows = connection.rows(
                "SELECT id FROM job_request WHERE kind = 'export' AND target = ? AND id <> ? "
                "AND state IN ('claimed', 'running') AND heartbeat_ms >= ?",
                (self._target, self._context.job_id, self._context.now_ms() - CLAIM_LIFE_MS),
            )
        return [f"{row[0]}-" for row in rows]
