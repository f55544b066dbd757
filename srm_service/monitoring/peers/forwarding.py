"""Requests about a flow that another service reports: that service answers the same view, and we pass it on.

A request that comes from another service is never forwarded, so that there is no loop.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import TimeoutError as FutureTimeoutError
from functools import wraps
from typing import Any, TypeVar, cast
from urllib.parse import quote

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from srm_service.core.api.problem import Unavailable
from srm_service.monitoring.contracts import FlowNow
from srm_service.monitoring.flows.overview import overview
from srm_service.monitoring.peers.merged import merged_overview
from srm_service.monitoring.peers.time_limit import TimeLimit
from srm_service.remote.asking.client import PeerError
from srm_service.remote.asking.loop import peer_loop
from srm_service.remote.asking.requests import ask
from srm_service.remote.contracts import PeerReply
from srm_service.remote.selectors import peer_plan

INTERNAL_ROOT = "/internal/v1/"
READING = ["flows.read"]  # orders are given at the service of the flow
_PASSED_ON = frozenset((200, 400, 404, 503))
_MARGIN_S = 0.1
_DOTS = frozenset((".", ".."))  # an HTTP client would shorten such a path
_Handler = TypeVar("_Handler", bound=Callable[..., HttpResponseBase])


def is_internal(request: Request) -> bool:
    """Return True for a request of another service, which is answered from the own flows only."""
    return request.path.startswith(INTERNAL_ROOT)


def answered_by_its_service(handler: _Handler) -> _Handler:
    """Let the service that reports a flow answer a GET below `replications/<source>/<target>`."""

    @wraps(handler)
    def answer(view: Any, request: Request, source: str, target: str, **more: Any) -> HttpResponseBase:
        _, _, rest = request.path.partition("/replications/")
        is_here = is_internal(request) or not _DOTS.isdisjoint(rest.split("/"))
        limit = TimeLimit()
        flow = None if is_here else remote_flow(source, target)
        if flow is None or flow.service is None:
            return handler(view, request, source, target, **more)
        reply = forwarded(flow.service, f"replications/{quote(rest)}", _params(request), limit)
        return Response(_ours(reply.body, flow), status=reply.status)

    return cast("_Handler", answer)


def remote_flow(source: str, target: str) -> FlowNow | None:
    """Return a flow that another service reports; None for own flows and unknown ones."""
    if not peer_plan().remote_targets or overview().find(source, target) is not None:
        return None
    return merged_overview().find(source, target)


def forwarded(address: str, path: str, params: Mapping[str, str], limit: TimeLimit) -> PeerReply:
    """Return the answer of another service, also a refusal. Raises Unavailable."""
    token = peer_plan().tokens.get(address)
    if token is None:
        raise Unavailable(f"{address} is no longer asked; GET /api/v2/remote-services says why")
    left_s = limit.left_s()
    asked = peer_loop.submit(ask(address, path, token=token, params=params, timeout_s=left_s, passes_on=_PASSED_ON))
    try:
        return asked.result(left_s + _MARGIN_S)
    except PeerError as error:
        raise Unavailable(f"the service of the flow, {address}, {error}") from error
    except FutureTimeoutError as error:
        asked.cancel()
        raise Unavailable(f"the service of the flow, {address}, does not answer in time") from error


def _params(request: Request) -> dict[str, str]:
    return {name: str(value) for name, value in request.query_params.items()}


def _ours(body: Any, flow: FlowNow) -> Any:
    """The answer as this service gives it: the flow is read here, not changed."""
    if isinstance(body, dict) and "permissions" in body:
        return {**body, "permissions": READING, "service": flow.service}
    return body
