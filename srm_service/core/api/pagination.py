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
    after = _decode(cursor)
    rest = [item for item in items if not after or key(item) > after]
    page = tuple(rest[:limit])
    more = len(rest) > limit
    return Page(page, _encode(key(page[-1])) if more else None)


def _encode(key: str) -> str:
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def _decode(cursor: str) -> str:
    if not cursor:
        return ""
    try:
        return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError) as error:
        raise ValidationError({"cursor": "not a cursor of this list: repeat the request without it"}) from error
