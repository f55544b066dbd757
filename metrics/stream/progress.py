"""Progress of the queries, for the log: Spark reports every batch, we say it in one line a minute and target."""

import time
from collections import defaultdict
from dataclasses import dataclass

import structlog
from pyspark.sql.streaming.listener import (
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)

log = structlog.get_logger()

_EVERY_S = 60.0


@dataclass(slots=True)
class _Minute:
    batches: int = 0
    records: int = 0
    longest_batch_ms: int = 0


class ProgressLog(StreamingQueryListener):
    """Called by Spark on a separate thread, for all queries of the session."""

    def __init__(self) -> None:
        self._minutes: defaultdict[str, _Minute] = defaultdict(_Minute)
        self._said_s: dict[str, float] = {}

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        self._said_s[event.name or ""] = time.monotonic()

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        progress = event.progress
        target = progress.name or ""
        minute = self._minutes[target]
        minute.batches += 1
        minute.records += progress.numInputRows
        minute.longest_batch_ms = max(minute.longest_batch_ms, progress.batchDuration)
        if time.monotonic() - self._said_s.get(target, 0.0) >= _EVERY_S:
            log.info(
                "raw metrics counted",
                target=target,
                batches=minute.batches,
                records=minute.records,
                longest_batch_ms=minute.longest_batch_ms,
            )
            del self._minutes[target]
            self._said_s[target] = time.monotonic()

    def onQueryIdle(self, event: QueryIdleEvent) -> None:
        """Nothing to say: no records, no batch."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """The supervisor says why, with the target's name."""
