"""The small lines of flows that other services report."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from srm_service.monitoring.contracts import FlowNow
from srm_service.monitoring.peers.answers import replies_of
from srm_service.monitoring.peers.time_limit import TimeLimit

MANY_POINTS_PATH = "metrics/flows"
_SCALE = ("metric", "from_ms", "to_ms", "step_ms")


def remote_points(
    flows: Sequence[FlowNow], own: Mapping[str, Any], *, silent: Collection[str], limit: TimeLimit
) -> list[dict[str, Any]]:
    """Return the points of flows of other services on the scale of the own answer; none of a service without one."""
    of_service = {flow.service: {each.key for each in flows if each.service == flow.service} for flow in flows}
    addresses = sorted(address for address in of_service if address is not None and address not in silent)
    if not addresses:
        return []
    replies = replies_of(addresses, MANY_POINTS_PATH, {name: str(own[name]) for name in _SCALE}, limit)
    found = []
    for address, reply in replies.items():
        body = None if isinstance(reply, str) else reply.body
        if isinstance(body, dict) and all(body.get(name) == own[name] for name in _SCALE):
            rows = [row for row in body.get("items") or () if _key(row) in of_service[address]]
            found += [{**row, "p95": row.get("p95")} for row in rows]  # an older service does not send it
    return found


def _key(row: Any) -> str:
    return f"{row.get('source')}->{row.get('target')}" if isinstance(row, dict) else ""
