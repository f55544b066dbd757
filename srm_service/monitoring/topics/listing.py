"""A list that is merged from the metrics store and from memory: a page costs what is on it, not what the list has.

The store orders what was measured. The plan and the reports of this second, which are in memory, have other rows and
other values. Each gives its next rows in the order of the list.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from srm_service.core.api.pagination import SortValue, place_of

Row = tuple[SortValue, str]  # the value of an order, and the name of the row
_CHUNK = 1_000


class StoredRows(Protocol):
    """The rows of a list that the metrics store has; `column` is one that it orders. All raise DatabaseError."""

    def names(self, after: str | None, most: int, *, descending: bool = False) -> Sequence[str]:
        """Return the next names; from the first one if `after` is None."""

    def valued(
        self, column: str, after: Row | None, most: int, *, without: Collection[str], descending: bool
    ) -> Sequence[Row]:
        """Return the next rows that have a value now, by it and by name."""

    def without_value(self, column: str, after: str | None, most: int, *, without: Collection[str]) -> Sequence[str]:
        """Return the next names of rows that have no value now."""

    def present(self, names: Iterable[str]) -> Collection[str]:
        """Return those of the names that were measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """All rows in one order: by name, by a column of the store, or by values that are known here alone.

    `memory` has the names that may not be stored. `known` has the values that are not the store's to order; None: there
    is none now, even if the store has one.
    """

    stored: StoredRows
    memory: Collection[str]
    known: Mapping[str, SortValue]
    column: str | None
    by_name: bool
    descends: bool

    def next_rows(self, after: Row | None, most: int) -> list[Row]:
        """Return the rows after a place; those without a value are last."""
        if self.by_name:
            names = self._names(None if after is None else after[1], most, descending=self.descends)
            return [(None, name) for name in names]
        rows = [] if after is not None and after[0] is None else self._valued(after, most)
        after_name = after[1] if after is not None and after[0] is None else None
        more = most - len(rows)
        return rows + [(None, name) for name in self._without_value(after_name, more)] if more else rows

    def _valued(self, after: Row | None, most: int) -> list[Row]:
        rows: list[Row] = [(value, name) for name, value in self.known.items() if value is not None]
        if after is not None:
            place = place_of(*after, descending=self.descends)
            rows = [row for row in rows if place_of(*row, descending=self.descends) > place]
        if self.column is not None:
            without = self.known.keys()
            rows += self.stored.valued(self.column, after, most, without=without, descending=self.descends)
        return sorted(rows, key=lambda row: place_of(*row, descending=self.descends))[:most]

    def _without_value(self, after: str | None, most: int) -> list[str]:
        if self.column is None:
            return self._others(after, most)
        names = self.stored.without_value(self.column, after, most, without=self.known.keys())
        end = names[-1] if len(names) == most else None
        own = [name for name in self._after(after) if not self._has_value(name) and (end is None or name < end)]
        others = [name for name in own if name not in self.known]
        return sorted({*names, *own} - (set(self.stored.present(others)) - set(names)))[:most]

    def _has_value(self, name: str) -> bool:
        return self.known.get(name) is not None

    def _others(self, after: str | None, most: int) -> list[str]:
        """Names of rows whose value is not known."""
        found: list[str] = []
        while len(found) < most:
            names = self._names(after, _CHUNK, descending=False)
            found += [name for name in names if not self._has_value(name)]
            if len(names) < _CHUNK:
                break
            after = names[-1]
        return found[:most]

    def _names(self, after: str | None, most: int, *, descending: bool) -> list[str]:
        stored = self.stored.names(after, most, descending=descending)
        return sorted({*stored, *self._after(after, descending=descending)}, reverse=descending)[:most]

    def _after(self, name: str | None, *, descending: bool = False) -> Iterable[str]:
        if name is None:
            return self.memory
        return [each for each in self.memory if (each < name if descending else each > name)]
