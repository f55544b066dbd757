"""Resets that cannot be carried out, because the plan assigns their partition to no slot."""

from collections.abc import Collection
from dataclasses import dataclass

from replication.domain.control.orders import Reset
from replication.domain.plan.plan_document import PlanDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedReset:
    """An order and why it is not carried out; it stays valid for the day its partition appears in the plan."""

    id: str
    error: str


def resets_without_slot(plan: PlanDocument, resets: Collection[Reset]) -> tuple[RejectedReset, ...]:
    """Those the plan has no slot for. The plan must have been made with the orders known."""
    if not resets:
        return ()
    widths = {topic.upstream: topic.partitions for topic in plan.topics}
    return tuple(
        RejectedReset(id=reset.id, error=_error(plan, reset))
        for reset in resets
        if reset.partition >= widths.get(reset.topic, 0)
    )


def _error(plan: PlanDocument, reset: Reset) -> str:
    width = next((topic.partitions for topic in plan.topics if topic.upstream == reset.topic), None)
    if width is not None:
        known = f"0 to {width - 1} are copied" if width else "none is copied"
        return f"{plan.source}->{plan.target} copies no partition {reset.partition} of {reset.topic}: {known}"
    reason = next((skipped.reason for skipped in plan.skipped if skipped.topic == reset.topic), None)
    why = f": {reason}" if reason else ": it is not there, or the flow's filters leave it out"
    return f"{plan.source}->{plan.target} does not copy a topic {reset.topic}{why}"
