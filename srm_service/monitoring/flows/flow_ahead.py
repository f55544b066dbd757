"""The catch-up estimate and the proof of a flow, from the metrics store."""

from collections.abc import Collection
from dataclasses import dataclass

import structlog
from django.db import DatabaseError

from replication.domain.health.catch_up import CatchUp, catch_up
from replication.domain.identifiers import FlowId
from srm_service.audits.selectors import flows_proven_until
from srm_service.monitoring.flows.freshness import flow_series_ids
from srm_service.monitoring.series.tiles import MINUTE_MS, TILE_MS, read_tiles, store_marks

_LOOK_BACK_MS = 5 * MINUTE_MS
_FRESH_MS = MINUTE_MS  # an older reading says nothing about what comes
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowAhead:
    """None is unknown."""

    catch_up: CatchUp | None = None
    proven_until_ms: int | None = None


def flows_ahead(flows: Collection[FlowId]) -> dict[FlowId, FlowAhead]:
    """Of a list: only what one query tells."""
    try:
        proven = flows_proven_until(flows)
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        proven = {}
    return {flow: FlowAhead(proven_until_ms=proven.get(flow)) for flow in flows}


def flow_ahead(flow: FlowId, now_ms: int) -> FlowAhead:
    """Four queries; unknown when the metrics store does not answer."""
    try:
        return FlowAhead(catch_up=_catch_up(flow, now_ms), proven_until_ms=flows_proven_until({flow}).get(flow))
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        return FlowAhead()


def _catch_up(flow: FlowId, now_ms: int) -> CatchUp | None:
    ids = flow_series_ids({flow}).values()
    begin_ms = now_ms - now_ms % TILE_MS - _LOOK_BACK_MS
    marks = store_marks({flow.target}, now_ms)
    rows = read_tiles("flow", ids, from_ms=begin_ms, to_ms=now_ms, step_ms=TILE_MS, marks=marks)
    readings = [(row.time_ms, float(lag)) for row in rows if (lag := row.of("lag_last")) is not None]
    if not readings or now_ms - readings[-1][0] > _FRESH_MS:
        return None
    return catch_up(readings)
