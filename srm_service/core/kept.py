"""Values that a process keeps for a moment, so that many requests in one second cost one calculation."""

import math
import operator
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_all: "list[Kept[Any, Any]]" = []


class Inputs:
    """A key that is the same if a value would be made from the same: `same` objects, and others that are equal."""

    __slots__ = ("_equal", "_same")

    def __init__(self, *same: object, equal: tuple[Any, ...] = ()) -> None:
        self._same, self._equal = same, equal

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Inputs) or len(self._same) != len(other._same):
            return False
        return all(map(operator.is_, self._same, other._same)) and self._equal == other._equal

    def __hash__(self) -> int:
        return hash(tuple(map(id, self._same)))  # the key holds them, so no other object gets these ids


@dataclass(slots=True)
class _Entry:
    lock: threading.Lock = field(default_factory=threading.Lock)
    made_at_s: float = -1.0
    version: Hashable = None
    value: Any = None


class Kept(Generic[K, V]):
    """The `most` keys that were asked for last. Who asks for a value that is being made waits for it.

    With `spare` seconds, the others get the former value for that long while one makes the next. With `beside`, which
    runs a function on another thread, also the one that finds the value too old.
    """

    def __init__(self, *, seconds: float, most: int, spare: float = 0.0) -> None:
        self._seconds, self._most, self._spare = seconds, most, spare
        self._lock = threading.Lock()
        self._entries: OrderedDict[K, _Entry] = OrderedDict()
        _all.append(self)

    def get(
        self,
        key: K,
        make: Callable[[], V],
        *,
        version: Hashable = None,
        beside: Callable[[Callable[[], V]], object] | None = None,
    ) -> V:
        """Return the value of a key, made again if it is too old or was made of another version of its inputs.

        An error of `make` is raised, and nothing is kept. One that happens `beside` is raised there.
        """
        entry = self._entry(key)
        if self._spare and entry.version == version and _age_s(entry) <= self._seconds + self._spare:
            former: V = entry.value
            if entry.lock.locked():
                return former
            if beside is not None and _age_s(entry) > self._seconds:
                beside(lambda: self._current(entry, make, version))
                return former
        return self._current(entry, make, version)

    def _current(self, entry: _Entry, make: Callable[[], V], version: Hashable) -> V:
        with entry.lock:
            if _age_s(entry) > self._seconds or entry.version != version:
                value = make()
                entry.value, entry.version, entry.made_at_s = value, version, time.monotonic()
            current: V = entry.value
            return current

    def forget(self) -> None:
        with self._lock:
            self._entries.clear()

    def _entry(self, key: K) -> _Entry:
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
            return entry


def _age_s(entry: _Entry) -> float:
    return time.monotonic() - entry.made_at_s if entry.made_at_s >= 0 else math.inf


def forget_kept() -> None:
    """Forget all kept values of this process: between tests."""
    for kept in _all:
        kept.forget()
