"""Patterns mean what they mean in Java, and no pattern takes more than a moment."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.domain.errors import InvalidPatternError
from replication.domain.names.filters import NameFilter
from replication.domain.patterns.linear_pattern import compile_java, compile_java_search
from tests.unit.replication.domain.patterns.java_answers import FINDS, MATCHES

PIECES = ("a", "b", ".", "[ab]", "(", ")", "(?:", "(?i)", "*", "+", "?", "*+", "{2}", "|", "^", "$", r"\Q", r"\E", "[^")


@pytest.mark.parametrize(("pattern", "name", "expected"), MATCHES)
def test_a_whole_name_matches_as_in_java(pattern: str, name: str, expected: bool) -> None:
    assert compile_java(pattern).matches(name) == expected


@pytest.mark.parametrize(("pattern", "text", "expected"), FINDS)
def test_a_text_is_searched_as_in_java(pattern: str, text: str, expected: bool) -> None:
    assert compile_java_search(pattern).is_in(text.encode()) == expected


@pytest.mark.parametrize(
    ("pattern", "construct", "remedy"),
    [
        (r"(a)\1", r"backreference '\1'", "separated by '|'"),
        (r"(?<env>prod|test)\.\k<env>", "backreference", "separated by '|'"),
        ("(?=a).*", "look-ahead '(?='", "without it"),
        ("(?!tmp).*", "negative look-ahead '(?!'", "exclude list"),
        ("(?<=x)y", "look-behind '(?<='", "without it"),
        ("(?<!x)y", "negative look-behind '(?<!'", "exclude list"),
        ("(?>a|ab)c", "atomic group '(?>'", "'(?:'"),
        ("a*+a", "possessive quantifier", "without its last '+'"),
        ("(ab)*+c", "possessive quantifier of a group", "without '+'"),
        ("(?m)^a", "flag 'm'", "line begins"),
        ("(?x)a b", "flag 'x'", "without blanks"),
        ("(?iu)a", "flag 'u'", "brackets"),
        (r"\p{IsGreek}", r"\p{IsGreek}", "brackets"),
        (r"\R", r"escape '\R'", "characters it matches"),
        (r"\Gx", r"escape '\G'", "characters it matches"),
        ("[^a[b]]", "negated character class with others", "one class"),
        ("[^a-z&&[aeiou]]", "negated character class with others", "one class"),
        ("[a-z&&[ab]c]", "intersection '&&'", "on each side"),
        ("x{1001}", "repetition {1001}", "at most 1,000"),
    ],
)
def test_what_cannot_be_matched_is_named_with_a_remedy(pattern: str, construct: str, remedy: str) -> None:
    with pytest.raises(InvalidPatternError) as caught:
        compile_java(pattern)
    assert repr(pattern) in caught.value.text
    assert construct in caught.value.text
    assert remedy in caught.value.text


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", "[a", "*", "a**", "a{", "{1}", "a{2}{3}", "+a", "a)", "a\\", "(?P<x>a)", "(?<1>a)", "(?<a>x)(?<a>y)"),
        *("[z-a]", "a{3,2}", "a{,3}", "[]", "[^]", "[a&&]", r"\y", "|*", "(*a)", "(?q)", "a???", r"\u12", r"\09"),
        "(" * 101 + ")" * 101,
    ],
)
def test_what_is_invalid_is_refused_and_quoted(pattern: str) -> None:
    with pytest.raises(InvalidPatternError) as caught:
        compile_java(pattern)
    assert repr(pattern) in caught.value.text


@pytest.mark.parametrize("pattern", ["([a-z]+)+-prod", "(a|a)*b", "(a*)*b", "(.*)*x", "((a?){9}){9}b", "(a|aa)+b$"])
def test_nested_quantifiers_take_linear_time(pattern: str) -> None:
    assert not NameFilter.of([pattern]).accepts("a" * 34)
    assert not NameFilter.of([pattern]).accepts("a" * 249)


def test_what_executors_import_needs_no_re2() -> None:
    code = "import sys, metrics.stream.executor_tasks; sys.exit('re2' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=120).returncode == 0


@pytest.mark.timeout(60)
def test_a_large_text_takes_linear_time() -> None:
    text = b'"test":true' * 40_000

    assert not compile_java_search('"test":true.*"prod"').is_in(text)
    assert not compile_java_search("(.*)*(.*)*!").is_in(text)


def test_a_pattern_that_would_take_long_on_large_texts_is_refused() -> None:
    assert compile_java("a.{100}c").matches("a" * 101 + "c")
    with pytest.raises(InvalidPatternError, match="too large"):
        compile_java_search("a.{100}c")


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.text("ab\n", max_size=6))
def test_any_pattern_is_compiled_or_refused(pieces: list[str], text: str) -> None:
    try:
        compiled = compile_java("".join(pieces))
    except InvalidPatternError:
        return
    assert compiled.matches(text) in (True, False)
