"""Restarts the query of a target after a failure, with back-off; other targets are not affected."""

import time
from collections.abc import Callable
from threading import Event

import structlog
from pyspark.sql import SparkSession

from metrics.errors import MetricsError, RawTopicChangedError, TablesMissingError, WriterFencedError, drop_frames
from metrics.loops import ThreadLoop
from metrics.reporting.query_report import Tasks
from metrics.stream.target_query import QuerySettings, TargetQuery
from replication.domain.errors import ReplicationError
from replication.domain.plan.slot import ClusterClient

log = structlog.get_logger()

_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 30.0
_TABLES_PAUSE_S = 2.0  # a migration is running
_SAY_AGAIN_S = 300.0
_STABLE_AFTER_S = 60.0


class TargetSupervisor(ThreadLoop):
    """A thread that runs a target's query again and again until it is stopped."""

    def __init__(
        self,
        spark: SparkSession,
        cluster: ClusterClient,
        settings: QuerySettings,
        tasks: Tasks,
        stop: Event,
        now_ms: Callable[[], int],
    ) -> None:
        super().__init__(f"target-{cluster.alias}", stop)
        self._query: Callable[[], TargetQuery] = lambda: TargetQuery(spark, cluster, settings, tasks, stop, now_ms)
        self._fields = {"target": cluster.alias}
        self._fenced = False
        self._pauses = Pauses()
        self._said: tuple[str, float] = ("", 0.0)

    def _run(self) -> None:
        while not self._stop.is_set():
            started_s = time.monotonic()
            try:
                self._query().run(fenced=self._fenced)
            except Exception as error:
                if self._stop.is_set():
                    return
                self._fenced = self._fenced or isinstance(error, WriterFencedError)  # an outage does not end it
                self._say(error)
                drop_frames(error)  # the pause is long enough to keep a failed batch in memory
                self._stop.wait(self._pauses.after(error, time.monotonic() - started_s))

    def _say(self, error: Exception) -> None:
        """Log a reason once and then every few minutes: an unavailable cluster must not fill the log."""
        text = _one_line(error)
        now_s = time.monotonic()
        if text == self._said[0] and now_s - self._said[1] < _SAY_AGAIN_S:
            return
        self._said = (text, now_s)
        if isinstance(error, TablesMissingError):
            log.warning("metrics tables missing: run python manage.py migrate --database metrics", **self._fields)
        elif isinstance(error, MetricsError | ReplicationError):
            log.warning("metrics of a target interrupted, trying again", error=text, **self._fields)
        else:
            log.warning("metrics query failed, trying again", error=text, kind=type(error).__name__, **self._fields)


class Pauses:
    """The pause before the next start: doubling up to half a minute, from the beginning after a stable run."""

    def __init__(self) -> None:
        self._next_s = _FIRST_PAUSE_S

    def after(self, error: Exception, lasted_s: float) -> float:
        if lasted_s >= _STABLE_AFTER_S:
            self._next_s = _FIRST_PAUSE_S
        if isinstance(error, RawTopicChangedError):
            return _FIRST_PAUSE_S
        if isinstance(error, TablesMissingError):
            return _TABLES_PAUSE_S
        pause_s = self._next_s
        self._next_s = min(pause_s * 2, _LONGEST_PAUSE_S)
        return pause_s


def _one_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:500] if lines else type(error).__name__
