"""Detects a Celery consumer that silently stopped: the worker sends itself a job and waits for it to run."""

import threading

PING_EVERY_MS = 30_000
PINGS_MISSED_MOST = 3


class SelfPing:
    """The coordinator thread calls `start_if_due`, a pool thread `record_answer`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sent_ms: int | None = None
        self._is_answered = True
        self.missed = 0

    def start_if_due(self, now_ms: int) -> bool:
        """Return True when a ping is to be sent now; counts an unanswered previous ping as missed."""
        with self._lock:
            if self._sent_ms is not None and now_ms - self._sent_ms < PING_EVERY_MS:
                return False
            self.missed = 0 if self._is_answered else self.missed + 1
            self._sent_ms, self._is_answered = now_ms, False
            return True

    def record_answer(self) -> None:
        with self._lock:
            self._is_answered = True
            self.missed = 0

    def reset(self) -> None:
        """Forget missed pings after an outage of Redis, which explains them."""
        with self._lock:
            self._sent_ms, self._is_answered, self.missed = None, True, 0

    @property
    def consumer_is_dead(self) -> bool:
        with self._lock:
            return self.missed >= PINGS_MISSED_MOST
