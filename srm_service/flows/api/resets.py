"""REST resources of resets: orders to continue partitions at another position."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import Page, page_of
from srm_service.core.api.problem import Conflict
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole
from srm_service.flows.api.dry_runs import ReasonQuery
from srm_service.flows.api.known_flow import known_flow
from srm_service.flows.api.order_serializers import (
    ResetListQuery,
    ResetListSerializer,
    ResetOrderSerializer,
    ResetSerializer,
)
from srm_service.flows.api.reset_dry_run import ResetDryRunSerializer, reset_dry_run
from srm_service.flows.contracts import ResetDto
from srm_service.flows.orders import OrderNotFoundError, reset_withdraw, resets_check, resets_request
from srm_service.flows.selectors import reset_list
from srm_service.flows.services import FlowChangeError
from srm_service.flows.topic_orders import (
    NotCopiedError,
    PlanUnknownError,
    partitions_of,
    reported_done,
    reported_rejected,
)
from srm_service.monitoring.flows.live_state import live_snapshot

_TAGS = ["resets"]


class ResetListView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "resets_list",
        "Resets of a flow that are pending or ended within a day",
        query=ResetListQuery,
        responses=ResetListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        flow = known_flow(source, target)
        live = live_snapshot()
        done, rejected = reported_done(flow, live), reported_rejected(flow, live)
        resets = [_with_live(reset, done) for reset in reset_list(source, target)]
        found = [reset for reset in resets if _is_asked(reset, query)]
        page = page_of(found, query, key=_key, orderings=ResetListQuery.orderings)
        return list_response(page, lambda reset: _row(reset, rejected), partial=live.partial)

    @operation(
        "resets_request",
        "Rewind or skip",
        body=ResetOrderSerializer,
        description="A dry run is answered with 200.",
        responses={202: ResetListSerializer, 200: ResetDryRunSerializer},
        tags=_TAGS,
        problems={409: "us-east->eu-central is disabled: enable it to reset its topics"},
    )
    def post(self, request: Request, source: str, target: str, *, body: Values) -> Response:
        flow = known_flow(source, target)
        try:
            live = live_snapshot()
            partitions = partitions_of(flow, body["topic"], body["partition"], live)
            if body["dry_run"]:
                resets_check(source, target)
                reach = reset_dry_run(flow, body["topic"], partitions, body["to"], live, partition=body["partition"])
                return Response(reach)
            resets = resets_request(
                source=source,
                target=target,
                topic=body["topic"],
                partitions=partitions,
                to=body["to"],
                reason=body["reason"],
                by=request.user.get_username(),
            )
        except NotCopiedError as error:
            raise NotFound(str(error)) from error
        except (PlanUnknownError, FlowChangeError) as error:
            raise Conflict(str(error)) from error
        return list_response(Page(resets, None), lambda reset: _row(reset, {}), status=status.HTTP_202_ACCEPTED)


class ResetView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "resets_withdraw",
        "Withdraw a pending reset",
        query=ReasonQuery,
        responses=ResetSerializer,
        tags=_TAGS,
        problems={409: "reset 1f0c is done: only a pending reset can be withdrawn"},
    )
    def delete(self, request: Request, source: str, target: str, reset_id: str, *, query: Values) -> Response:
        flow = known_flow(source, target)
        if reset_id in reported_done(flow, live_snapshot()):
            raise Conflict(f"reset {reset_id} is done: only a pending reset can be withdrawn")
        by = request.user.get_username()
        try:
            withdrawn = reset_withdraw(source=source, target=target, key=reset_id, by=by, reason=query["reason"])
            return Response(_row(withdrawn, {}))
        except OrderNotFoundError as error:
            raise NotFound(str(error)) from error
        except FlowChangeError as error:
            raise Conflict(str(error)) from error


def _with_live(reset: ResetDto, done: frozenset[str]) -> ResetDto:
    """Apply a driver's report that the database does not hold yet."""
    return replace(reset, state="done") if reset.state == "requested" and reset.id in done else reset


def _is_asked(reset: ResetDto, query: Values) -> bool:
    return query["topic"] in ("", reset.topic) and query.get("state") in (None, reset.state)


def _key(reset: ResetDto) -> str:
    return f"{reset.topic}\0{reset.partition:010}\0{reset.requested_ms:015}\0{reset.id}"


def _row(reset: ResetDto, rejected: Mapping[str, str]) -> dict[str, Any]:
    """The response for one reset; `rejected` holds reasons by id and applies to pending resets only."""
    return {**asdict(reset), "rejected": rejected.get(reset.id) if reset.state == "requested" else None}
