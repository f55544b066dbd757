"""Finds rows by words in their names, the best first: the database filters, ranks and limits them."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Length

from srm_service.fleet.search.hits import BEGINS, CONTAINS, EXACT, words_of


def found_rows(rows: QuerySet[Any], columns: Sequence[str], text: str, limit: int) -> QuerySet[Any]:
    """Return the first rows whose columns contain each word, by `rank_of`, then the shortest of the first column."""
    words = words_of(text)
    whole = " ".join(words)
    for word in words:
        rows = rows.filter(_any(columns, "icontains", word))
    each_exact = Q()
    for word in words:
        each_exact &= _any(columns, "iexact", word)
    rank = Case(
        When(_any(columns, "iexact", whole) | each_exact, then=Value(EXACT)),
        When(_any(columns, "istartswith", whole), then=Value(BEGINS)),
        default=Value(CONTAINS),
        output_field=IntegerField(),
    )
    ordered: QuerySet[Any] = rows.alias(rank=rank).order_by("rank", Length(columns[0]), *columns, "pk")
    return ordered[:limit]


def _any(columns: Iterable[str], lookup: str, text: str) -> Q:
    condition = Q()
    for column in columns:
        condition |= Q(**{f"{column}__{lookup}": text})
    return condition
