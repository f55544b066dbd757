"""REST resources of the orders for topics and partitions that are in force: stops and throttles."""

from collections.abc import Mapping
from dataclasses import asdict
from operator import attrgetter
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.api.derived_fields import AnyField, DataclassSerializer
from srm_service.core.api.lists import ListSerializer, list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import PageQuery, SortKey, page_of
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import now_ms
from srm_service.flows.api.known_flow import known_flow
from srm_service.flows.contracts import HoldDto, StopDto, ThrottleDto
from srm_service.flows.control.topic_rows import STOPS, THROTTLES, OrderKind, topic_order_list


def in_force_response(kind: OrderKind[Any], source: str, target: str, query: Values) -> Response:
    """Return a page of the orders that have not ended, by topic and partition unless the query orders them.

    Raises NotFound if the flow is not known.
    """
    known_flow(source, target)
    at_ms = now_ms()
    found = topic_order_list(kind, source, target)
    part = query["q"].lower()
    in_force = [
        each for each in found if (each.until_ms is None or each.until_ms > at_ms) and part in each.topic.lower()
    ]
    page = page_of(in_force, query, key=_key, orderings=orderings_of(kind))
    return list_response(page, asdict, as_of_ms=at_ms, more={"topics": len({each.topic for each in in_force})})


def orderings_of(kind: OrderKind[Any]) -> Mapping[str, SortKey]:
    """Return the orders of the list."""
    return {name: attrgetter(name) for name in ("topic", *kind.values, "until_ms", "since_ms", kind.by)}


def _key(order: HoldDto | StopDto | ThrottleDto) -> str:
    """The sort key: the whole topic before its partitions."""
    return f"{order.topic}\0{'' if order.partition is None else f'{order.partition:010}'}"


class TopicOrderQuery(PageQuery):
    """A filter of the orders of topics."""

    q = serializers.CharField(required=False, default="", max_length=249, help_text="part of the topic's name")


class TopicOrderListSerializer(ListSerializer):
    """The fields of every list of orders of topics besides its `items`."""

    topics = serializers.IntegerField(help_text="the number of topics on all pages, also of those in part")


def list_shapes(kind: OrderKind[Any], order: AnyField) -> tuple[type[PageQuery], type[ListSerializer]]:
    """Return the query and the answer of the list of a kind; `order` is the field of its orders."""
    name, members = kind.name.capitalize(), {"__module__": __name__}
    doc = f"The {kind.name}s in force, by topic and partition."
    query = type(f"{name}ListQuery", (TopicOrderQuery,), {**members, "orderings": orderings_of(kind)})
    answer = type(f"{name}ListSerializer", (TopicOrderListSerializer,), {**members, "__doc__": doc, "items": order})
    return query, answer


def list_view(kind: OrderKind[Any], order: AnyField, *, summary: str, description: str) -> type[APIView]:
    """Return the resource with the orders of a kind that are in force."""
    wanted, answer = list_shapes(kind, order)

    class OrderListView(APIView):
        required_role: UserRole = "operator"

        @operation(
            f"{kind.name}s_list",
            summary,
            description=description,
            query=wanted,
            responses=answer,
            tags=["replications"],
        )
        def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
            return in_force_response(kind, source, target, query)

    return OrderListView


class StopSerializer(DataclassSerializer):
    """A topic or partition that no task has."""

    shape = StopDto


class TopicThrottleSerializer(DataclassSerializer):
    """A topic or partition with a throttle."""

    shape = ThrottleDto


StopListView = list_view(
    STOPS,
    StopSerializer(many=True),
    summary="Stopped topics and partitions of a flow",
    description="POST .../actions with stop and start changes them.",
)
ThrottleListView = list_view(
    THROTTLES,
    TopicThrottleSerializer(many=True),
    summary="Throttled topics and partitions of a flow",
    description="POST .../actions with throttle and a scope changes them.",
)
