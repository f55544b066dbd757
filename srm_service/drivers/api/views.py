"""REST resources of orders to drivers: drain, undrain and restart."""

import re
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.utils import timezone
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.api.etags import check_match, differences, etag_of, tagged
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import moment_of
from srm_service.drivers.api.serializers import (
    DrainChangeSerializer,
    DrainOrderSerializer,
    DrainStateSerializer,
    RestartChangeSerializer,
    RestartOrderSerializer,
    UndrainOrderSerializer,
)
from srm_service.drivers.contracts import DRIVER_ID_PATTERN, DrainDto
from srm_service.drivers.selectors import drain_of, driver_ids
from srm_service.drivers.services import driver_drain, driver_restart, driver_undrain
from srm_service.monitoring.drivers import DriverNow, processes_of
from srm_service.monitoring.flows.live_state import live_snapshot

_TAGS = ["drivers"]
_UNKNOWN = {404: "no driver berlim reports; reporting: berlin"}


class DrainView(APIView):
    required_role: UserRole = "operator"

    @operation("drains_detail", "The drain of a driver and its progress", responses=DrainStateSerializer, tags=_TAGS)
    def get(self, request: Request, driver_id: str) -> Response:
        drain = drain_of(driver_id)
        known = _known_processes(driver_id, is_ordered=drain is not None)
        return tagged(Response(_state(driver_id, drain, known)), _etag(drain))

    @operation(
        "drivers_drain",
        "Move all tasks away from a driver",
        description="The driver continues to run and gets no tasks. The drain survives restarts.",
        body=DrainOrderSerializer,
        responses=DrainChangeSerializer,
        tags=_TAGS,
        problems=_UNKNOWN,
        if_match=True,
    )
    def post(self, request: Request, driver_id: str, *, body: Values) -> Response:
        expires_ms = body["expires_ms"]
        expires_at = moment_of(expires_ms)
        known = _known_processes(driver_id, is_ordered=drain_of(driver_id) is not None)
        drain, changed = driver_drain(
            driver=driver_id,
            reason=body["reason"],
            expires_at=expires_at,
            by=request.user.get_username(),
            check=lambda current: _check(request, current, {"reason": body["reason"], "expires_ms": expires_ms}),
        )
        return tagged(Response({**_state(driver_id, drain, known), "changed": changed}), _etag(drain))


class UndrainView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "drivers_undrain",
        "Give tasks to a drained driver again",
        body=UndrainOrderSerializer,
        responses=DrainChangeSerializer,
        tags=_TAGS,
        problems=_UNKNOWN,
        if_match=True,
    )
    def post(self, request: Request, driver_id: str, *, body: Values) -> Response:
        known = _known_processes(driver_id, is_ordered=drain_of(driver_id) is not None)
        changed = driver_undrain(
            driver=driver_id,
            reason=body["reason"],
            by=request.user.get_username(),
            check=lambda current: _check(request, current, {}),
        )
        return tagged(Response({**_state(driver_id, None, known), "changed": changed}), _etag(None))


class RestartView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "drivers_restart",
        "Restart the processes of a driver",
        description="Each process ends, and what supervises it starts it again. Its tasks wait for it.",
        body=RestartOrderSerializer,
        responses=RestartChangeSerializer,
        tags=_TAGS,
        problems=_UNKNOWN,
    )
    def post(self, request: Request, driver_id: str, *, body: Values) -> Response:
        known = _known_processes(driver_id, is_ordered=False)
        until = timezone.now() + timedelta(milliseconds=body["grace_ms"])
        by = request.user.get_username()
        ordered = driver_restart(driver=driver_id, reason=body["reason"], until=until, by=by)
        return Response(
            {"driver": driver_id, "restart": asdict(ordered), "processes": [_process(row) for row in known]}
        )


def _known_processes(driver_id: str, *, is_ordered: bool) -> tuple[DriverNow, ...]:
    """Return the processes that the id means. Raises NotFound for an id that no process reports and no order names.

    Without Redis every valid id may be right.
    """
    live = live_snapshot()
    found = processes_of(driver_id, live)
    may_exist = bool(live.problem) and re.fullmatch(DRIVER_ID_PATTERN, driver_id) is not None
    if not found and not is_ordered and not may_exist:
        others = ", ".join(driver_ids(live)) or "none"
        raise NotFound(f"no driver {driver_id} reports; reporting: {others}")
    return found


def _check(request: Request, current: DrainDto | None, wanted: dict[str, Any]) -> None:
    shown = {} if current is None else {"reason": current.reason, "expires_ms": current.expires_ms}
    check_match(request, _etag(current), lambda: differences({**dict.fromkeys(shown), **wanted}, shown))


def _etag(drain: DrainDto | None) -> str:
    return etag_of(None if drain is None else asdict(drain))


def _state(driver_id: str, drain: DrainDto | None, known: tuple[DriverNow, ...]) -> dict[str, Any]:
    tasks = sum(row.tasks for row in known)
    is_applied = bool(known) and all(row.drain for row in known)
    return {
        "driver": driver_id,
        "drain": None if drain is None else asdict(drain),
        "processes": [_process(row) for row in known],
        "tasks": tasks,
        "drained": drain is not None and is_applied and tasks == 0,
    }


def _process(row: DriverNow) -> dict[str, Any]:
    return {"id": row.id, "role": row.role, "boot": row.boot, "drain": row.drain, "tasks": row.tasks}
