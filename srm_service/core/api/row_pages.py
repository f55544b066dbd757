"""Pages of database tables, read by the columns of their order and the primary key."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

from django.core.exceptions import ValidationError as ModelValidationError
from django.db.models import F, Model, Q, QuerySet
from django.db.models.functions import Left

from srm_service.core.api.pagination import SORTED_CHARACTERS, Page, decode_cursor, encode_cursor, garbage_cursor
from srm_service.core.api.requests import Values

M = TypeVar("M", bound=Model)
_LARGEST_KEY = 2**63 - 1


def rows_page(rows: QuerySet[M], query: Values, *, orderings: Mapping[str, str], default: str) -> Page[M]:
    """Return the page of a validated `PageQuery`; `orderings` names columns, `default` one of these, maybe with `-`.

    Rows without a value are last. Raises ValidationError for a cursor of another list or order.
    """
    ordering: str = query.get("ordering") or default
    column, descending = orderings[ordering.lstrip("-")], ordering.startswith("-")
    in_order = F(column).desc(nulls_last=True) if descending else F(column).asc(nulls_last=True)
    wanted = rows.order_by(in_order, "pk")
    if query["cursor"]:
        wanted = wanted.filter(_after(query["cursor"], ordering, column, descending=descending))
    try:
        found = list(wanted[: query["limit"] + 1])
    except (ValueError, TypeError, ModelValidationError) as error:
        raise garbage_cursor() from error
    page = tuple(found[: query["limit"]])
    more = len(found) > query["limit"]
    return Page(page, encode_cursor(ordering, _plain(page[-1], column), str(page[-1].pk)) if more else None)


def with_start(rows: QuerySet[M], column: str) -> QuerySet[M]:
    """Return the rows with the start of a long text, which sorts them, as the column `<column>_start`."""
    found: QuerySet[M] = rows.annotate(**{f"{column}_start": Left(column, SORTED_CHARACTERS)})
    return found


def id_in_cursor(cursor: str, ordering: str) -> int | None:
    """Return the primary key in a cursor of rows in its order; None without a cursor. Raises ValidationError."""
    return _key(decode_cursor(cursor, ordering)[1]) if cursor else None


def _key(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) > _LARGEST_KEY:
        raise garbage_cursor()
    return int(text)


def _after(cursor: str, ordering: str, column: str, *, descending: bool) -> Q:
    value, text = decode_cursor(cursor, ordering)
    later = Q(pk__gt=_key(text))
    if value is None:
        return Q(**{f"{column}__isnull": True}) & later
    beyond = Q(**{f"{column}__{'lt' if descending else 'gt'}": value})
    try:
        return beyond | Q(**{column: value}) & later | Q(**{f"{column}__isnull": True})
    except (ValueError, TypeError, ModelValidationError) as error:
        raise garbage_cursor() from error


def _plain(row: Model, column: str) -> Any:
    value: Any = row
    for name in column.split("__"):
        value = None if value is None else getattr(value, name)
    return value.isoformat() if isinstance(value, datetime) else value
