"""Dataclasses as JSON and back, so that a shape between two processes is declared once, by its dataclass.

Fields may be texts, numbers, booleans, Literals, dataclasses, tuples of one type, dictionaries by text, and None.
"""

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from replication.domain.desired.json_reader import FieldError

Shape = TypeVar("Shape")


def to_plain(value: Any) -> Any:
    """Return dataclasses as dictionaries and tuples as lists, as `json.dumps` takes them."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: to_plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(inner) for key, inner in value.items()}
    return [to_plain(inner) for inner in value] if isinstance(value, tuple | list) else value


def from_plain(shape: type[Shape], value: object, path: str = "") -> Shape:
    """Return the dataclass. Unknown fields are ignored. Raises FieldError, which names the field that is wrong."""
    if not isinstance(value, dict):
        raise FieldError(path or "document", f"expected an object, got {type(value).__name__}")
    hints = _hints(cast("Any", shape))
    found = {
        each.name: _read(hints[each.name], value[each.name], _below(path, each.name))
        for each in fields(cast("Any", shape))
        if each.name in value or _is_missed(each, path)
    }
    return shape(**found)


def _is_missed(each: "Field[Any]", path: str) -> bool:
    if each.default is MISSING and each.default_factory is MISSING:
        raise FieldError(_below(path, each.name), "is missing")
    return False


@cache
def _hints(shape: type) -> dict[str, Any]:
    return get_type_hints(cast("Any", shape))


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _read(hint: Any, value: object, path: str) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if value is None:
            return None
        (hint,) = (each for each in inner if each is not types.NoneType)
        return _read(hint, value, path)
    if origin is Literal:
        return _one_of(inner, value, path)
    if origin is tuple:
        items = _instance(list, value, path)
        return tuple(_read(inner[0], each, f"{path}[{at}]") for at, each in enumerate(items))
    if origin is dict:
        members = _instance(dict, value, path)
        return {str(key): _read(inner[1], each, _below(path, str(key))) for key, each in members.items()}
    return from_plain(cast("Any", hint), value, path) if is_dataclass(hint) else _instance(hint, value, path)


def _one_of(words: tuple[object, ...], value: object, path: str) -> object:
    if value not in words:
        raise FieldError(path, f"expected one of {', '.join(map(str, words))}, got {value!r}")
    return value


def _instance(kind: type, value: object, path: str) -> Any:
    is_right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not is_right:
        raise FieldError(path, f"expected {kind.__name__}, got {type(value).__name__}")
    return value
