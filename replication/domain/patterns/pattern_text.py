"""The text of a pattern while it is read, and the single characters in it."""

import re

from replication.domain.errors import InvalidPatternError
from replication.domain.patterns.character_set import LAST, Ranges, complement
from replication.domain.patterns.properties import OF_ONE_CASE, property_of

_CONTROLS = {"t": 0x09, "n": 0x0A, "r": 0x0D, "f": 0x0C, "a": 0x07, "e": 0x1B}
_HEXADECIMAL = re.compile(r"\\x(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{2}))|\\u([0-9a-fA-F]{4})")
_OCTAL = re.compile(r"\\0([0-3]?[0-7]{1,2})")
_PROPERTY = re.compile(r"\\([pP])(?:\{(\w+)\}|([A-Za-z]))")
_SURROGATES = range(0xD800, 0xE000)


class PatternText:
    """A position in a pattern; `at` is the next character."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self._quoted_until = 0

    @property
    def is_at_end(self) -> bool:
        return self.at >= len(self.pattern)

    def looks_at(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def peek(self, ahead: int = 0) -> str:
        """Return one character, or an empty text behind the end."""
        return self.pattern[self.at + ahead : self.at + ahead + 1]

    def take(self, count: int = 1) -> str:
        taken = self.pattern[self.at : self.at + count]
        self.at += count
        return taken

    def refuse(self, construct: str, remedy: str) -> InvalidPatternError:
        """Return the error that names what cannot be matched, and what to write instead."""
        return InvalidPatternError(f"pattern {self.pattern!r} uses {construct}, which is not supported; {remedy}")

    def invalid(self, reason: str) -> InvalidPatternError:
        """Return the error for what is not valid in Java either."""
        return InvalidPatternError(f"pattern {self.pattern!r} is not a valid regular expression: {reason}")

    def is_quoted(self) -> bool:
        r"""True inside `\Q...\E`. Moves over the marks themselves."""
        while not self.is_at_end:
            if self.at < self._quoted_until:
                return True
            if self.looks_at("\\Q"):
                end = self.pattern.find("\\E", self.at + 2)
                self.at += 2
                self._quoted_until = len(self.pattern) if end < 0 else end
            elif self._quoted_until and self.at == self._quoted_until and self.looks_at("\\E"):
                self.at += 2
                self._quoted_until = 0
            else:
                return False
        return False

    def escaped_character(self) -> int | None:
        r"""Read an escape of one character, such as `\.` or `\x2e`; None where the escape means something else."""
        following = self.peek(1)
        if following == "":
            raise self.invalid("it ends with a backslash")
        if following in "xu":
            return self._hexadecimal()
        if following == "0":
            match = _OCTAL.match(self.pattern, self.at)
            if match is None:
                raise self.invalid("an octal escape needs digits from 0 to 7")
            self.at = match.end()
            return int(match[1], 8)
        if following == "c" and (letter := self.peek(2)):
            self.take(3)
            return ord(letter) ^ 0x40
        if following in _CONTROLS:
            return _CONTROLS[self.take(2)[1]]
        if following.isascii() and following.isalnum():
            return None
        return ord(self.take(2)[1])

    def _hexadecimal(self) -> int:
        match = _HEXADECIMAL.match(self.pattern, self.at)
        if match is None:
            raise self.invalid(f"the escape {self.pattern[self.at : self.at + 2]!r} needs hexadecimal digits")
        code_point = int(match[1] or match[2] or match[3], 16)
        if code_point > LAST or code_point in _SURROGATES:
            raise self.refuse(f"the escape {match[0]!r}", "write the character itself")
        self.at = match.end()
        return code_point

    def property(self, *, ignores_case: bool) -> Ranges:
        r"""Read `\p{...}` or `\P{...}`."""
        match = _PROPERTY.match(self.pattern, self.at)
        name = (match[2] or match[3]) if match else ""
        found = property_of(name)
        if match is None or found is None:
            construct = match[0] if match else self.pattern[self.at : self.at + 2]
            raise self.refuse(f"the character property '{construct}'", "list its characters in brackets")
        if ignores_case and name.removeprefix("Is") in OF_ONE_CASE:
            raise self.refuse(f"'{match[0]}' where case is ignored", r"write '\p{Alpha}' or '\p{L}'")
        self.at = match.end()
        return complement(found) if match[1] == "P" else found
