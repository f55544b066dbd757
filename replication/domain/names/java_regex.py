"""Java regular expressions in Python's `re`, as far as topic and group names need them.

A construct that has no exact equivalent is rejected with a clear text, never matched differently. Constructs that
mean the same in both (quantifiers, possessive ones included, groups, look-around, flags) pass unchanged.
"""

import re

from replication.domain.errors import InvalidPatternError

_POSIX = {
    "Alpha": "a-zA-Z",
    "Digit": "0-9",
    "Alnum": "a-zA-Z0-9",
    "Lower": "a-z",
    "Upper": "A-Z",
    "Punct": r"!-/:-@\[-`{-~",
    "XDigit": "0-9a-fA-F",
    "Space": r" \t\n\x0b\f\r",
    "ASCII": r"\x00-\x7f",
    "L": "a-zA-Z",
    "IsAlphabetic": "a-zA-Z",
    "Lu": "A-Z",
    "Ll": "a-z",
    "N": "0-9",
    "Nd": "0-9",
}
_SAME_ESCAPES = frozenset("dDsSwWbBAtnrfax")
_PROPERTY = re.compile(r"\\([pP])(?:\{(\w+)\}|([A-Za-z]))")
_NAMED_REFERENCE = re.compile(r"\\k<(\w+)>")


def compile_java(pattern: str) -> re.Pattern[str]:
    """Compile for a full match. Raises InvalidPatternError that quotes the pattern and says what is not supported."""
    translated = _Translation(pattern).run()
    try:
        return re.compile(translated, re.ASCII)
    except re.error as error:
        raise InvalidPatternError(f"pattern {pattern!r} is not a valid regular expression: {error}") from error


class _Translation:
    """One pass over the pattern; `_at` is the next character."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._in_class = False
        self._out: list[str] = []

    def run(self) -> str:
        while self._at < len(self._pattern):
            character = self._pattern[self._at]
            if character == "\\":
                self._escape()
            elif self._in_class:
                self._class_character(character)
            elif character == "[":
                self._open_class()
            elif self._pattern.startswith("(?", self._at):
                self._group()
            else:
                self._copy(1)
        return "".join(self._out)

    def _copy(self, count: int) -> None:
        self._out.append(self._pattern[self._at : self._at + count])
        self._at += count

    def _refuse(self, what: str) -> InvalidPatternError:
        return InvalidPatternError(f"pattern {self._pattern!r} uses {what}, which is not supported; write it without")

    def _open_class(self) -> None:
        self._in_class = True
        negated = self._pattern.startswith("[^", self._at)
        self._copy(2 if negated else 1)
        if self._pattern.startswith("]", self._at):
            raise self._refuse("a ']' right after '[' (write '\\]')")

    def _class_character(self, character: str) -> None:
        if character == "[":
            raise self._refuse("a character class inside another")
        if self._pattern.startswith("&&", self._at):
            raise self._refuse("the intersection '&&' of character classes")
        if character == "]":
            self._in_class = False
        self._copy(1)

    def _group(self) -> None:
        if self._pattern.startswith("(?P", self._at):
            raise self._refuse("'(?P', which Java does not know")
        is_named = self._pattern.startswith("(?<", self._at) and self._pattern[self._at + 3 : self._at + 4] not in "=!"
        if is_named:
            self._out.append("(?P<")
            self._at += 3
        else:
            self._copy(2)

    def _escape(self) -> None:
        following = self._pattern[self._at + 1 : self._at + 2]
        if following == "Q":
            self._quotation()
        elif following in ("p", "P"):
            self._property()
        elif following == "k" and (reference := _NAMED_REFERENCE.match(self._pattern, self._at)):
            self._out.append(f"(?P={reference[1]})")
            self._at = reference.end()
        elif following in ("z", "Z") and not self._in_class:
            self._out.append(r"\Z")
            self._at += 2
        elif following == "" or (following.isalpha() and following not in _SAME_ESCAPES | {"u"}):
            raise self._refuse(f"the escape '\\{following}'")
        elif following == "0":
            raise self._refuse("an octal escape")
        else:
            self._copy(2)

    def _quotation(self) -> None:
        end = self._pattern.find("\\E", self._at)
        quoted = self._pattern[self._at + 2 : end if end >= 0 else None]
        self._out.append(re.escape(quoted))
        self._at = end + 2 if end >= 0 else len(self._pattern)

    def _property(self) -> None:
        match = _PROPERTY.match(self._pattern, self._at)
        name = (match[2] or match[3]) if match else ""
        if match is None or name not in _POSIX:
            raise self._refuse(f"the character property '\\p{{{name}}}'")
        negated = match[1] == "P"
        if self._in_class and negated:
            raise self._refuse("a negated property inside a character class")
        if self._in_class:
            self._out.append(_POSIX[name])
        else:
            self._out.append(f"[{'^' if negated else ''}{_POSIX[name]}]")
        self._at = match.end()
