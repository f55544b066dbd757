"""REST resources of holds: topics and partitions that are not read."""

from dataclasses import asdict
from datetime import UTC, datetime

from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import page_of
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import now_ms
from srm_service.flows.api.known_flow import known_flow
from srm_service.flows.api.order_serializers import (
    HoldListQuery,
    HoldListSerializer,
    HoldOrderSerializer,
    HoldSerializer,
)
from srm_service.flows.contracts import HoldDto
from srm_service.flows.orders import OrderNotFoundError, hold_release, hold_set
from srm_service.flows.selectors import hold_list
from srm_service.flows.topic_orders import NotCopiedError, check_copied
from srm_service.monitoring.flows.live_state import live_snapshot

_TAGS = ["holds"]


class HoldListView(APIView):
    required_role: UserRole = "operator"

    @operation("holds_list", "Holds of a flow", query=HoldListQuery, responses=HoldListSerializer, tags=_TAGS)
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        known_flow(source, target)
        at_ms = now_ms()
        holds = [hold for hold in hold_list(source, target) if hold.until_ms is None or hold.until_ms > at_ms]
        page = page_of(holds, query, key=_key, orderings=HoldListQuery.orderings)
        return list_response(page, asdict, as_of_ms=at_ms)

    @operation(
        "holds_set",
        "Hold a topic or a partition",
        body=HoldOrderSerializer,
        responses={201: HoldSerializer},
        tags=_TAGS,
        problems={404: "us-east->eu-central does not copy a topic orderz; GET .../topics lists all"},
    )
    def post(self, request: Request, source: str, target: str, *, body: Values) -> Response:
        flow = known_flow(source, target)
        try:
            check_copied(flow, body["topic"], body["partition"], live_snapshot())
        except NotCopiedError as error:
            raise NotFound(str(error)) from error
        until_ms = body["until_ms"]
        hold = hold_set(
            source=source,
            target=target,
            topic=body["topic"],
            partition=body["partition"],
            until=None if until_ms is None else datetime.fromtimestamp(until_ms / 1000, tz=UTC),
            reason=body["reason"],
            by=request.user.get_username(),
        )
        return Response(asdict(hold), status=status.HTTP_201_CREATED)


class HoldView(APIView):
    required_role: UserRole = "operator"

    @operation("holds_release", "Release a hold", responses=HoldSerializer, tags=_TAGS)
    def delete(self, request: Request, source: str, target: str, hold_id: int) -> Response:
        known_flow(source, target)
        by = request.user.get_username()
        try:
            return Response(asdict(hold_release(source=source, target=target, hold_id=hold_id, by=by)))
        except OrderNotFoundError as error:
            raise NotFound(str(error)) from error


def _key(hold: HoldDto) -> str:
    """The sort key: the whole topic before its partitions."""
    return f"{hold.topic}\0{'' if hold.partition is None else f'{hold.partition:010}'}"
