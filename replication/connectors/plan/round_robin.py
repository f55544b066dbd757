"""A round-robin schedule that spreads the checks of many topics over many runs."""

from collections.abc import Iterable


class RoundRobin:
    """New names are due immediately; the others after `valid_ms`, oldest first, at most `per_run` of them."""

    def __init__(self, *, valid_ms: int, per_run: int) -> None:
        self._valid_ms = valid_ms
        self._per_run = per_run
        self._checked_ms: dict[str, int] = {}  # oldest first

    def due(self, names: Iterable[str], now_ms: int) -> set[str]:
        """Return the names that are due; names missing from `names` are forgotten."""
        present = frozenset(names)
        self._checked_ms = {name: at_ms for name, at_ms in self._checked_ms.items() if name in present}
        due = {name for name in present if name not in self._checked_ms}
        for name, at_ms in self._checked_ms.items():
            if len(due) >= self._per_run or now_ms - at_ms < self._valid_ms:
                break
            due.add(name)
        return due

    def mark_checked(self, names: Iterable[str], now_ms: int) -> None:
        for name in names:
            self._checked_ms.pop(name, None)
            self._checked_ms[name] = now_ms
