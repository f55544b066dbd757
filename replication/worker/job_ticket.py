"""Makes sure that one Celery job, and only the one asked for, runs a group of tasks."""

import itertools
import threading

RESEND_MS = 10_000  # a start message may be lost with Redis


class JobTicket:
    """Start messages are mere requests: late, doubled and foreign ones are turned away by their epoch.

    The coordinator thread issues, a pool thread begins and ends.
    """

    def __init__(self, boot: str) -> None:
        self._boot = boot
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._epoch: str | None = None
        self._sent_ms = 0
        self._running = False

    def issue(self, now_ms: int) -> str | None:
        """An epoch to send a start message with; None while a job runs or was asked for a moment ago."""
        with self._lock:
            waiting = self._epoch is not None and now_ms - self._sent_ms < RESEND_MS
            if self._running or waiting:
                return None
            self._epoch = f"{self._boot}:{next(self._numbers)}"
            self._sent_ms = now_ms
            return self._epoch

    def begin(self, epoch: str) -> bool:
        """Whether the job with this epoch may run."""
        with self._lock:
            if self._running or epoch != self._epoch:
                return False
            self._running = True
            return True

    def end(self) -> None:
        with self._lock:
            self._running = False
            self._epoch = None

    @property
    def running(self) -> bool:
        with self._lock:
            return self._running
