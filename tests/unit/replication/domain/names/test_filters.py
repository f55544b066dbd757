"""Allow and deny lists in Java's regular expressions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.domain.errors import InvalidPatternError
from replication.domain.names.filters import NameFilter, split_list
from replication.domain.names.java_regex import compile_java

PATTERNS = st.lists(st.sampled_from(["a.*", "b", ".*c", "[ab]+", "a|b", r"\Qa.b\E"]), max_size=4)


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        (r"orders", "orders", True),
        (r"orders", "orders2", False),
        (r"a|b", "b", True),
        (r"\Qa.b\E.*", "a.b.c", True),
        (r"\Qa.b\E", "axb", False),
        (r"\Qa.b", "a.b", True),
        (r"\p{Alpha}+", "abc", True),
        (r"\p{Alpha}+", "ab1", False),
        (r"[\p{Lower}_]+", "a_b", True),
        (r"\P{Digit}+", "a1", False),
        (r"(?<env>prod|test)\.\k<env>", "prod.prod", True),
        (r"(?<env>prod|test)\.\k<env>", "prod.test", False),
        (r"(?i)ORDERS", "orders", True),
        (r"a*+a", "aaa", False),
        (r"(?!tmp).*", "tmp-1", False),
        (r"(?<=x)y|xy", "xy", True),
        (r"[.\-]x", ".x", True),
        (r"\w+", "caf\u00e9", False),
    ],
)
def test_patterns_mean_what_they_mean_in_java(pattern: str, name: str, expected: bool) -> None:
    assert (compile_java(pattern).fullmatch(name) is not None) == expected


@pytest.mark.parametrize(
    "pattern", ["(", "[a", "*", r"[a-z&&[^b]]", r"[a[b]]", r"\R", r"\p{IsGreek}", "(?P<x>a)", r"\012", "a\\", r"\Gx"]
)
def test_what_cannot_be_honoured_is_refused_and_quoted(pattern: str) -> None:
    with pytest.raises(InvalidPatternError) as caught:
        compile_java(pattern)
    assert repr(pattern) in caught.value.text


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
