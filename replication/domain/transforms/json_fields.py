"""Transforms of fields in JSON objects: mask, set, drop. A field is named by its path, `customer.card.number`.

A path goes through arrays into each of their objects. An object that has a name twice is refused: readers disagree on
the member that counts, so one of them might see what is hidden.
"""

from collections.abc import Callable, Iterable
from typing import Any

from replication.domain.batches.record import Record
from replication.domain.identifiers import TopicPartition
from replication.domain.transforms import json_text
from replication.domain.transforms.contract import TransformError
from replication.domain.transforms.options import Options

PARTS = ("value", "key")
Change = Callable[[dict[str, Any], str], bool]  # of one member of the object that holds it; False: nothing changed


class JsonFields:
    """Applies a change to fields of the record's value or key. No field, no change: the bytes stay what they were."""

    def __init__(self, part: str, fields: tuple[str, ...], change: Change) -> None:
        self._part = part
        self._paths = [field.split(".") for field in fields]
        self._change = change

    def opened(self, record: Record) -> tuple[bytes | None]:
        return (record.value if self._part == "value" else record.key,)

    def apply(self, upstream: TopicPartition, record: Record) -> Record | None:
        (data,) = self.opened(record)
        if data is None:
            return record  # a tombstone stays one
        try:
            tree = json_text.read(data)
        except json_text.UnsafeJsonError as error:
            raise TransformError(f"its {self._part} {error}") from error
        except (ValueError, RecursionError) as error:
            raise TransformError(f"its {self._part} is no JSON") from error
        if not isinstance(tree, dict):
            raise TransformError(f"its {self._part} is no JSON object")
        changes = [self._apply(tree, path) for path in self._paths]
        if not any(changes):
            return record
        changed = json_text.write(tree)
        return record._replace(value=changed) if self._part == "value" else record._replace(key=changed)

    def _apply(self, tree: dict[str, Any], path: list[str]) -> bool:
        holders = [tree]
        for name in path[:-1]:
            holders = _objects(holder.get(name) for holder in holders)
        return sum(self._change(holder, path[-1]) for holder in holders) > 0


def _objects(values: Iterable[Any]) -> list[dict[str, Any]]:
    """The objects among the values, and in arrays among them."""
    found: list[dict[str, Any]] = []
    left = list(values)
    while left:
        value = left.pop()
        if isinstance(value, dict):
            found.append(value)
        elif isinstance(value, list):
            left.extend(value)
    return found


def mask_field(options: dict[str, str]) -> JsonFields:
    """`fields`, and `replacement`: without it a value is replaced by the empty one of its kind."""
    read = Options(options)
    part, fields, replacement = read.choice("part", PARTS), read.names("fields"), read.text("replacement", "")
    read.done()
    replaces = "replacement" in options

    def mask(holder: dict[str, Any], name: str) -> bool:
        if holder.get(name) is None:
            return False
        holder[name] = replacement if replaces else _empty_like(holder[name])
        return True

    return JsonFields(part, fields, mask)


def set_field(options: dict[str, str]) -> JsonFields:
    """`fields` get the JSON literal `value`; a field that is not there is added."""
    read = Options(options)
    part, fields, text = read.choice("part", PARTS), read.names("fields"), read.text("value")
    read.done()
    try:
        value = json_text.read(text.encode())
    except ValueError as error:
        raise ValueError(f'value must be a JSON literal, such as 7 or "text", not {text!r}') from error

    def put(holder: dict[str, Any], name: str) -> bool:
        holder[name] = value
        return True

    return JsonFields(part, fields, put)


def drop_field(options: dict[str, str]) -> JsonFields:
    """`fields` are removed."""
    read = Options(options)
    part, fields = read.choice("part", PARTS), read.names("fields")
    read.done()
    return JsonFields(part, fields, lambda holder, name: holder.pop(name, _MISSING) is not _MISSING)


_MISSING = object()


def _empty_like(value: Any) -> Any:
    """Equal to what Kafka's MaskField writes for the type."""
    if isinstance(value, json_text.Digits):
        return json_text.Digits("0")
    return type(value)()
