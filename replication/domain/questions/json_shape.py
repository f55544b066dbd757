"""Dataclasses as JSON and back, so that a shape between two processes is declared once, by its dataclass.

Fields may be texts, numbers, booleans, Literals, dataclasses, tuples of one type, dictionaries by text, and None.
Readers are built once per shape: a summary of groups has 10,000 of one shape.
"""

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from replication.domain.desired.json_reader import FieldError

Shape = TypeVar("Shape")
_Reader = Callable[[object], Any]  # raises FieldError with a path below the value
_SCALARS = frozenset({str, int, float, bool, types.NoneType})


def to_plain(value: Any) -> Any:
    """Return dataclasses as dictionaries and tuples as lists, as `json.dumps` takes them."""
    if type(value) in _SCALARS:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {name: to_plain(getattr(value, name)) for name in _names(type(value))}
    if isinstance(value, Mapping):
        return {str(key): to_plain(inner) for key, inner in value.items()}
    return [to_plain(inner) for inner in value] if isinstance(value, tuple | list) else value


def from_plain(shape: type[Shape], value: object, path: str = "") -> Shape:
    """Return the dataclass. Unknown fields are ignored. Raises FieldError, which names the field that is wrong."""
    try:
        return cast("Shape", _dataclass_reader(cast("Any", shape))(value))
    except FieldError as error:
        raise FieldError(_below(path, error.path) or "document", error.problem) from error


@cache
def _names(shape: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(shape))


@cache
def _dataclass_reader(shape: Any) -> _Reader:
    hints = get_type_hints(shape)
    members = tuple((each.name, _has_default(each), _reader(hints[each.name])) for each in fields(shape))

    def read(value: object) -> Any:
        if not isinstance(value, dict):
            raise FieldError("", f"expected an object, got {type(value).__name__}")
        found = {}
        for name, has_default, reader in members:
            if name in value:
                try:
                    found[name] = reader(value[name])
                except FieldError as error:
                    raise FieldError(_below(name, error.path), error.problem) from error
            elif not has_default:
                raise FieldError(name, "is missing")
        return shape(**found)

    return read


def _has_default(each: "Field[Any]") -> bool:
    return each.default is not MISSING or each.default_factory is not MISSING


def _below(path: str, name: str) -> str:
    return f"{path}{name if name.startswith('[') else f'.{name}'}" if path and name else path or name


def _reader(hint: Any) -> _Reader:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        (known,) = (each for each in inner if each is not types.NoneType)
        return _or_none(_reader(known))
    if origin is Literal:
        return _one_of(inner)
    if origin is tuple:
        return _items(_reader(inner[0]))
    if origin is dict:
        return _members(_reader(inner[1]))
    return _dataclass_reader(cast("Any", hint)) if is_dataclass(hint) else _instance(hint)


def _or_none(reader: _Reader) -> _Reader:
    return lambda value: None if value is None else reader(value)


def _one_of(words: tuple[object, ...]) -> _Reader:
    def read(value: object) -> object:
        if value not in words:
            raise FieldError("", f"expected one of {', '.join(map(str, words))}, got {value!r}")
        return value

    return read


def _items(reader: _Reader) -> _Reader:
    of_list = _instance(list)

    def read(value: object) -> tuple[Any, ...]:
        found = []
        for at, each in enumerate(of_list(value)):
            try:
                found.append(reader(each))
            except FieldError as error:
                raise FieldError(_below(f"[{at}]", error.path), error.problem) from error
        return tuple(found)

    return read


def _members(reader: _Reader) -> _Reader:
    of_dict = _instance(dict)

    def read(value: object) -> dict[str, Any]:
        found = {}
        for key, each in of_dict(value).items():
            try:
                found[str(key)] = reader(each)
            except FieldError as error:
                raise FieldError(_below(str(key), error.path), error.problem) from error
        return found

    return read


def _instance(kind: type) -> _Reader:
    def read(value: object) -> Any:
        if type(value) is not kind and not (isinstance(value, kind) and not isinstance(value, bool)):
            raise FieldError("", f"expected {kind.__name__}, got {type(value).__name__}")
        return value

    return read
