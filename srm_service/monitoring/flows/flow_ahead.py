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
_FRESH_MS = MINUTE_MS
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowAhead:
    """None is unknown."""

    catch_up: CatchUp | None = None
    proven_until_ms: int | None = None


def flows_proven(flows: Collection[FlowId]) -> dict[FlowId, int]:
    """One query; empty when the metrics store does not answer."""
    try:
        return flows_proven_until(flows)
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        return {}


def flow_ahead(flow: FlowId, now_ms: int, *, lag_now: int | None) -> FlowAhead:
    """Four queries; unknown when the metrics store does not answer.

    `lag_now` is the newest reading, so that the estimate never contradicts the lag beside it: there is none without it.
    """
    try:
        readings = _readings(flow, now_ms)
        proven = flows_proven_until({flow}).get(flow)
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        return FlowAhead()
    estimate = None if lag_now is None else catch_up([*readings, (now_ms, float(lag_now))])
    return FlowAhead(catch_up=estimate, proven_until_ms=proven)


def _readings(flow: FlowId, now_ms: int) -> list[tuple[int, float]]:
    """Return the lags of the last minutes; none if the newest is old, because it says nothing about what comes."""
    ids = flow_series_ids({flow}).values()
    begin_ms = now_ms - now_ms % TILE_MS - _LOOK_BACK_MS
    marks = store_marks({flow.target}, now_ms)
    rows = read_tiles("flow", ids, from_ms=begin_ms, to_ms=now_ms, step_ms=TILE_MS, marks=marks)
    readings = [(row.time_ms, float(lag)) for row in rows if (lag := row.of("lag_last")) is not None]
    return readings if readings and now_ms - readings[-1][0] <= _FRESH_MS else []
