"""Reports on one query each minute: a line in the log, and its figures and warnings in the store."""

import time
from collections.abc import Callable, Mapping
from typing import Protocol

import structlog
from pyspark.sql.streaming.query import StreamingQuery

from metrics.errors import MetricsError
from metrics.reporting.query_minute import BatchProgress, Counted, Figures, QueryMinute, TaskTime
from metrics.stream.ledger import LedgerEntry, RawLog, RawPartition, raw_lag
from replication.domain.errors import ReplicationError

log = structlog.get_logger()

_COLLECT_EVERY_S = 10.0  # Spark keeps the last batches only
_EVERY_S = 60.0


class RunningBatches(Protocol):
    """The progress of a running query."""

    @property
    def counted(self) -> Counted: ...
    @property
    def ledger(self) -> Mapping[RawPartition, LedgerEntry]: ...


class RawLogs(Protocol):
    """The raw metrics of the target cluster."""

    def logs(self) -> Mapping[RawPartition, RawLog]: ...


class StatusStore(Protocol):
    """The store, which keeps the last report of each target."""

    def report(self, figures: Figures, warning: str, now_ms: int) -> None: ...
    def warn(self, warning: str) -> None: ...


class Tasks(Protocol):
    """Spark's tasks and executors."""

    def executor_warning(self, now_ms: int) -> str: ...
    def task_time(self, run_id: str, after_job: int) -> tuple[TaskTime | None, int]: ...


class QueryReport:
    """Called each second in the thread of the query's target; raises only errors of the store."""

    def __init__(
        self,
        target: str,
        query: StreamingQuery,
        batches: RunningBatches,
        raw_logs: RawLogs,
        store: StatusStore,
        tasks: Tasks,
        now_ms: Callable[[], int],
    ) -> None:
        self._target = target
        self._query = query
        self._batches = batches
        self._raw_logs = raw_logs
        self._store = store
        self._tasks = tasks
        self._now_ms = now_ms
        self._minute = QueryMinute(before=batches.counted)
        self._began_s = self._collected_s = time.monotonic()
        self._batch = self._job = -1
        self._warning = ""
        self._warn(tasks.executor_warning(now_ms()), is_first=True)

    def run_due(self) -> None:
        """Collect figures of Spark every ten seconds; log and store the figures every minute, a new warning at once."""
        now_s = time.monotonic()
        if now_s - self._collected_s < _COLLECT_EVERY_S:
            return
        self._collected_s = now_s
        self._collect()
        self._warn(self._tasks.executor_warning(self._now_ms()))
        if now_s - self._began_s >= _EVERY_S:
            self._say(now_s - self._began_s)
            self._minute, self._began_s = QueryMinute(before=self._batches.counted), now_s

    def _collect(self) -> None:
        tasks, self._job = self._tasks.task_time(str(self._query.runId), self._job)
        batches = ended_batches(self._query, self._batch)
        if batches:
            self._batch = batches[-1].number
        self._minute.add(batches, tasks)

    def _say(self, lasted_s: float) -> None:
        figures = self._minute.figures(self._batches.counted, self._raw_lag(), lasted_s)
        log.info("raw metrics counted", target=self._target, **figures)
        self._store.report(figures, self._warning, self._now_ms())

    def _raw_lag(self) -> int | None:
        try:
            return raw_lag(self._batches.ledger, self._raw_logs.logs())
        except (ReplicationError, MetricsError) as error:
            log.debug("raw lag unknown", target=self._target, error=str(error))
            return None

    def _warn(self, warning: str, *, is_first: bool = False) -> None:
        if warning == self._warning and not is_first:
            return
        if warning and warning != self._warning:
            log.warning("an executor needs attention", target=self._target, warning=warning)
        self._warning = warning
        self._store.warn(warning)


def ended_batches(query: StreamingQuery, after: int) -> list[BatchProgress]:
    """Return the batches that ended after the one with this number, oldest first.

    Of each only three numbers are read: its JSON names every raw partition.
    """
    found: list[BatchProgress] = []
    recent = query._jsq.recentProgress()  # of the JVM: each element is a call
    for index in reversed(range(len(recent))):
        progress = recent[index]
        number, raw_records = progress.batchId(), progress.numInputRows()
        if number <= after:
            break
        if raw_records:  # without new records Spark reports the next number, several times
            found.append(BatchProgress(number=number, duration_ms=progress.batchDuration(), raw_records=raw_records))
    return found[::-1]
