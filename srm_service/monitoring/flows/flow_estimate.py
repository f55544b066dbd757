"""The catch-up estimate and the limit of a flow, from the reports of its tasks this second."""

from collections.abc import Callable, Sequence

from srm_service.monitoring.contracts import FlowEstimate, FlowLimit
from srm_service.monitoring.flows.live_state import LiveTask


def flow_estimate(tasks: Sequence[LiveTask]) -> FlowEstimate:
    """The slowest task decides when the flow has caught up, the most threatened one when retention overtakes it."""
    return FlowEstimate(
        catch_up_ms=_extreme(tasks, "catch_up_ms", max),
        time_to_loss_ms=_extreme(tasks, "time_to_loss_ms", min),
        limit=_limit(tasks),
    )


def _extreme(tasks: Sequence[LiveTask], name: str, pick: Callable[[list[float]], float]) -> int | None:
    known = [value for task in tasks if (value := task.number(name)) is not None]
    return int(pick(known)) if known else None


def _limit(tasks: Sequence[LiveTask]) -> FlowLimit | None:
    """Of the task that is furthest behind, among those that say one."""
    limited = [task for task in tasks if isinstance(task.fields.get("limit"), dict)]
    if not limited:
        return None
    limit = max(limited, key=lambda task: task.number("lag_offsets") or 0.0).fields["limit"]
    return FlowLimit(code=str(limit.get("code", "")), text=str(limit.get("text", "")))
