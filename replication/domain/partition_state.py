"""The state each partition of a task is in, told by the part that notices, shown everywhere."""

from typing import Literal

PartitionState = Literal["replicating", "caught_up", "paused", "throttled", "stalled", "gap", "failed"]
PARTITION_STATES: tuple[PartitionState, ...] = (
    "replicating",
    "caught_up",
    "paused",
    "throttled",
    "stalled",
    "gap",
    "failed",
)
