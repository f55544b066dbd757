"""Spreads looking at many topics over many runs."""

from collections.abc import Iterable


class Turns:
    """Names never looked at are due at once; the others when their time is over, the oldest first, so many per run."""

    def __init__(self, *, valid_ms: int, per_run: int) -> None:
        self._valid_ms = valid_ms
        self._per_run = per_run
        self._looked_ms: dict[str, int] = {}  # oldest first

    def due(self, names: Iterable[str], now_ms: int) -> set[str]:
        """Of these names; the ones not among them are forgotten."""
        present = frozenset(names)
        self._looked_ms = {name: at_ms for name, at_ms in self._looked_ms.items() if name in present}
        due = {name for name in present if name not in self._looked_ms}
        for name, at_ms in self._looked_ms.items():
            if len(due) >= self._per_run or now_ms - at_ms < self._valid_ms:
                break
            due.add(name)
        return due

    def looked_at(self, names: Iterable[str], now_ms: int) -> None:
        for name in names:
            self._looked_ms.pop(name, None)
            self._looked_ms[name] = now_ms
