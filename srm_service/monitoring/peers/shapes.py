"""Dataclasses from the JSON of another service: every value is checked, unknown fields are ignored.

A field that an older service does not send has its default. A value of another type makes the whole object unusable.
"""

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

LONGEST_TEXT = 5_000
_MOST_ITEMS = 1_000


class WrongShapeError(ValueError):
    """The JSON is not what another service sends; the text names the field."""


def decoded(shape: Any, value: Any, path: str = "") -> Any:
    """Return a value of this type. Raises WrongShapeError."""
    origin = get_origin(shape)
    if origin is Annotated:
        return decoded(get_args(shape)[0], value, path)
    if origin in (Union, types.UnionType):
        (inner,) = (each for each in get_args(shape) if each is not types.NoneType)
        return None if value is None else decoded(inner, value, path)
    if origin is Literal:
        if value in get_args(shape):
            return value
        raise WrongShapeError(f"{path}: unknown word {str(value)[:50]!r}")
    if origin is tuple:
        if isinstance(value, list) and len(value) <= _MOST_ITEMS:
            return tuple(decoded(get_args(shape)[0], item, path) for item in value)
        raise WrongShapeError(f"{path}: not a list")
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(get_args(shape)[1], value, path)
    return _object(shape, value, path) if is_dataclass(shape) else _plain(shape, value, path)


def _object(shape: Any, value: Any, path: str) -> Any:
    if not isinstance(value, Mapping):
        raise WrongShapeError(f"{path or shape.__name__}: not an object")
    found = {}
    for name, hint, is_required in _fields(shape):
        if name in value:
            found[name] = decoded(hint, value[name], f"{path}.{name}".strip("."))
        elif is_required:
            raise WrongShapeError(f"{path}.{name}".strip(".") + ": is missing")
    return shape(**found)


def _mapping(shape: Any, value: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, Mapping) or len(value) > _MOST_ITEMS:
        raise WrongShapeError(f"{path}: not an object")
    return {str(key)[:LONGEST_TEXT]: decoded(shape, item, path) for key, item in value.items()}


def _plain(shape: Any, value: Any, path: str) -> Any:
    if shape is float and type(value) is int:
        return float(value)
    if type(value) is not shape or (shape is str and len(value) > LONGEST_TEXT):
        raise WrongShapeError(f"{path}: not {shape.__name__}")
    return value


@cache
def _fields(shape: Any) -> tuple[tuple[str, Any, bool], ...]:
    hints = get_type_hints(shape, include_extras=True)
    return tuple(
        (each.name, hints[each.name], each.default is MISSING and each.default_factory is MISSING)
        for each in fields(shape)
    )
