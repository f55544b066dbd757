"""Sets of characters as sorted ranges of code points, and their spelling in RE2."""

from collections.abc import Iterable

LAST = 0x10FFFF
_CASE_DISTANCE = ord("a") - ord("A")
Ranges = tuple[tuple[int, int], ...]


def ranges_of(pairs: Iterable[tuple[int, int]]) -> Ranges:
    """Return the ranges in order, overlapping and adjacent ones joined."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(pairs):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    return tuple(joined)


def characters(text: str) -> Ranges:
    """Return the set of these characters."""
    return ranges_of((ord(character), ord(character)) for character in text)


def complement(ranges: Ranges) -> Ranges:
    """Return every character that is not in the set."""
    gaps, begin = [], 0
    for first, last in ranges:
        if begin < first:
            gaps.append((begin, first - 1))
        begin = last + 1
    if begin <= LAST:
        gaps.append((begin, LAST))
    return tuple(gaps)


def intersection(one: Ranges, other: Ranges) -> Ranges:
    """Return the characters in both sets."""
    return complement(ranges_of((*complement(one), *complement(other))))


def in_either_case(ranges: Ranges) -> Ranges:
    """Return the set with both cases of each ASCII letter in it, as Java's CASE_INSENSITIVE alone has it."""
    lower = intersection(ranges, ((ord("a"), ord("z")),))
    upper = intersection(ranges, ((ord("A"), ord("Z")),))
    raised = ((first - _CASE_DISTANCE, last - _CASE_DISTANCE) for first, last in lower)
    lowered = ((first + _CASE_DISTANCE, last + _CASE_DISTANCE) for first, last in upper)
    return ranges_of((*ranges, *raised, *lowered))


def spelled(ranges: Ranges) -> str:
    """Return an RE2 expression that matches one character of the set."""
    if not ranges:
        return rf"[^\x{{0}}-\x{{{LAST:x}}}]"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _character(ranges[0][0])
    return f"[{''.join(_character(first) + '-' + _character(last) for first, last in ranges)}]"


def _character(code_point: int) -> str:
    character = chr(code_point)
    return character if character.isascii() and character.isalnum() else rf"\x{{{code_point:x}}}"
