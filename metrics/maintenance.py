"""Roll-up and retention of all targets of this process, in a separate thread beside the queries."""

import time
from collections.abc import Callable, Collection
from threading import Event

import structlog

from metrics.errors import StoreUnavailableError
from metrics.loops import RepeatedLoop
from metrics.store.address import connect
from metrics.store.connection import SharedConnection
from metrics.store.forgotten_rows import delete_forgotten
from metrics.store.rollup import delete_expired, roll_up
from replication.domain.reporting.tile_retention import TileRetention

log = structlog.get_logger()

_EVERY_S = 10.0
_DELETE_EVERY_S = 60.0
_FORGET_EVERY_S = 3_600.0


class Maintenance(RepeatedLoop):
    """Failures are retried at the next round; the queries report a store that does not answer."""

    def __init__(
        self,
        store_url: str,
        targets: Callable[[], Collection[str]],
        stop: Event,
        now_ms: Callable[[], int],
        retention: TileRetention,
    ) -> None:
        super().__init__("maintenance", stop, every_s=_EVERY_S)
        self._store_url = store_url
        self._targets = targets
        self._now_ms = now_ms
        self._retention = retention
        self._deleted_s = self._forgot_s = float("-inf")

    def _maintain(self, store: SharedConnection, target: str, *, deletes: bool, forgets: bool) -> None:
        roll_up(store, target, self._now_ms(), self._stop.is_set)
        if deletes:
            deleted = delete_expired(store, target, self._now_ms(), self._stop.is_set, self._retention)
            log.debug("expired tiles deleted", target=target, rows=deleted)
        if forgets:
            forgotten = delete_forgotten(store, target, self._now_ms(), self._stop.is_set, self._retention)
            log.debug("forgotten rows deleted", target=target, rows=forgotten)

    def run_once(self) -> None:
        """One round over all targets; each step commits by itself, so a stop in between loses nothing."""
        store = connect(self._store_url)
        try:
            deletes = time.monotonic() - self._deleted_s >= _DELETE_EVERY_S
            forgets = time.monotonic() - self._forgot_s >= _FORGET_EVERY_S
            unavailable: StoreUnavailableError | None = None
            for target in self._targets():
                try:
                    self._maintain(store, target, deletes=deletes, forgets=forgets)
                except StoreUnavailableError as error:  # perhaps one locked row: the other targets are tried
                    unavailable = error
                except Exception:  # of one target: the others are rolled up, and expire
                    log.exception("target not maintained", target=target)
            if unavailable is not None:
                raise unavailable
            if deletes:
                self._deleted_s = time.monotonic()
            if forgets:
                self._forgot_s = time.monotonic()
        finally:
            store.close()
