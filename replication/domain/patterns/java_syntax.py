"""Translates Java's regular expressions to RE2's syntax.

A construct without an exact equivalent is refused, never matched differently. Groups do not capture and quantifiers
are greedy: only whether a text matches is of interest. A possessive quantifier of one character or class equals a
greedy one if the pattern ends behind it, or if what follows cannot begin with the same characters.
"""

import re
from typing import NamedTuple

from replication.domain.patterns.character_set import (
    Ranges,
    complement,
    in_either_case,
    intersection,
    ranges_of,
    spelled,
)
from replication.domain.patterns.class_reader import read_class
from replication.domain.patterns.pattern_text import PatternText
from replication.domain.patterns.properties import LINE_TERMINATORS, class_of_letter

MOST_REPEATS = 1_000  # of RE2, for the product of nested ones too
DEEPEST_GROUP = 100
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])")
_GROUP_NAME = re.compile(r"\(\?<([a-zA-Z][a-zA-Z0-9]*)>")
_BRACES = re.compile(r"\{(\d+)(,(\d*))?\}")
_REFUSED_GROUPS = {
    "(?=": ("a look-ahead '(?='", "match the whole text without it"),
    "(?!": ("a negative look-ahead '(?!'", "put what it excludes into a pattern of the exclude list"),
    "(?<=": ("a look-behind '(?<='", "match the whole text without it"),
    "(?<!": ("a negative look-behind '(?<!'", "put what it excludes into a pattern of the exclude list"),
    "(?>": ("an atomic group '(?>'", "write '(?:'"),
}
_REFUSED_FLAGS = {"m": "write \\n where a line begins or ends", "x": "write it without blanks and comments"}
_UNICODE_REMEDY = "list the characters in brackets"
_LINE_END = spelled(LINE_TERMINATORS)


class _Flags(NamedTuple):
    ignores_case: bool = False
    dot_all: bool = False
    unix_lines: bool = False


