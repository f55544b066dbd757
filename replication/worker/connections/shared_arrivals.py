"""Readings of a cluster's newest heartbeats, which the flows into the cluster share."""

import threading
import time
from collections.abc import Callable, Collection, Mapping
from typing import Protocol

FRESH_S = 1.0
FORGET_S = 60.0


class NewestTimes(Protocol):
    """Reads the newest timestamps of several topics at a time; one thread at a time."""

    def newest_ms(self, topics: Collection[str]) -> Mapping[str, int]: ...

    def close(self) -> None: ...


class SharedArrivals:
    """The `Arrivals` of one cluster: a reading covers the topics of all flows, and serves them for a second."""

    def __init__(self, times: NewestTimes, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._times = times
        self._monotonic_s = monotonic_s
        self._lock = threading.Lock()
        self._asked_s: dict[str, float] = {}
        self._read_s = 0.0
        self._read: frozenset[str] = frozenset()
        self._found: Mapping[str, int] = {}

    def newest_ms(self, topic: str) -> int | None:
        with self._lock:
            now_s = self._monotonic_s()
            self._asked_s[topic] = now_s
            if topic not in self._read or now_s - self._read_s >= FRESH_S:
                self._refresh(now_s)
            return self._found.get(topic)

    def _refresh(self, now_s: float) -> None:
        self._asked_s = {topic: at_s for topic, at_s in self._asked_s.items() if now_s - at_s < FORGET_S}
        topics = frozenset(self._asked_s)
        self._found = self._times.newest_ms(topics)
        self._read, self._read_s = topics, now_s

    def close(self) -> None:
        self._times.close()
