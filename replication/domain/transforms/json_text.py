"""JSON in and out without changing what it does not understand: decimal numbers keep every digit.

Python's own writer would turn 12345678901234567.89 into 1.2345678901234568e+16.
"""

import json
from typing import Any


class Digits(str):
    """A number as it was written."""

    __slots__ = ()


DEEPEST = 100  # objects and arrays inside one another


class UnsafeJsonError(ValueError):
    """JSON that other readers may understand differently, or that costs too much to read; completes "its value"."""


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(members)
    if len(made) != len(members):
        raise UnsafeJsonError("has an object with a name twice")
    return made


_quoted = json.encoder.encode_basestring  # in C; letters beyond ASCII stay as they are
_WORDS = {None: "null", True: "true", False: "false"}
_DECODER = json.JSONDecoder(parse_float=Digits, parse_int=Digits, parse_constant=Digits, object_pairs_hook=_object)


def read(text: bytes) -> Any:
    """Raises UnsafeJsonError, and another ValueError when the bytes are no JSON in UTF-8."""
    tree = _DECODER.decode(text.decode())
    if text.count(b"[") + text.count(b"{") > DEEPEST:
        _check_depth(tree)
    return tree


def _check_depth(tree: Any) -> None:
    level, depth = [tree], 0
    while level := [value for value in level if isinstance(value, (dict, list))]:
        depth += 1
        if depth > DEEPEST:
            raise UnsafeJsonError(f"has more than {DEEPEST} objects and arrays inside one another")
        level = [member for value in level for member in (value.values() if isinstance(value, dict) else value)]


def write(value: Any) -> bytes:
    """Compact, members in the order they came in."""
    return _text(value).encode()


def _text(value: Any) -> str:
    kind = type(value)
    if kind is str:
        return _quoted(value)
    if kind is Digits:
        return str.__str__(value)
    if kind is dict:
        return "{" + ",".join([f"{_quoted(name)}:{_text(member)}" for name, member in value.items()]) + "}"
    if kind is list:
        return "[" + ",".join(map(_text, value)) + "]"
    return _WORDS[value]
