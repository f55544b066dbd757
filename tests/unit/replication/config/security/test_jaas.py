"""`sasl.jaas.config` as operators write it, and the mistakes they make."""

import pytest

from replication.config.security.jaas import parse_jaas


@pytest.mark.parametrize(
    ("text", "options"),
    [
        pytest.param("a.B required;", {}, id="no options"),
        pytest.param("a.B required x=\"1;2\" y='3' z=4;", {"x": "1;2", "y": "3", "z": "4"}, id="three kinds of quotes"),
        pytest.param(r'a.B required p="say \"hi\" \\ \t\101";', {"p": 'say "hi" \\ \tA'}, id="escapes"),
        pytest.param('a.B REQUIRED\n  x="1"\n  y="2" ;\n', {"x": "1", "y": "2"}, id="several lines"),
        pytest.param('// mine\na.B /* or theirs */ required x="//no";', {"x": "//no"}, id="comments"),
        pytest.param('a.B required p="a=b, c";', {"p": "a=b, c"}, id="signs inside quotes"),
    ],
)
def test_options_are_read_as_java_reads_them(text: str, options: dict[str, str]) -> None:
    login = parse_jaas(text)

    assert (login.module, dict(login.options)) == ("a.B", options)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        pytest.param("", "empty", id="nothing"),
        pytest.param("a.B", "'required' must follow", id="no flag"),
        pytest.param('a.B required x="1"', "semicolon", id="no semicolon"),
        pytest.param('a.B required x "1";', "'x'", id="no equals sign"),
        pytest.param('a.B required x="1;', "not closed", id="open quote"),
        pytest.param('a.B required x="1"; c.D required;', "more than one", id="two modules"),
    ],
)
def test_mistakes_are_named(text: str, part: str) -> None:
    with pytest.raises(ValueError, match=part):
        parse_jaas(text)


def test_a_mistake_never_tells_the_password() -> None:
    with pytest.raises(ValueError) as caught:
        parse_jaas('a.B required password="hush" username')
    assert "hush" not in str(caught.value)
    assert "hush" not in repr(parse_jaas('a.B required password="hush";'))
