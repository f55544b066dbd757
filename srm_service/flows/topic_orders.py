"""Checks orders about topics against the flow's plan, and reads drivers' reports about them."""

from collections.abc import Iterable, Mapping
from typing import Any

from replication.domain.identifiers import FlowId
from srm_service.monitoring.flows.live_state import LiveSnapshot


class NotCopiedError(Exception):
    """The flow does not copy the topic or partition; the text gives the reason if it is known."""


class PlanUnknownError(Exception):
    """No driver has planned the flow yet, so its topics are unknown."""


def check_copied(flow: FlowId, topic: str, partition: int | None, live: LiveSnapshot) -> None:
    """Check that the flow's plan has the topic and partition; passes without a plan. Raises NotCopiedError."""
    plan = live.plans.get(flow)
    if plan is not None:
        _check_partition(flow, topic, partition, _partitions(flow, topic, plan))


def partitions_of(flow: FlowId, topic: str, partition: int | None, live: LiveSnapshot) -> range:
    """The partitions of an order. Raises NotCopiedError, PlanUnknownError."""
    plan = live.plans.get(flow)
    if plan is not None:
        count = _partitions(flow, topic, plan)
        _check_partition(flow, topic, partition, count)
    elif partition is None:
        why = live.problem or f"no driver for {flow.target} has planned it"
        raise PlanUnknownError(
            f"the partitions of {topic} in {flow} are not known ({why}): "
            "name one partition, or try again when the flow runs"
        )
    return range(count) if partition is None else range(partition, partition + 1)


def reported_done(flow: FlowId, live: LiveSnapshot) -> frozenset[str]:
    """The ids of resets that the flow's tasks report as done."""
    return frozenset(_texts(task.fields.get("done_resets") for task in live.of(flow, "source")))


def reported_rejected(flow: FlowId, live: LiveSnapshot) -> Mapping[str, str]:
    """The planner's reasons why tasks cannot apply resets, by reset id."""
    rejected = (
        each for task in live.of(flow, "plan") for each in _rows(task.fields, "rejected_resets") if each.get("error")
    )
    return {str(each.get("id")): str(each["error"]) for each in rejected}


def all_reported_done(live: LiveSnapshot) -> frozenset[str]:
    return frozenset(key for flow in live.tasks for key in reported_done(flow, live))


def _texts(lists: Iterable[Any]) -> Iterable[str]:
    return (str(each) for found in lists if isinstance(found, list) for each in found)


def _partitions(flow: FlowId, topic: str, plan: Mapping[str, Any]) -> int:
    for planned in _rows(plan, "topics"):
        if planned.get("upstream") == topic:
            return int(planned.get("partitions") or 0)
    reasons = [str(skipped.get("reason")) for skipped in _rows(plan, "skipped") if skipped.get("topic") == topic]
    why = f": {reasons[0]}" if reasons else "; the flow's topics are listed under /topics"
    raise NotCopiedError(f"{flow} does not copy a topic {topic}{why}")


def _check_partition(flow: FlowId, topic: str, partition: int | None, count: int) -> None:
    if partition is not None and partition >= count:
        known = f"it has 0 to {count - 1}" if count else "it has none"
        raise NotCopiedError(f"topic {topic} of {flow} has no partition {partition}: {known}")


def _rows(plan: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    rows = plan.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
