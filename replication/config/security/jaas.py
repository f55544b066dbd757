"""`sasl.jaas.config` as Java reads it: one login module, its control flag and its options.

Follows Kafka's JaasConfig over a java.io.StreamTokenizer: both quotes, backslash escapes, both kinds of comments, the
closing semicolon. One thing is read that Java refuses: a number without quotes.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""
    (?P<blank>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<quoted>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<sign>[=;])
  | (?P<word>[^\s=;"']+)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\([0-3]?[0-7]{1,2}|.)", re.DOTALL)
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a"}
_FLAGS = frozenset({"required", "requisite", "sufficient", "optional"})


@dataclass(frozen=True, slots=True, kw_only=True)
class JaasLogin:
    """One entry; `module` is the Java class."""

    module: str
    options: Mapping[str, str] = field(repr=False)


def parse_jaas(text: str) -> JaasLogin:
    """The one login module of the text.

    Raises:
        ValueError: what is wrong, in words that never hold an option's value.
    """
    tokens = _tokens(text)
    module, _ = next(tokens, ("", ""))
    if not module:
        raise ValueError('it is empty; write: <LoginModule class> required option="value";')
    flag, _ = next(tokens, ("", ""))
    if flag.lower() not in _FLAGS:
        raise ValueError("the word 'required' must follow the login module's class")
    options = dict(_options(tokens))
    if next(tokens, None) is not None:
        raise ValueError("it names more than one login module; a client may have one")
    return JaasLogin(module=module, options=options)


def _options(tokens: "Iterator[tuple[str, str]]") -> Iterator[tuple[str, str]]:
    for name, kind in tokens:
        if kind == "sign" and name == ";":
            return
        sign, value = next(tokens, ("", "")), next(tokens, ("", ""))
        if kind == "sign" or sign != ("=", "sign") or value[1] not in ("quoted", "word"):
            raise ValueError(f'after the option {name!r} there is no ="value"')
        yield name, value[0]
    raise ValueError("the semicolon at the end is missing")


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """(text without quotes and escapes, kind) one by one."""
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError("a quote is opened and not closed")
        place = match.end()
        kind = match.lastgroup or ""
        if kind == "quoted":
            yield _ESCAPE.sub(_unescaped, match[0][1:-1]), kind
        elif kind != "blank":
            yield match[0], kind


def _unescaped(match: re.Match[str]) -> str:
    letter = match[1]
    return chr(int(letter, 8)) if letter[0] in "01234567" else _CONTROL.get(letter, letter)
