"""Lists of orders for topics and partitions that are in force: stops and throttles."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TypeVar

from rest_framework.response import Response

from srm_service.core.api.lists import list_response
from srm_service.core.api.pagination import SortKey, page_of
from srm_service.core.api.requests import Values
from srm_service.core.clock import now_ms
from srm_service.flows.contracts import StopDto, ThrottleDto

_Order = TypeVar("_Order", StopDto, ThrottleDto)


def in_force_response(found: Iterable[_Order], query: Values, orderings: Mapping[str, SortKey]) -> Response:
    """Return a page of those that have not ended, by topic and partition unless the query orders them."""
    at_ms = now_ms()
    in_force = [each for each in found if each.until_ms is None or each.until_ms > at_ms]
    page = page_of(in_force, query, key=_key, orderings=orderings)
    return list_response(page, asdict, as_of_ms=at_ms)


def _key(order: _Order) -> str:
    """The sort key: the whole topic before its partitions."""
    return f"{order.topic}\0{'' if order.partition is None else f'{order.partition:010}'}"
