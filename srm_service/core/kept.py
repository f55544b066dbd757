"""Values that a process keeps for a moment, so that many requests in one second cost one calculation."""

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

    With `spare` seconds, the others get the former value for that long while one makes the next.
    """

    def __init__(self, *, seconds: float, most: int, spare: float = 0.0) -> None:
        self._seconds, self._most, self._spare = seconds, most, spare
        self._lock = threading.Lock()
        self._entries: OrderedDict[K, _Entry] = OrderedDict()
        _all.append(self)

    def get(self, key: K, make: Callable[[], V], *, version: Hashable = None) -> V:
        """Return the value of a key, made again if it is too old or was made of another version of its inputs.

        An error of `make` is raised, and nothing is kept.
        """
        entry = self._entry(key)
        if self._spare and entry.lock.locked() and entry.version == version and self._is_spared(entry):
            former: V = entry.value
            return former
        with entry.lock:
            is_old = entry.made_at_s < 0 or time.monotonic() - entry.made_at_s > self._seconds
            if is_old or entry.version != version:
                entry.value, entry.version = make(), version
                entry.made_at_s = time.monotonic()
            value: V = entry.value
            return value

    def _is_spared(self, entry: _Entry) -> bool:
        return entry.made_at_s >= 0 and time.monotonic() - entry.made_at_s <= self._seconds + self._spare

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


def forget_kept() -> None:
    """Forget all kept values of this process: between tests."""
    for kept in _all:
        kept.forget()
