"""Ensures that exactly one Celery job, the one requested last, runs a group of tasks."""

import itertools
import threading

RESEND_MS = 10_000  # a start message may be lost with Redis


class JobTicket:
    """Identifies start messages by an epoch, so that late, duplicate and foreign ones are rejected.

    The coordinator thread calls `issue`, a pool thread `begin` and `end`.
    """

    def __init__(self, boot: str) -> None:
        self._boot = boot
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._epoch: str | None = None
        self._sent_ms = 0
        self._running = False

    def issue(self, now_ms: int) -> str | None:
        """Return the epoch for a new start message; None while a job runs or was requested recently."""
        with self._lock:
            waiting = self._epoch is not None and now_ms - self._sent_ms < RESEND_MS
            if self._running or waiting:
                return None
            self._epoch = f"{self._boot}:{next(self._numbers)}"
            self._sent_ms = now_ms
            return self._epoch

    def begin(self, epoch: str) -> bool:
        """Start the job with this epoch; returns False when the message is stale."""
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
