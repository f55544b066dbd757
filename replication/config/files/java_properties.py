"""Java's properties format (`java.util.Properties.load`): escapes, continuation lines, `=`, `:` or blanks between."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_BLANKS = " \t\f"
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_WRITTEN = {char: letter for letter, char in _ESCAPES.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class RawProperty:
    """A key and its unescaped value; `line` is the line of the key, counted from 1.

    `comment` holds the comment lines above the key without their marks.
    """

    key: str
    value: str
    line: int
    comment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertiesFile:
    """All properties in the order of the file, the comment below the last one, and the lines that cannot be read."""

    properties: tuple[RawProperty, ...]
    closing_comment: str
    errors: tuple["PropertiesSyntaxError", ...]


class PropertiesSyntaxError(ValueError):
    """A malformed escape; `line` is its line."""

    def __init__(self, line: int, problem: str) -> None:
        self.line = line
        self.problem = problem
        super().__init__(f"line {line}: {problem}")


def parse_properties(text: str) -> Iterator[RawProperty]:
    """All properties in the order of the file, repeated keys included. Raises PropertiesSyntaxError."""
    found = read_properties(text)
    for error in found.errors:
        raise error
    yield from found.properties


def read_properties(text: str) -> PropertiesFile:
    """Return everything that a file holds; a line that cannot be read is an error and stops no other."""
    properties: list[RawProperty] = []
    errors: list[PropertiesSyntaxError] = []
    closing = ""
    for line, logical, comment in _logical_lines(text):
        if logical is None:
            closing = comment
            continue
        key, value = _split(logical)
        try:
            found = RawProperty(key=_unescape(key, line), value=_unescape(value, line), line=line, comment=comment)
        except PropertiesSyntaxError as error:
            errors.append(error)
        else:
            properties.append(found)
    return PropertiesFile(properties=tuple(properties), closing_comment=closing, errors=tuple(errors))


def joined_comment(lines: Iterable[str]) -> str:
    """Return comment lines as one text, without their marks, trailing blanks and empty lines around them."""
    return "\n".join(re.sub(r"^[#!] ?", "", line).rstrip(_BLANKS) for line in lines).strip("\n")


def _logical_lines(text: str) -> Iterator[tuple[int, str | None, str]]:
    """Lines with their continuations joined, and the comment above each (blank and comment lines are not continued).

    The last one is None, with the comment at the end.
    """
    pending: str | None = None
    first = 0
    comment: list[str] = []
    for number, natural in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        line = natural.lstrip(_BLANKS)
        if pending is None:
            if not line or line[0] in "#!":
                comment.append(line)
                continue
            first = number
        joined = (pending or "") + line
        if _is_continued(line):
            pending = joined[:-1]
        else:
            pending = None
            yield first, joined, joined_comment(comment)
            comment = []
    if pending is not None:
        yield first, pending, joined_comment(comment)
        comment = []
    yield 0, None, joined_comment(comment)


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


def written_property(key: str, value: str) -> str:
    """Return the line of a property. Characters outside ASCII are escaped: Java reads files as Latin-1."""
    return f"{_escaped_key(key)} = {_escaped_value(value)}".rstrip(" ")


def _escaped_key(key: str) -> str:
    escaped = "".join(f"\\{char}" if char in "=: \\" else _escaped(char) for char in key)
    return f"\\{escaped}" if escaped[:1] in ("#", "!") else escaped


def _escaped_value(value: str) -> str:
    inner = value.strip(" ")
    if not inner:
        return "\\u0020" * len(value)
    leading = len(value) - len(value.lstrip(" "))
    trailing = len(value) - leading - len(inner)
    escaped = "".join("\\\\" if char == "\\" else _escaped(char) for char in inner)
    return "\\ " * leading + escaped + "\\u0020" * trailing


def _escaped(char: str) -> str:
    if char in _WRITTEN:
        return f"\\{_WRITTEN[char]}"
    if " " <= char <= "~":
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
