"""The allow and deny lists of a flow, as its control topic holds them, and how they join the flow's properties."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from replication.domain.desired.desired_flow import NamePatterns
from replication.domain.errors import InvalidPatternError
from replication.domain.patterns.linear_pattern import compile_java

ListKind = Literal["topics", "groups", "reverse-checkpointed-topics"]
ListSide = Literal["allow", "deny"]
LIST_KINDS: tuple[ListKind, ...] = get_args(ListKind)
LIST_SIDES: tuple[ListSide, ...] = get_args(ListSide)
LONGEST_PATTERN = 500


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ListPlace:
    """One pattern on one side of one list; the key of a record of the control topic."""

    kind: ListKind
    side: ListSide
    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListChange:
    """A pattern to add to a list, or to remove from it."""

    place: ListPlace
    is_listed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntry:
    """A pattern of a list, with the record that put it there. An entry with a problem has no effect."""

    place: ListPlace
    offset: int
    written_ms: int
    by: str = ""
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableRecord:
    """A record of the control topic that no list contains."""

    offset: int
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NameLists:
    """The lists of one flow up to a record of its control topic; `offset` is None without any record."""

    offset: int | None = None
    entries: tuple[ListEntry, ...] = ()
    unreadable: tuple[UnreadableRecord, ...] = ()

    def of(self, kind: ListKind, side: ListSide) -> tuple[ListEntry, ...]:
        """Return the entries of one side of one list by pattern."""
        chosen = (entry for entry in self.entries if (entry.place.kind, entry.place.side) == (kind, side))
        return tuple(sorted(chosen, key=lambda entry: entry.place.pattern))

    def patterns(self, kind: ListKind) -> NamePatterns:
        """Return the patterns that have an effect."""
        return NamePatterns(allow=tuple(self._usable(kind, "allow")), deny=tuple(self._usable(kind, "deny")))

    def lacking(self, changes: Iterable[ListChange]) -> tuple[ListChange, ...]:
        """Return the changes without the additions of patterns that are listed already."""
        listed = {entry.place for entry in self.entries}
        return tuple(change for change in changes if not (change.is_listed and change.place in listed))

    def _usable(self, kind: ListKind, side: ListSide) -> Iterator[str]:
        return (entry.place.pattern for entry in self.of(kind, side) if entry.problem is None)


def joined(properties: NamePatterns, listed: NamePatterns) -> NamePatterns:
    """Return the patterns of a flow: its properties first, then its lists, each pattern once.

    A name is chosen if a property or a list allows it, and neither denies it.
    """
    return NamePatterns(
        allow=tuple(dict.fromkeys((*properties.allow, *listed.allow))),
        deny=tuple(dict.fromkeys((*properties.deny, *listed.deny))),
    )


def list_changes(
    kind: ListKind,
    *,
    add: Iterable[str] = (),
    remove: Iterable[str] = (),
    add_denied: Iterable[str] = (),
    remove_denied: Iterable[str] = (),
) -> tuple[ListChange, ...]:
    """Return the changes without repeats.

    Raises InvalidPatternError for the first pattern that cannot be added, or that is both added and removed.
    """
    sides: tuple[tuple[ListSide, Iterable[str], Iterable[str]], ...] = (
        ("allow", add, remove),
        ("deny", add_denied, remove_denied),
    )
    changes: list[ListChange] = []
    for side, added, removed in sides:
        changes += _changes_of_side(kind, side, tuple(dict.fromkeys(added)), tuple(dict.fromkeys(removed)))
    return tuple(changes)


def _changes_of_side(
    kind: ListKind, side: ListSide, added: tuple[str, ...], removed: tuple[str, ...]
) -> Iterator[ListChange]:
    for pattern in added:
        problem = pattern_problem(pattern)
        if problem is not None:
            raise InvalidPatternError(problem)
        if pattern in removed:
            raise InvalidPatternError(f"{pattern!r} is both added to and removed from the {side} list: choose one")
        yield ListChange(place=ListPlace(kind=kind, side=side, pattern=pattern), is_listed=True)
    for pattern in removed:
        yield ListChange(place=ListPlace(kind=kind, side=side, pattern=pattern), is_listed=False)


def pattern_problem(pattern: str) -> str | None:
    """Return why a pattern has no effect, with the remedy; None for a valid one."""
    if not pattern.strip() or pattern != pattern.strip():
        return f"{pattern!r} is empty or has blanks around it: write a name or a regular expression such as orders.*"
    if len(pattern) > LONGEST_PATTERN:
        return f"a pattern has {len(pattern)} characters, at most {LONGEST_PATTERN} are allowed: write several patterns"
    if any(ord(letter) < ord(" ") or 0xD800 <= ord(letter) <= 0xDFFF for letter in pattern):
        return f"{pattern!r} holds control characters: write a name or a regular expression such as orders.*"
    try:
        compile_java(pattern)
    except InvalidPatternError as error:
        return error.text if ";" in error.text else f"{error.text}; correct the pattern"
    return None
