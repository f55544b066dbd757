"""Cursors of lists whose place is a number: the id of a row, or the number of rows before a page."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.response import Response

from srm_service.core.clock import now_ms


def cursor_of(number: int) -> str:
    """Return the opaque cursor of a number."""
    return base64.urlsafe_b64encode(str(number).encode()).decode().rstrip("=")


def number_of(cursor: str) -> int | None:
    """Return the number in a cursor; None for an empty one. Raises ValidationError."""
    if not cursor:
        return None
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError) as error:
        raise _garbage() from error
    if not (text.isdigit() and len(text) < 19):
        raise _garbage()
    return int(text)


def counted_page(rows: Sequence[Any], query: Mapping[str, Any]) -> Response:
    """Return the answer with a page of dataclasses in their order."""
    first, limit = number_of(query["cursor"]) or 0, query["limit"]
    following = first + limit
    return list_answer(rows[first:following], cursor_of(following) if following < len(rows) else None)


def list_answer(rows: Sequence[Any], next_cursor: str | None) -> Response:
    """Return the answer with these dataclasses as a page."""
    items = [asdict(row) for row in rows]
    return Response({"items": items, "next_cursor": next_cursor, "as_of_ms": now_ms(), "partial": []})


def _garbage() -> ValidationError:
    return ValidationError({"cursor": "not a cursor of this list: repeat the request without it"})
