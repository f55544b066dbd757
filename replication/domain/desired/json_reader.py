"""Typed reading of JSON objects that another process wrote: every complaint names the path of the field."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar, cast

T = TypeVar("T")
Chosen = TypeVar("Chosen", bound=str)


class FieldError(ValueError):
    """A field is missing or has the wrong shape; `path` says which, `problem` what was expected."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


class JsonReader:
    """One JSON object. Each getter takes the value for an absent field; without one, absence is an error.

    Unknown fields are ignored, so that a newer writer can be read.
    """

    def __init__(self, value: object, path: str = "") -> None:
        if not isinstance(value, dict):
            raise FieldError(path or "document", f"expected an object, got {type(value).__name__}")
        self._fields = cast("Mapping[str, object]", value)
        self._path = path

    def path(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name

    def raw(self, name: str) -> object:
        return self._fields.get(name)

    def text(self, name: str, default: str | None = None) -> str:
        return self._get(name, str, "a text", default)

    def text_or_none(self, name: str) -> str | None:
        return None if self.raw(name) is None else self.text(name)

    def integer(self, name: str, default: int | None = None, *, least: int | None = None) -> int:
        value = self._get(name, int, "a whole number", default)
        if least is not None and value < least:
            raise FieldError(self.path(name), f"expected at least {least}, got {value}")
        return value

    def integer_or_none(self, name: str) -> int | None:
        return None if self.raw(name) is None else self.integer(name)

    def boolean(self, name: str, default: bool | None = None) -> bool:
        return self._get(name, bool, "true or false", default)

    def choice(self, name: str, allowed: tuple[Chosen, ...], default: Chosen | None = None) -> Chosen:
        value = self._get(name, str, f"one of {', '.join(allowed)}", default)
        found = next((known for known in allowed if known == value), None)
        if found is None:
            raise FieldError(self.path(name), f"expected one of {', '.join(allowed)}, got {value!r}")
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; empty when absent."""
        return self.each(name, _text_item)

    def text_map(self, name: str) -> dict[str, str]:
        """An object whose values are texts; empty when absent."""
        if self.raw(name) is None:
            return {}
        fields = self.nested(name)
        return {key: fields.text(key) for key in fields._fields}

    def nested(self, name: str) -> "JsonReader":
        return JsonReader(self.raw(name), self.path(name))

    def nested_or_none(self, name: str) -> "JsonReader | None":
        return None if self.raw(name) is None else self.nested(name)

    def members(self) -> Iterator[tuple[str, object]]:
        yield from self._fields.items()

    def items(self, name: str) -> list[object]:
        """The members of a list, unread; empty when absent."""
        value = self.raw(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise FieldError(self.path(name), f"expected a list, got {type(value).__name__}")
        return value

    def each(self, name: str, read: Callable[[object, str], T]) -> tuple[T, ...]:
        return tuple(read(item, f"{self.path(name)}[{at}]") for at, item in enumerate(self.items(name)))

    def _get(self, name: str, kind: type[T], expected: str, default: T | None) -> T:
        value = self._fields.get(name, default)
        wrong_bool = isinstance(value, bool) and kind is not bool
        if not isinstance(value, kind) or wrong_bool:
            raise FieldError(self.path(name), f"expected {expected}, got {_shown(value)}")
        return value


def _text_item(item: object, path: str) -> str:
    if not isinstance(item, str):
        raise FieldError(path, f"expected a text, got {_shown(item)}")
    return item


def _shown(value: object) -> str:
    return "nothing" if value is None else type(value).__name__
