"""REST resources of orders by verb and scope, and how far each has come."""

from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from srm_service.core.api.etags import StateDifference, check_match, etag_of_version, matched_version, tagged
from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.problem import Conflict
from srm_service.core.api.requests import Values
from srm_service.core.api.row_pages import rows_page, with_start
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import moment_of
from srm_service.flows.actions import (
    action_dto,
    action_row,
    actions_all,
    actions_of,
    newest_action_id,
    published_revision,
)
from srm_service.flows.api.action_progress import ActionSerializer, progress
from srm_service.flows.api.known_flow import known_flow
from srm_service.flows.api.verbs.answers import check_scope, verb_dry_run, verb_text
from srm_service.flows.api.verbs.serializers import (
    ActionListQuery,
    ActionListSerializer,
    FlowActionResultSerializer,
    FlowActionSerializer,
    OrderListQuery,
)
from srm_service.flows.control.verbs import VerbOrder, order_give
from srm_service.flows.models import FlowAction
from srm_service.flows.services import FlowChangeError, FlowNotFoundError, OrderedChange, flow_locked
from srm_service.monitoring.flows.live_state import LiveSnapshot, live_snapshot

_TAGS = ["replications"]
_COLUMNS = {
    "source": "flow__source__alias",
    "target": "flow__target__alias",
    **{name: name for name in ("ordered_by", "event", "topic", "outcome")},
}
_MOST_LATER = 20
_TIMES = {"from_ms": "ordered_at__gte", "to_ms": "ordered_at__lt"}


class FlowActionListView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "actions_list",
        "Orders given within a month",
        description="Who gave each order, when, why and for what, who applied it and when, and its outcome.",
        query=ActionListQuery,
        responses=ActionListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        flow, live = known_flow(source, target), live_snapshot()
        rows = actions_of(source, target).prefetch_related("resets")
        page = rows_page(_wanted(rows, query), query, orderings=ActionListQuery.orderings, default="-id")
        answer = list_response(page, lambda each: _answer(each, flow, live), partial=live.partial)
        return tagged(answer, etag_of_version(newest_action_id(source, target)))

    @operation(
        "replications_act",
        "Pause, resume, restart, throttle, stop or start a flow, a topic, a partition or a task",
        body=FlowActionSerializer,
        responses=FlowActionResultSerializer,
        tags=_TAGS,
        problems={409: "us-east->eu-central is disabled, so it cannot be paused"},
        if_match=True,
    )
    def post(self, request: Request, source: str, target: str, *, body: Values) -> Response:
        until_ms, flow = body["until_ms"], FlowId(source, target)
        order = VerbOrder(
            source=source,
            target=target,
            verb=body["action"],
            scope=body["scope"],
            reason=body["reason"],
            until=moment_of(until_ms),
            bytes_per_second=body["bytes_per_second"],
            by=request.user.get_username(),
            dry_run=body["dry_run"],
        )
        try:
            known_flow(source, target)
            check_scope(flow, order.scope, live_snapshot())
            with transaction.atomic():
                flow_locked(source, target)
                newest = newest_action_id(source, target)
                check_match(request, etag_of_version(newest), lambda: _later_orders(request, source, target))
                change = order_give(order)
        except FlowNotFoundError as error:
            raise NotFound(str(error)) from error
        except FlowChangeError as error:
            raise Conflict(str(error)) from error
        text = verb_text(order, changed=change.changes)
        result: dict[str, Any] = {"action": order.verb, "scope": asdict(order.scope), "changed": change.changes}
        result |= {"dry_run": order.dry_run, "text": text}
        if order.dry_run:
            result |= verb_dry_run(order, text, changes=change.changes)
        if change.action is not None:
            newest = change.action.pk
        return tagged(Response({**change_progress(flow, change), **result}), etag_of_version(newest))


class OrderListView(APIView):
    @operation(
        "orders_list",
        "Orders to all flows, given within a month",
        description="As the list of one flow; filtered by who gave them, when, to which flows, and their outcome.",
        query=OrderListQuery,
        responses=ActionListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, *, query: Values) -> Response:
        live = live_snapshot()
        rows = actions_all().prefetch_related("resets")
        page = rows_page(_wanted(rows, query), query, orderings=OrderListQuery.orderings, default="-id")
        return list_response(page, lambda each: _answer(each, _flow_of(each), live), partial=live.partial)


class FlowActionView(APIView):
    @operation("actions_detail", "How far an order has come", responses=ActionSerializer, tags=_TAGS)
    def get(self, request: Request, source: str, target: str, action_id: int) -> Response:
        flow = known_flow(source, target)
        action = action_row(source, target, action_id)
        if action is None:
            raise NotFound(f"{source}->{target} has no action {action_id}; GET .../actions lists those of a month")
        return Response(_answer(action, flow, live_snapshot()))


def change_progress(flow: FlowId, change: OrderedChange) -> dict[str, Any]:
    """Return the progress of a change; of one that changed nothing, that of the published revision."""
    action = change.action
    if action is not None:
        action.refresh_from_db()  # it may have been published meanwhile
    return progress(action, flow, live_snapshot(), published=published_revision(flow.target))


def _wanted(rows: QuerySet[FlowAction], query: Values) -> QuerySet[FlowAction]:
    given = {column: query[name] for name, column in _COLUMNS.items() if query.get(name)}
    times = {column: query[name] for name, column in _TIMES.items() if name in query}
    return with_start(rows, "reason").filter(**given, **{each: moment_of(ms) for each, ms in times.items()})


def _later_orders(request: Request, source: str, target: str) -> list[StateDifference]:
    """Return the orders that were given after the one that the client knows as the newest."""
    known = matched_version(request)
    later = actions_of(source, target).filter(pk__gt=known or 0).order_by("pk")[:_MOST_LATER]
    return [{"field": each.event, "yours": None, "current": asdict(action_dto(each))} for each in later]


def _flow_of(action: FlowAction) -> FlowId:
    return FlowId(action.flow.source.alias, action.flow.target.alias)


def _answer(action: FlowAction, flow: FlowId, live: LiveSnapshot) -> dict[str, Any]:
    return {**asdict(action_dto(action)), **progress(action, flow, live, published=None)}
