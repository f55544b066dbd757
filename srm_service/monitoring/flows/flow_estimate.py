"""The lag, the catch-up estimate and the limit of a flow, from the reports of its tasks this second."""

from collections.abc import Sequence

from replication.domain.health.flow_facts import PlanFact
from srm_service.monitoring.contracts import FlowEstimate, FlowLimit
from srm_service.monitoring.flows.live_state import LiveTask


def flow_lag(running: Sequence[LiveTask], planned: int, plan: PlanFact | None) -> int | None:
    """Return the sum of the tasks that run; None if one of the planned ones is silent or does not know its lag.

    A source that does not answer the planner while nothing is copied may have grown: the last lag is not that of now.
    """
    lags = [task.number("lag_offsets") for task in running]
    known = [int(lag) for lag in lags if lag is not None]
    if not lags or len(known) < max(len(lags), planned) or _is_source_lost(running, plan):
        return None
    return sum(known)


def _is_source_lost(running: Sequence[LiveTask], plan: PlanFact | None) -> bool:
    is_lost = plan is not None and plan.source_reachable is False
    return is_lost and not any(task.number("records_per_second") for task in running)


def flow_estimate(tasks: Sequence[LiveTask], lag_offsets: int | None) -> FlowEstimate:
    """The slowest task decides when the flow has caught up, the most threatened one when retention overtakes it."""
    losses = [value for task in tasks if (value := task.number("time_to_loss_ms")) is not None]
    return FlowEstimate(
        catch_up_ms=_catch_up_ms(tasks, lag_offsets),
        time_to_loss_ms=int(min(losses)) if losses else None,
        limit=_limit(tasks),
    )


def _catch_up_ms(tasks: Sequence[LiveTask], lag_offsets: int | None) -> int | None:
    """Return None if a task does not come nearer, or if the estimate is older than a lag that has grown since."""
    estimates = [task.number("catch_up_ms") for task in tasks if task.number("partitions") != 0]
    known = [value for value in estimates if value is not None]
    if lag_offsets is None or not known or len(known) < len(estimates):
        return None
    slowest_ms = int(max(known))
    return None if slowest_ms == 0 and lag_offsets > 0 else slowest_ms


def _limit(tasks: Sequence[LiveTask]) -> FlowLimit | None:
    """Of the task that is furthest behind, among those that say one."""
    limited = [task for task in tasks if isinstance(task.fields.get("limit"), dict)]
    if not limited:
        return None
    limit = max(limited, key=lambda task: task.number("lag_offsets") or 0.0).fields["limit"]
    return FlowLimit(code=str(limit.get("code", "")), text=str(limit.get("text", "")))
