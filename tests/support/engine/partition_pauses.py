"""Measures for how long partitions of a copy do not advance, by their log ends on the target."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.kafka.kafka_records import EndOffsets

POLL_S = 0.1


class PartitionPauses:
    """Polls the log ends of a remote topic in a thread; the topic exists, and is written to all the time."""

    def __init__(self, bootstrap: str, topic: str, partitions: int) -> None:
        self._bootstrap, self._topic, self._partitions = bootstrap, topic, partitions
        self._stop, self._began = threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._ends = [-1] * partitions
        self._moved_s = [time.monotonic()] * partitions
        self._longest_s = [0.0] * partitions

    @contextmanager
    def watched(self) -> Iterator["PartitionPauses"]:
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        try:
            assert self._began.wait(30), f"the log ends of {self._topic} are unknown"
            yield self
        finally:
            self._stop.set()
            thread.join(30)

    def longest_s(self) -> list[float]:
        """Return each partition's longest pause so far, one that lasts included."""
        now_s = time.monotonic()
        with self._lock:
            return [max(longest, now_s - moved) for longest, moved in zip(self._longest_s, self._moved_s, strict=True)]

    def _run(self) -> None:
        ends = EndOffsets(self._bootstrap, self._topic, self._partitions)
        try:
            while not self._stop.wait(POLL_S):
                self._note(ends())
        finally:
            ends.close()

    def _note(self, found: list[int]) -> None:
        now_s = time.monotonic()
        with self._lock:
            for number, end in enumerate(found):
                if not self._began.is_set():
                    self._ends[number], self._moved_s[number] = end, now_s
                elif end > self._ends[number]:
                    self._longest_s[number] = max(self._longest_s[number], now_s - self._moved_s[number])
                    self._ends[number], self._moved_s[number] = end, now_s
        self._began.set()
