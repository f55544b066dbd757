"""The shape of every list."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any, ClassVar, TypeVar

from rest_framework import serializers
from rest_framework.response import Response

from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.pagination import Page
from srm_service.core.clock import now_ms
from srm_service.core.contracts import Partial

T = TypeVar("T")


class PartialSerializer(DataclassSerializer):
    """A part that could not answer; the rest is shown nevertheless."""

    shape = Partial


class PagedSerializer(serializers.Serializer[Any]):
    """An answer whose field `rows` is a list in pages; as CSV it is a table of these."""

    rows: ClassVar[str] = "items"

    next_cursor = serializers.CharField(allow_null=True)
    as_of_ms = serializers.IntegerField()


class ListSerializer(PagedSerializer):
    """The fields of every list besides its `items`."""

    partial = PartialSerializer(many=True)  # type: ignore[assignment]  # a field that hides one of the base class


def list_response(
    page: Page[T],
    answer: Callable[[T], dict[str, Any]],
    *,
    as_of_ms: int | None = None,
    partial: Iterable[Partial] = (),
    status: int = 200,
    more: Mapping[str, Any] | None = None,
) -> Response:
    """Return the answer of a list: its page, the parts that did not answer, and `more` fields of this list."""
    body = {
        "items": [answer(item) for item in page.items],
        "next_cursor": page.next_cursor,
        "as_of_ms": now_ms() if as_of_ms is None else as_of_ms,
        "partial": [asdict(part) for part in partial],
        **(more or {}),
    }
    return Response(body, status=status)
