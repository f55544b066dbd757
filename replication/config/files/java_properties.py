"""Java's properties format (`java.util.Properties.load`): escapes, continuation lines, `=`, `:` or blanks between."""

from collections.abc import Iterator
from dataclasses import dataclass

_BLANKS = " \t\f"
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RawProperty:
    """A key and its unescaped value; `line` is the line of the key, counted from 1."""

    key: str
    value: str
    line: int


class PropertiesSyntaxError(ValueError):
    """A malformed escape; `line` is its line."""

    def __init__(self, line: int, problem: str) -> None:
        self.line = line
        self.problem = problem
        super().__init__(f"line {line}: {problem}")


def parse_properties(text: str) -> Iterator[RawProperty]:
    """All properties in the order of the file, repeated keys included. Raises PropertiesSyntaxError."""
    for line, logical in _logical_lines(text):
        key, value = _split(logical)
        yield RawProperty(key=_unescape(key, line), value=_unescape(value, line), line=line)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their continuations joined; blank and comment lines are skipped (neither can be continued)."""
    pending: str | None = None
    first = 0
    for number, natural in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        line = natural.lstrip(_BLANKS)
        if pending is None:
            if not line or line[0] in "#!":
                continue
            first = number
        joined = (pending or "") + line
        if _is_continued(line):
            pending = joined[:-1]
        else:
            pending = None
            yield first, joined
    if pending is not None:
        yield first, pending


def _is_continued(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _split(line: str) -> tuple[str, str]:
    """Key and value, both still escaped: the first unescaped `=`, `:` or blank ends the key."""
    at = 0
    while at < len(line) and line[at] not in "=:" + _BLANKS:
        at += 2 if line[at] == "\\" else 1
    rest = line[at:].lstrip(_BLANKS)
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(_BLANKS)
    return line[:at], rest


def _unescape(text: str, line: int) -> str:
    """Java drops the backslash before any character it gives no meaning to: `\\.` becomes `.`."""
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] != "\\":
            out.append(text[at])
            at += 1
        elif text[at + 1 : at + 2] == "u":
            out.append(_unicode(text[at + 2 : at + 6], line))
            at += 6
        else:
            out.append(_ESCAPES.get(text[at + 1 : at + 2], text[at + 1 : at + 2]))
            at += 2
    # escapes name UTF-16 units, so characters beyond 16 bits come as two of them
    return "".join(out).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unicode(digits: str, line: int) -> str:
    if len(digits) != 4 or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
        raise PropertiesSyntaxError(line, f"\\u must be followed by four hex digits, not {digits!r}")
    return chr(int(digits, 16))
