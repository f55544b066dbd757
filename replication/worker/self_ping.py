"""Notices a Celery consumer that silently stopped: the worker sends itself a job and waits for it to run."""

import threading

PING_EVERY_MS = 30_000
PINGS_MISSED_MOST = 3


class SelfPing:
    """The coordinator thread asks `due`, a pool thread calls `answered`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sent_ms: int | None = None
        self._is_answered = True
        self.missed = 0

    def due(self, now_ms: int) -> bool:
        """Whether to send a ping now; counts the one before as missed when nobody ran it."""
        with self._lock:
            if self._sent_ms is not None and now_ms - self._sent_ms < PING_EVERY_MS:
                return False
            self.missed = 0 if self._is_answered else self.missed + 1
            self._sent_ms, self._is_answered = now_ms, False
            return True

    def answered(self) -> None:
        with self._lock:
            self._is_answered = True
            self.missed = 0

    def excuse(self) -> None:
        """Redis was away: an unanswered ping proves nothing."""
        with self._lock:
            self._sent_ms, self._is_answered, self.missed = None, True, 0

    @property
    def consumer_is_dead(self) -> bool:
        with self._lock:
            return self.missed >= PINGS_MISSED_MOST
