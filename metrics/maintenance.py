"""Roll-up and retention of all targets of this process, in a thread of its own beside the queries."""

import time
from collections.abc import Callable, Collection
from threading import Event, Thread

import structlog

from metrics.errors import MetricsError
from metrics.store.address import connect
from metrics.store.rollup import delete_expired, roll_up
from replication.domain.retention import TileRetention

log = structlog.get_logger()

_EVERY_S = 10.0
_DELETE_EVERY_S = 60.0


class Maintenance:
    """Failures are retried at the next round; the queries report a store that does not answer."""

    def __init__(
        self,
        store_url: str,
        targets: Callable[[], Collection[str]],
        stop: Event,
        now_ms: Callable[[], int],
        retention: TileRetention,
    ) -> None:
        self._store_url = store_url
        self._targets = targets
        self._stop = stop
        self._now_ms = now_ms
        self._retention = retention
        self._deleted_s = float("-inf")
        self._thread = Thread(target=self._run, name="maintenance", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def join(self, timeout_s: float) -> bool:
        """Whether the thread has ended within the time."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.wait(_EVERY_S):
            try:
                self.run_once()
            except MetricsError as error:
                log.debug("roll-up put off", error=str(error))

    def run_once(self) -> None:
        """One round over all targets; each step commits by itself, so a stop in between loses nothing."""
        store = connect(self._store_url)
        try:
            deletes = time.monotonic() - self._deleted_s >= _DELETE_EVERY_S
            for target in self._targets():
                roll_up(store, target, self._now_ms(), self._stop.is_set)
                if deletes:
                    deleted = delete_expired(store, target, self._now_ms(), self._stop.is_set, self._retention)
                    log.debug("expired tiles deleted", target=target, rows=deleted)
            if deletes:
                self._deleted_s = time.monotonic()
        finally:
            store.close()
