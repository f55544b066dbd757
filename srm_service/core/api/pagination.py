"""Pages of in-memory lists, in an order that the client chooses; the cursor holds the place of the last item."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import total_ordering
from typing import Any, ClassVar, Generic, TypeVar

from rest_framework import serializers

from srm_service.core.api.requests import StrictSerializer, Values

MAX_PAGE = 1_000
DEFAULT_PAGE = 200
SORTED_CHARACTERS = 64  # of a long text: a cursor holds what it is sorted by
T = TypeVar("T")
SortValue = str | int | float | None
SortKey = Callable[[Any], SortValue]
_Place = tuple[bool, Any, str]


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page, and the cursor of the next one (None at the end)."""

    items: tuple[T, ...]
    next_cursor: str | None


class PageQuery(StrictSerializer):
    """A page of a list. `orderings` are the sort keys or columns of the list by name; without any it has one order."""

    orderings: ClassVar[Mapping[str, Any]] = {}

    cursor = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=1_000, help_text="`next_cursor` of the last page"
    )
    limit = serializers.IntegerField(required=False, default=DEFAULT_PAGE, min_value=1, max_value=MAX_PAGE)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        names = [f"{sign}{name}" for name in self.orderings for sign in ("", "-")]
        ordering = serializers.ChoiceField(
            required=False,
            choices=[(name, name) for name in names],
            help_text="ascending, or descending with `-`; unknown values are last",
        )
        return {**super().get_fields(), **({"ordering": ordering} if names else {})}


def page_of(
    items: Sequence[T],
    query: Values,
    *,
    key: Callable[[T], str],
    orderings: Mapping[str, SortKey],
    default: str = "",
) -> Page[T]:
    """Return the page of a validated `PageQuery`; `key` identifies an item and is the order if `default` is empty.

    Cursors survive changes of the list. Raises ValidationError for a cursor of another list or order.
    """
    ordering: str = query.get("ordering") or default
    value_of = orderings[ordering.lstrip("-")] if ordering else _no_value

    def place(item: T) -> _Place:
        return place_of(value_of(item), key(item), descending=ordering.startswith("-"))

    rest = sorted(items, key=place)
    if query["cursor"]:
        value, last_key = decode_cursor(query["cursor"], ordering)
        after = place_of(value, last_key, descending=ordering.startswith("-"))
        rest = _after(rest, place, after)
    page = tuple(rest[: query["limit"]])
    is_last = len(rest) <= query["limit"]
    return Page(page, None if is_last else encode_cursor(ordering, value_of(page[-1]), key(page[-1])))


@total_ordering
class _Reversed:
    """A value that sorts the other way round."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reversed) and bool(self._value == other._value)

    def __lt__(self, other: "_Reversed") -> bool:
        return bool(other._value < self._value)

    __hash__ = None  # type: ignore[assignment]  # is compared only


def sorted_text(text: str | None) -> str | None:
    """Return the part of a long text by which a list is sorted."""
    return None if text is None else text[:SORTED_CHARACTERS]


def _no_value(item: Any) -> SortValue:
    return None


def place_of(value: SortValue, key: str, *, descending: bool) -> _Place:
    """Return what sorts an item of this value and key; those without a value are last."""
    if value is None:
        return True, 0, key
    return False, _Reversed(value) if descending else value, key


def _after(items: Sequence[T], place: Callable[[T], _Place], after: _Place) -> list[T]:
    try:
        return [item for item in items if place(item) > after]
    except TypeError as error:
        raise garbage_cursor() from error


def encode_cursor(ordering: str, value: SortValue, key: str) -> str:
    """Return the cursor after an item of this value and key."""
    text = json.dumps([ordering, value, key], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(cursor: str, ordering: str) -> tuple[SortValue, str]:
    """Return the value and key in a cursor. Raises ValidationError if it is of another order, or garbage."""
    try:
        content = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError) as error:
        raise garbage_cursor() from error
    match content:
        case [str(order), None | str() | int() | float(), str(key)] if order == ordering:
            return content[1], key
    raise garbage_cursor()


def garbage_cursor() -> serializers.ValidationError:
    """Return the error of a cursor that this list did not give."""
    return serializers.ValidationError(
        {"cursor": "it is no cursor of this list in this order: repeat the request without it"}
    )
