"""Allow and deny lists: which changes are accepted, and how lists join a flow's properties."""

import pytest

from replication.domain.desired.desired_flow import NamePatterns
from replication.domain.desired.name_lists import (
    LONGEST_PATTERN,
    ListEntry,
    ListPlace,
    ListSide,
    NameLists,
    joined,
    list_changes,
    pattern_problem,
)
from replication.domain.errors import InvalidPatternError


def entry(side: ListSide, pattern: str, problem: str | None = None) -> ListEntry:
    place = ListPlace(kind="topics", side=side, pattern=pattern)
    return ListEntry(place=place, offset=1, written_ms=1, problem=problem)


def test_lists_add_to_the_properties_and_repeat_nothing() -> None:
    properties = NamePatterns(allow=("orders", "pay.*"), deny=("tmp",))

    flow = joined(properties, NamePatterns(allow=("pay.*", "audit"), deny=("x",)))

    assert flow == NamePatterns(allow=("orders", "pay.*", "audit"), deny=("tmp", "x"))


def test_only_the_patterns_of_the_list_that_have_an_effect_are_used() -> None:
    groups = ListEntry(place=ListPlace(kind="groups", side="allow", pattern="g"), offset=2, written_ms=1)
    lists = NameLists(entries=(entry("allow", "b"), entry("allow", "a"), entry("deny", "(", "no"), groups))

    assert lists.patterns("topics") == NamePatterns(allow=("a", "b"))
    assert lists.patterns("groups") == NamePatterns(allow=("g",))


def test_changes_name_their_side_and_are_not_repeated() -> None:
    changes = list_changes("topics", add=("a", "a"), remove=("b",), add_denied=("c",), remove_denied=("d",))

    assert [(each.place.side, each.place.pattern, each.is_listed) for each in changes] == [
        ("allow", "a", True),
        ("allow", "b", False),
        ("deny", "c", True),
        ("deny", "d", False),
    ]


@pytest.mark.parametrize(
    "pattern", ["", " ", " a", "a\n", "\x00", "\ud800", "x" * (LONGEST_PATTERN + 1), "(", "a(?=b)"]
)
def test_a_pattern_without_effect_cannot_be_added_and_can_be_removed(pattern: str) -> None:
    with pytest.raises(InvalidPatternError):
        list_changes("topics", add=(pattern,))

    assert pattern_problem(pattern)
    assert len(list_changes("topics", remove=(pattern,))) == 1


def test_adding_and_removing_one_pattern_at_once_is_refused() -> None:
    with pytest.raises(InvalidPatternError, match="choose one"):
        list_changes("topics", add=("a",), remove=("a",))


def test_only_additions_of_listed_patterns_are_no_change() -> None:
    lists = NameLists(entries=(entry("allow", "a"), entry("deny", "b")))
    changes = list_changes("topics", add=["a", "b"], add_denied=["b"], remove=["c"])

    lacking = [(change.place.side, change.place.pattern, change.is_listed) for change in lists.lacking(changes)]

    assert lacking == [("allow", "b", True), ("allow", "c", False)]
