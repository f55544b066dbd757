"""The states of a partition, and the groups that reports, events and the flow's status use."""

from typing import Literal, get_args

PartitionState = Literal["replicating", "caught_up", "paused", "throttled", "stalled", "gap", "failed"]
PARTITION_STATES: tuple[PartitionState, ...] = get_args(PartitionState)

# Worst first: a topic shows the worst state of its partitions. A series may also be `starting`.
WORST_FIRST: tuple[PartitionState | Literal["starting"], ...] = (
    "failed",
    "gap",
    "stalled",
    "throttled",
    "paused",
    "starting",
    "replicating",
    "caught_up",
)
BAD_STATES: tuple[PartitionState, ...] = ("failed", "gap", "stalled")  # the flow is degraded; worst first
MOVING_STATES: tuple[PartitionState, ...] = ("replicating", "throttled")
NOTABLE_STATES: frozenset[str] = frozenset({*BAD_STATES, "paused"})  # a change into or out of these is an event


def known_state(text: str) -> PartitionState | None:
    """Return the state of this name; None for another text, such as one of a newer release."""
    return next((state for state in PARTITION_STATES if state == text), None)
