"""Reads a character class in brackets as a set of characters.

Java 8 and later versions disagree on a negated class that holds other classes; such classes are refused.
"""

from replication.domain.patterns.character_set import Ranges, complement, in_either_case, intersection, ranges_of
from replication.domain.patterns.pattern_text import PatternText
from replication.domain.patterns.properties import class_of_letter

DEEPEST = 20  # classes inside classes


def read_class(text: PatternText, *, ignores_case: bool, depth: int = 0) -> Ranges:
    """Read from the opening bracket on. Raises InvalidPatternError."""
    if depth > DEEPEST:
        raise text.refuse("too many character classes inside one another", "write one class")
    text.take()
    is_negated = text.looks_at("^")
    if is_negated:
        text.take()
    if text.looks_at("]"):
        raise text.refuse("a ']' right after '['", r"write '\]'")
    found, is_composed = _read_items(text, ignores_case, depth)
    while text.looks_at("&&"):
        text.take(2)
        found = intersection(found, _right_side(text, ignores_case, depth))
        is_composed = True
    text.take()
    if is_negated and is_composed:
        raise text.refuse("a negated character class with others in it", "write one class without '^' or '&&'")
    return complement(found) if is_negated else found


def _right_side(text: PatternText, ignores_case: bool, depth: int) -> Ranges:
    """Read what follows `&&`: either one class in brackets or characters."""
    if text.looks_at("["):
        found, is_composed = read_class(text, ignores_case=ignores_case, depth=depth + 1), False
    else:
        found, is_composed = _read_items(text, ignores_case, depth)
    if is_composed or not (text.looks_at("]") or text.looks_at("&&")):
        raise text.refuse("an intersection '&&' with several classes on one side", "write one class on each side")
    return found


def _read_items(text: PatternText, ignores_case: bool, depth: int) -> tuple[Ranges, bool]:
    """Read up to the end of the class or of one side of `&&`; return the set, and whether classes are in it."""
    found: list[tuple[int, int]] = []
    has_classes, count = False, 0
    while True:
        is_quoted = text.is_quoted()
        if text.is_at_end:
            raise text.invalid("a '[' has no ']'")
        if not is_quoted and (text.looks_at("]") or text.looks_at("&&")):
            if count == 0:
                raise text.invalid("one side of '&&' is empty")
            break
        count += 1
        if not is_quoted and text.looks_at("["):
            has_classes = True
            found.extend(read_class(text, ignores_case=ignores_case, depth=depth + 1))
        else:
            found.extend(_item(text, is_quoted, ignores_case))
    return (in_either_case(ranges_of(found)) if ignores_case else ranges_of(found)), has_classes


def _item(text: PatternText, is_quoted: bool, ignores_case: bool) -> Ranges:
    """Read a character, a range, or a class that an escape names."""
    if not is_quoted and text.looks_at("\\"):
        named = class_of_letter(text.peek(1))
        if named is not None:
            text.take(2)
            return named
        if text.peek(1) in ("p", "P"):
            return text.property(ignores_case=ignores_case)
    first = _character(text, is_quoted)
    if is_quoted or not text.looks_at("-") or text.peek(1) in ("]", ""):
        return ((first, first),)
    if text.peek(1) == "[" or text.looks_at("-&&") or text.looks_at("-\\Q"):
        raise text.refuse("a '-' before a part of a character class", r"write '\-'")
    text.take()
    last = _character(text, False)
    if last < first:
        raise text.invalid(f"the range from {chr(first)!r} to {chr(last)!r} is in the wrong order")
    return ((first, last),)


def _character(text: PatternText, is_quoted: bool) -> int:
    if is_quoted or not text.looks_at("\\"):
        return ord(text.take())
    found = text.escaped_character()
    if found is None:
        raise text.refuse(f"the escape '\\{text.peek(1)}' in a character class", "list its characters")
    return found
