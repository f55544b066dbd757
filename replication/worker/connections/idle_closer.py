"""Closes clients that no flow uses, in a separate thread: closing may wait for a broker."""

import threading
from collections.abc import Sequence
from typing import Any

import structlog

from replication.worker.connections.client_pool import ClientPool

log = structlog.get_logger(__name__)
CHECK_EVERY_S = 10.0


class IdleCloser:
    """Watches pools from the first `start` to the end of the process."""

    def __init__(self, pools: Sequence[ClientPool[Any]], every_s: float = CHECK_EVERY_S) -> None:
        self._pools = pools
        self._every_s = every_s
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Idempotent, any thread."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="srm-idle-clients", daemon=True)
                self._thread.start()

    def _watch(self) -> None:
        pause = threading.Event()
        while not pause.wait(self._every_s):
            for pool in self._pools:
                try:
                    pool.close_idle()
                except Exception:  # a client that does not close must not keep the others open
                    log.exception("client not closed")
