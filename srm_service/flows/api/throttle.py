"""REST resource of a flow's throttle."""

from typing import Any

from django.db import transaction
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.control.throttle import MOST_BYTES_PER_SECOND
from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.flow import THROTTLE_RATE, THROTTLE_SCHEDULE
from srm_service.core.api.etags import check_match, differences, etag_of, tagged
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import END_IS_PAST, Values
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import moment_of, now_ms
from srm_service.flows.api.action_progress import ActionProgressSerializer
from srm_service.flows.api.dry_runs import (
    NOTHING,
    DryRunQuery,
    MaybeDryRunSerializer,
    delays,
    dry_run_answer,
    flow_touches,
)
from srm_service.flows.api.known_flow import known_flow
from srm_service.flows.api.verbs.serializers import LATEST_MS
from srm_service.flows.api.views import change_progress
from srm_service.flows.orders import flow_throttle_set
from srm_service.flows.selectors import flow_find, flow_throttle
from srm_service.flows.services import FlowNotFoundError, flow_locked
from srm_service.monitoring.flows.live_state import live_snapshot

_TAGS = ["replications"]


class ThrottleOrderSerializer(DryRunQuery):
    """The whole flow's limit; its tasks share it equally."""

    bytes_per_second = serializers.IntegerField(min_value=1, max_value=MOST_BYTES_PER_SECOND)
    reason = serializers.CharField(required=False, allow_blank=True, default="", max_length=500)
    until_ms = serializers.IntegerField(
        required=False, allow_null=True, default=None, max_value=LATEST_MS, help_text="null: until it is removed"
    )

    def validate_until_ms(self, value: int | None) -> int | None:
        if value is not None and value <= now_ms():
            raise serializers.ValidationError(END_IS_PAST)
        return value


class ThrottleSerializer(serializers.Serializer[Any]):
    """The throttle; null: none, so that only the settings `srm.throttle.rate` and `.schedule` apply."""

    bytes_per_second = serializers.IntegerField(allow_null=True)
    until_ms = serializers.IntegerField(allow_null=True, help_text="when it ends automatically; null: never")


class ThrottleChangeSerializer(ThrottleSerializer, MaybeDryRunSerializer):
    """The throttle after a change, and how far the change has come."""

    changed = serializers.BooleanField(help_text="false when the throttle already had this value")
    order = ActionProgressSerializer()


class ThrottleView(APIView):
    required_role: UserRole = "operator"

    @operation("throttle_detail", "A flow's throttle", responses=ThrottleSerializer, tags=_TAGS)
    def get(self, request: Request, source: str, target: str) -> Response:
        known_flow(source, target)
        answer = flow_throttle(source, target)
        return tagged(Response(answer), etag_of(answer))

    @operation(
        "throttle_set",
        "Limit what a flow reads",
        body=ThrottleOrderSerializer,
        responses=ThrottleChangeSerializer,
        tags=_TAGS,
        if_match=True,
    )
    def put(self, request: Request, source: str, target: str, *, body: Values) -> Response:
        return _set(request, source, target, body)

    @operation(
        "throttle_remove",
        "Take a flow's throttle away",
        description=f"A limit in the flow's settings ({THROTTLE_RATE}, {THROTTLE_SCHEDULE}) still applies.",
        query=DryRunQuery,
        responses=ThrottleChangeSerializer,
        tags=_TAGS,
        if_match=True,
    )
    def delete(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        return _set(request, source, target, {"bytes_per_second": None, "until_ms": None, "reason": "", **query})


def _set(request: Request, source: str, target: str, order: Values) -> Response:
    known_flow(source, target)
    wanted = {name: order[name] for name in ("bytes_per_second", "until_ms")}
    until_ms, dry_run = order["until_ms"], order["dry_run"]
    try:
        with transaction.atomic():
            flow_locked(source, target)
            current = flow_throttle(source, target)
            check_match(request, etag_of(current), lambda: differences(wanted, current))
            change = flow_throttle_set(
                source=source,
                target=target,
                bytes_per_second=order["bytes_per_second"],
                reason=order["reason"],
                until=moment_of(until_ms),
                by=request.user.get_username(),
                dry_run=dry_run,
            )
    except FlowNotFoundError as error:
        raise NotFound(str(error)) from error
    answer = {**wanted, "changed": change.changes, "order": change_progress(FlowId(source, target), change)}
    if dry_run:
        effect = _dry_run(FlowId(source, target), order["bytes_per_second"], changes=change.changes)
        return tagged(Response({**answer, **effect}), etag_of(current))
    return tagged(Response(answer), etag_of(wanted))


def _dry_run(flow: FlowId, bytes_per_second: int | None, *, changes: bool) -> dict[str, Any]:
    limit = "has no throttle" if bytes_per_second is None else f"reads at most {bytes_per_second:,} bytes per second"
    if not changes:
        return dry_run_answer(NOTHING, [f"{flow} {limit} already; nothing changes"])
    live = live_snapshot()
    touches = flow_touches(flow, live)
    shared = "" if bytes_per_second is None or not touches.slots else f", shared by {touches.slots} slot(s)"
    text = f"{flow} would change: it {limit}{shared}"
    return dry_run_answer(touches, [text, *delays(flow_find(flow.source, flow.target), live)])