class JavaTranslation:
    """One pass over a pattern. `finds`: it is searched in a text, instead of matched with all of it."""

    def __init__(self, pattern: str, *, finds: bool) -> None:
        self._text = PatternText(pattern)
        self._finds = finds
        self._flags = _Flags()
        self._out: list[str] = []
        self._groups: list[_Flags] = []  # the flags around each open one
        self._names: set[str] = set()
        self._possessive: Ranges | None = None  # must not begin what follows

    def run(self) -> str:
        """Return the pattern for RE2. Raises InvalidPatternError."""
        text = self._text
        while True:
            is_quoted = text.is_quoted()
            if text.is_at_end:
                break
            self._step(text.peek(), is_quoted)
        if self._groups:
            raise text.invalid("a '(' has no ')'")
        return "".join(self._out)

    def _step(self, character: str, is_quoted: bool) -> None:
        text = self._text
        if is_quoted:
            self._literal(ord(text.take()))
        elif character == "\\":
            self._escape()
        elif character == "[":
            self._add_set(read_class(text, ignores_case=self._flags.ignores_case))
        elif character == "(":
            self._open_group()
        elif character == ")":
            self._close_group()
        elif character == "|":
            self._alternative()
        elif character in "*+?{":
            raise text.invalid(f"there is nothing that {character!r} repeats")
        elif character in "^$":
            text.take()
            self._begin_or_end(character)
        elif character == ".":
            text.take()
            self._add_set(self._dot())
        else:
            self._literal(ord(text.take()))

    def _dot(self) -> Ranges:
        if self._flags.dot_all:
            return complement(())
        return complement(((0x0A, 0x0A),) if self._flags.unix_lines else LINE_TERMINATORS)

    def _literal(self, code_point: int) -> None:
        found: Ranges = ((code_point, code_point),)
        self._add_set(in_either_case(found) if self._flags.ignores_case else found)

    def _add_set(self, found: Ranges) -> None:
        """Add one character out of a set, with its quantifier."""
        if self._possessive is not None and intersection(self._possessive, found):
            raise self._unequal_possessive()
        self._out.append(spelled(found))
        self._quantify(found)

    def _quantify(self, atom: Ranges | None) -> None:
        """Add the quantifier that follows an atom; `atom` is None for a group."""
        text = self._text
        if text.is_quoted() or text.peek() not in ("*", "+", "?", "{"):
            self._possessive = self._possessive if atom is None else None
            return
        least, spelling = self._repeats()
        self._out.append(spelling)
        suffix = text.take() if text.peek() in ("?", "+") else ""
        is_possessive = suffix == "+"
        if is_possessive and atom is None:
            raise text.refuse("a possessive quantifier of a group", "write the quantifier without '+'")
        if atom is None and self._possessive is not None:
            raise self._unequal_possessive()
        before = self._possessive or () if least == 0 else ()
        own = atom or () if is_possessive else ()
        self._possessive = ranges_of((*before, *own)) or None
        if not text.is_quoted() and text.peek() in ("*", "+", "?", "{"):
            raise text.invalid("a quantifier follows a quantifier")

    def _repeats(self) -> tuple[int, str]:
        """Read a quantifier without its suffix; return the least number of repeats, and the spelling."""
        text = self._text
        if text.peek() != "{":
            sign = text.take()
            return (1 if sign == "+" else 0), sign
        match = _BRACES.match(text.pattern, text.at)
        if match is None:
            raise text.invalid("a '{' is no number of repeats")
        least = int(match[1][:9])
        most = least if match[2] is None else int(match[3][:9] or least)
        if most < least:
            raise text.invalid(f"{match[0]} has the larger number first")
        if max(least, most) > MOST_REPEATS:
            raise text.refuse(f"the repetition {match[0]}", f"write at most {MOST_REPEATS:,}, or '*'")
        text.at = match.end()
        return least, match[0]

    def _unequal_possessive(self) -> Exception:
        return self._text.refuse(
            "a possessive quantifier before what it may take itself", "write the quantifier without its last '+'"
        )

    def _open_group(self) -> None:
        text = self._text
        if len(self._groups) >= DEEPEST_GROUP:
            raise text.refuse(f"more than {DEEPEST_GROUP} groups inside one another", "write fewer")
        if self._possessive is not None:
            raise self._unequal_possessive()
        for opening, (construct, remedy) in _REFUSED_GROUPS.items():
            if text.looks_at(opening):
                raise text.refuse(construct, remedy)
        around = self._flags
        if text.looks_at("(?<"):
            self._name_group()
        elif text.looks_at("(?"):
            if not self._set_flags():
                return  # for the rest of the group around it
        else:
            text.take()
        self._groups.append(around)
        self._out.append("(?:")

    def _name_group(self) -> None:
        text = self._text
        match = _GROUP_NAME.match(text.pattern, text.at)
        if match is None or match[1] in self._names:
            raise text.invalid("the name of a group is invalid or used twice")
        self._names.add(match[1])
        text.at = match.end()

    def _set_flags(self) -> bool:
        """Read `(?i)` or the start of `(?i:...)`; True if a group begins."""
        text = self._text
        match = _FLAGS.match(text.pattern, text.at)
        if match is None or set(match[1] + (match[2] or "")) - set("idsmxuU"):
            raise text.invalid(f"there is no group {text.pattern[text.at : text.at + 3]!r} in Java")
        for flag in match[1]:
            if flag in "mxuU":
                raise text.refuse(f"the flag '{flag}'", _REFUSED_FLAGS.get(flag, _UNICODE_REMEDY))
        on, off = match[1], match[2] or ""
        self._flags = _Flags(
            ignores_case=(self._flags.ignores_case or "i" in on) and "i" not in off,
            dot_all=(self._flags.dot_all or "s" in on) and "s" not in off,
            unix_lines=(self._flags.unix_lines or "d" in on) and "d" not in off,
        )
        text.at = match.end()
        return match[3] == ":"

    def _close_group(self) -> None:
        text = self._text
        if not self._groups:
            raise text.invalid("a ')' has no '('")
        text.take()
        self._flags = self._groups.pop()
        self._out.append(")")
        self._quantify(None)

    def _alternative(self) -> None:
        if self._possessive is not None and self._groups:
            raise self._unequal_possessive()
        self._possessive = None
        self._out.append(self._text.take())

    def _begin_or_end(self, sign: str) -> None:
        """Add an anchor. Java's `$` also stands before a last line terminator, which only a search can see."""
        text = self._text
        if sign == "^":
            if self._possessive is not None:
                raise self._unequal_possessive()
            self._out.append(r"\A")
            return
        if sign != "z" and text.peek() not in ("", ")", "|"):
            raise text.refuse("an end of the text before the end of the pattern", "write it last")
        if sign != "z" and self._finds:
            if self._possessive is not None and intersection(self._possessive, LINE_TERMINATORS):
                raise self._unequal_possessive()
            terminator = r"\n" if self._flags.unix_lines else rf"\r\n|{_LINE_END}"
            self._out.append(rf"(?:{terminator})?")
        self._out.append(r"\z")

    def _escape(self) -> None:
        text = self._text
        following = text.peek(1)
        named = class_of_letter(following)
        if named is not None:
            text.take(2)
            self._add_set(named)
        elif following in ("p", "P"):
            self._add_set(text.property(ignores_case=self._flags.ignores_case))
        elif following in ("b", "B"):
            if self._possessive is not None:
                raise self._unequal_possessive()
            self._out.append(text.take(2))
        elif following in ("A", "z", "Z"):
            text.take(2)
            self._begin_or_end("^" if following == "A" else following)
        elif following == "k" or (following.isascii() and following.isdigit() and following != "0"):
            construct = "\\k<" if following == "k" else f"\\{following}"
            raise text.refuse(f"the backreference '{construct}'", "write out the alternatives, separated by '|'")
        elif (code_point := text.escaped_character()) is not None:
            self._literal(code_point)
        else:
            raise text.refuse(f"the escape '\\{following}'", "write the characters it matches")
