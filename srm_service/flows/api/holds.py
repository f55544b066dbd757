"""REST resources of holds: topics and partitions that are not read."""

from dataclasses import asdict
from typing import Any

from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import moment_of, now_ms
from srm_service.flows.api.dry_runs import (
    DryRunQuery,
    OrderDryRunSerializer,
    delays,
    dry_run_answer,
    topic_touches,
)
from srm_service.flows.api.known_flow import known_flow
from srm_service.flows.api.order_serializers import (
    HoldListQuery,
    HoldListSerializer,
    HoldOrderSerializer,
    ReleasedHoldSerializer,
    SetHoldSerializer,
)
from srm_service.flows.api.verbs.topic_lists import in_force_response
from srm_service.flows.api.views import change_progress
from srm_service.flows.contracts import HoldDto
from srm_service.flows.control.topic_rows import HOLDS, topic_order_list
from srm_service.flows.orders import OrderNotFoundError, hold_release, hold_set
from srm_service.flows.selectors import flow_find
from srm_service.flows.topic_orders import NotCopiedError, check_copied
from srm_service.monitoring.flows.live_state import live_snapshot

_TAGS = ["holds"]


class HoldListView(APIView):
    required_role: UserRole = "operator"

    @operation("holds_list", "Holds of a flow", query=HoldListQuery, responses=HoldListSerializer, tags=_TAGS)
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        return in_force_response(HOLDS, source, target, query)

    @operation(
        "holds_set",
        "Hold a topic or a partition",
        body=HoldOrderSerializer,
        description="A dry run is answered with 200.",
        responses={201: SetHoldSerializer, 200: OrderDryRunSerializer},
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
        if body["dry_run"]:
            return Response(_hold_dry_run(flow, body["topic"], body["partition"], until_ms))
        ordered = hold_set(
            source=source,
            target=target,
            topic=body["topic"],
            partition=body["partition"],
            until=None if until_ms is None else moment_of(until_ms),
            reason=body["reason"],
            by=request.user.get_username(),
        )
        answer = {**asdict(ordered.hold), "order": change_progress(flow, ordered.change)}
        return Response(answer, status=status.HTTP_201_CREATED)


class HoldView(APIView):
    required_role: UserRole = "operator"

    @operation("holds_release", "Release a hold", query=DryRunQuery, responses=ReleasedHoldSerializer, tags=_TAGS)
    def delete(self, request: Request, source: str, target: str, hold_id: int, *, query: Values) -> Response:
        flow, dry_run = known_flow(source, target), query["dry_run"]
        by = request.user.get_username()
        try:
            released = hold_release(source=source, target=target, hold_id=hold_id, by=by, dry_run=dry_run)
        except OrderNotFoundError as error:
            raise NotFound(str(error)) from error
        if dry_run:
            return Response({**asdict(released.hold), **_release_dry_run(flow, released.hold)})
        return Response({**asdict(released.hold), "order": change_progress(flow, released.change)})


def _hold_dry_run(flow: FlowId, topic: str, partition: int | None, until_ms: int | None) -> dict[str, Any]:
    live, others = live_snapshot(), _holds_in_force(flow, topic)
    end = "until it is resumed" if until_ms is None else f"until {moment_of(until_ms).isoformat(timespec='seconds')}"
    text = [f"{_place(topic, partition)} of {flow} would be paused {end}"]
    text += [f"hold {hold.id} would get this end and reason" for hold in others if hold.partition == partition]
    if partition is not None:
        text += [f"hold {hold.id} pauses the whole topic already" for hold in others if hold.partition is None]
    later = delays(flow_find(flow.source, flow.target), live)
    return dry_run_answer(topic_touches(flow, topic, partition, live), [*text, *later])


def _release_dry_run(flow: FlowId, hold: HoldDto) -> dict[str, Any]:
    live = live_snapshot()
    others = [other for other in _holds_in_force(flow, hold.topic) if other.id != hold.id]
    if hold.partition is not None:
        others = [other for other in others if other.partition is None]
    text = [f"{_place(hold.topic, hold.partition)} of {flow} would be resumed"]
    text += [f"hold {other.id} still pauses {_place(other.topic, other.partition)}" for other in others]
    touches = topic_touches(flow, hold.topic, hold.partition, live)
    return dry_run_answer(touches, [*text, *delays(flow_find(flow.source, flow.target), live)])


def _holds_in_force(flow: FlowId, topic: str) -> list[HoldDto]:
    at_ms = now_ms()
    holds = [hold for hold in topic_order_list(HOLDS, flow.source, flow.target) if hold.topic == topic]
    return [hold for hold in holds if hold.until_ms is None or hold.until_ms > at_ms]


def _place(topic: str, partition: int | None) -> str:
    return topic if partition is None else f"partition {partition} of {topic}"
