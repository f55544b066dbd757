"""Cursor pagination of in-memory lists; the opaque cursor encodes the last key of a page."""

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from rest_framework.exceptions import ValidationError

MAX_PAGE = 1_000
DEFAULT_PAGE = 200
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page, and the cursor of the next one (None at the end)."""

    items: tuple[T, ...]
    next_cursor: str | None


def page_of(items: Sequence[T], *, key: Callable[[T], str], cursor: str, limit: int) -> Page[T]:
    """Return the page after `cursor` of items sorted by `key`; cursors survive changes of the list."""
    after = key_of(cursor)
    rest = [item for item in items if not after or key(item) > after]
    page = tuple(rest[:limit])
    more = len(rest) > limit
    return Page(page, cursor_of(key(page[-1])) if more else None)


def cursor_of(key: str) -> str:
    """Return the opaque cursor of a sort key."""
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def key_of(cursor: str) -> str:
    """Return the sort key of a cursor; empty for an empty one. Raises ValidationError."""
    if not cursor:
        return ""
    try:
        return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError) as error:
        raise ValidationError({"cursor": "not a cursor of this list: repeat the request without it"}) from error


def number_of(cursor: str) -> int | None:
    """Return the sort key of a cursor whose keys are numbers; None for an empty one. Raises ValidationError."""
    key = key_of(cursor)
    if key and not (key.isascii() and key.isdigit() and len(key) < 19):
        raise ValidationError({"cursor": "not a cursor of this list: repeat the request without it"})
    return int(key) if key else None
