"""Allow and deny lists in Java's regular expressions."""

from hypothesis import given
from hypothesis import strategies as st

from replication.domain.names.filters import NameFilter, split_list

PATTERNS = st.lists(st.sampled_from(["a.*", "b", ".*c", "[ab]+", "a|b", r"\Qa.b\E"]), max_size=4)


def test_an_empty_allow_list_accepts_nothing() -> None:
    assert not NameFilter.of([]).accepts("a")


@given(PATTERNS, PATTERNS, st.sampled_from(["a", "b", "c", "ab", "a.b", "abc"]))
def test_deny_beats_allow(allow: list[str], deny: list[str], name: str) -> None:
    is_denied = NameFilter.of(deny).accepts(name)

    assert not (is_denied and NameFilter.of(allow, deny).accepts(name))
    assert is_denied or NameFilter.of(allow, deny).accepts(name) == NameFilter.of(allow).accepts(name)


def test_a_list_is_split_at_commas_and_trimmed() -> None:
    assert split_list(" a , b,,c ") == ("a", "b", "c")
    assert split_list("") == ()
