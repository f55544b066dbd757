"""The properties format as java.util.Properties reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.config.files.java_properties import PropertiesSyntaxError, parse_properties


def read(text: str) -> dict[str, str]:
    return {found.key: found.value for found in parse_properties(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a=b", {"a": "b"}, id="equals"),
        pytest.param("a : b", {"a": "b"}, id="colon"),
        pytest.param("a   b c", {"a": "b c"}, id="blanks"),
        pytest.param("  a = b  ", {"a": "b  "}, id="trailing blanks belong to the value"),
        pytest.param("a", {"a": ""}, id="no value"),
        pytest.param("a==b", {"a": "=b"}, id="second equals is value"),
        pytest.param("# c\n! d\n\n  # e\na=1", {"a": "1"}, id="comments and blank lines"),
        pytest.param("a=1,\\\n   2,\\\n\t3", {"a": "1,2,3"}, id="continuation"),
        pytest.param("a=1\\\\\nb=2", {"a": "1\\", "b": "2"}, id="even backslashes do not continue"),
        pytest.param("a=x\\\n#y", {"a": "x#y"}, id="no comment inside a continuation"),
        pytest.param("a=\\u0041\\t\\n\\:", {"a": "A\t\n:"}, id="escapes"),
        pytest.param(r"t=.*[\-\.]internal", {"t": ".*[-.]internal"}, id="backslashes of patterns are eaten"),
        pytest.param(r"t=orders\\.x", {"t": r"orders\.x"}, id="doubled backslashes stay"),
        pytest.param("a\\ b\\=c=d", {"a b=c": "d"}, id="escaped separators in keys"),
        pytest.param("east->west.enabled = true", {"east->west.enabled": "true"}, id="arrow"),
        pytest.param("a=1\r\nb=2\rc=3", {"a": "1", "b": "2", "c": "3"}, id="line ends"),
        pytest.param("a=x\\", {"a": "x"}, id="continuation into nothing"),
        pytest.param("a=1\na=2", {"a": "2"}, id="the last one wins"),
    ],
)
def test_it_reads_as_java_does(text: str, expected: dict[str, str]) -> None:
    assert read(text) == expected


def test_every_property_knows_the_line_it_starts_on() -> None:
    found = list(parse_properties("# x\na=1\\\n  2\n\nb=3"))

    assert [(each.key, each.line) for each in found] == [("a", 2), ("b", 5)]


@pytest.mark.parametrize("text", ["a=1\nb=\\u00g0", "a=1\nb=\\u12"])
def test_a_broken_unicode_escape_names_its_line(text: str) -> None:
    with pytest.raises(PropertiesSyntaxError, match="line 2"):
        read(text)


@given(st.text(alphabet=st.characters(exclude_characters="\\", exclude_categories=["Cs"])))
def test_text_without_escapes_is_always_read(text: str) -> None:
    read(text)


@given(st.text(min_size=1), st.text())
def test_what_was_escaped_is_read_back(key: str, value: str) -> None:
    def escaped(text: str) -> str:
        units = text.encode("utf-16-be")
        return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))

    assert read(f"{escaped(key)}={escaped(value)}") == {key: value}
