"""JSON in and out without changing what it does not understand: decimal numbers keep every digit.

Python's own writer would turn 12345678901234567.89 into 1.2345678901234568e+16.
"""

import json
from typing import Any


class Digits(str):
    """A number as it was written."""

    __slots__ = ()


_quoted = json.encoder.encode_basestring  # in C; letters beyond ASCII stay as they are
_WORDS = {None: "null", True: "true", False: "false"}
_DECODER = json.JSONDecoder(parse_float=Digits, parse_int=Digits, parse_constant=Digits)


def read(text: bytes) -> Any:
    """Raises ValueError when the bytes are no JSON in UTF-8."""
    return _DECODER.decode(text.decode())


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
