"""The report in which a service tells another one about its flows: written by one, read by the other."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from replication.domain.identifiers import FlowId
from replication.domain.reporting.histogram import Histogram
from srm_service.clusters.models import ALIAS_PATTERN
from srm_service.core.clock import by_our_clock
from srm_service.core.contracts import Partial
from srm_service.core.description import Description
from srm_service.monitoring.contracts import FlowNow, Overview
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.peers.shapes import WrongShapeError, decoded

_ALIAS = re.compile(ALIAS_PATTERN)
_LINKS = ("http://", "https://")


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowReport:
    """The flows of another service; their times are by our clock, `latency` is by flow."""

    flows: tuple[FlowNow, ...] = ()
    latency: Mapping[str, Histogram] = field(default_factory=dict)
    partial: tuple[Partial, ...] = ()
    skipped: int = 0  # flows that this version cannot read


def report_of(now: Overview, live: LiveSnapshot) -> dict[str, Any]:
    """Return the report of the own flows."""
    return {
        "as_of_ms": now.as_of_ms,
        "flows": [{**asdict(flow), "latency": flow_latency(flow, live).to_list()} for flow in now.flows],
        "partial": [asdict(part) for part in now.partial],
    }


def flow_latency(flow: FlowNow, live: LiveSnapshot) -> Histogram:
    """The latencies of the tasks of a flow that report."""
    latency = Histogram()
    for task in live.of(FlowId(flow.source, flow.target), "source"):
        if not task.is_frozen:
            latency.merge(task.histogram())
    return latency


def read_report(body: Any, address: str, *, clock_difference_ms: int) -> FlowReport:
    """Return the flows in a report of an address; a flow that cannot be read is counted and affects no other."""
    flows, latency, skipped = [], {}, 0
    rows = body.get("flows") if isinstance(body, Mapping) else None
    for row in rows if isinstance(rows, list) else []:
        try:
            flow = _flow(row, address, clock_difference_ms)
            latency[flow.key] = Histogram.from_list(row.get("latency") or Histogram().to_list())
        except ValueError:  # also WrongShapeError
            skipped += 1
        else:
            flows.append(flow)
    return FlowReport(flows=tuple(flows), latency=latency, partial=_partial(body), skipped=skipped)


def _flow(row: Any, address: str, clock_difference_ms: int) -> FlowNow:
    flow: FlowNow = decoded(FlowNow, row)
    if not _ALIAS.match(flow.source):
        raise WrongShapeError("source: no alias")
    status = flow.status
    cause = status.cause and replace(status.cause, since_ms=_here(status.cause.since_ms, clock_difference_ms))
    status = replace(status, cause=cause, since_ms=_here(status.since_ms, clock_difference_ms))
    return replace(flow, status=status, service=address, description=_safe(flow.description))


def _here(time_ms: int | None, clock_difference_ms: int) -> int | None:
    return None if time_ms is None else by_our_clock(time_ms, clock_difference_ms)


def _safe(described: Description) -> Description:
    """The runbook becomes a link on the page."""
    return described if described.runbook.startswith(_LINKS) else replace(described, runbook="")


def _partial(body: Any) -> tuple[Partial, ...]:
    parts = body.get("partial") if isinstance(body, Mapping) else None
    found = []
    for part in parts if isinstance(parts, list) else []:
        try:
            found.append(decoded(Partial, part))
        except WrongShapeError:
            continue
    return tuple(found[:20])
