"""Why a task runs where it runs: the reason of its last move, as its new owner can see it."""

from dataclasses import dataclass
from typing import Literal, get_args

from replication.domain.assignment.lease import LeaseValue

MoveReason = Literal["started", "restarted", "replanned", "driver_gone", "drained", "rebalanced"]
MOVE_REASONS: tuple[MoveReason, ...] = get_args(MoveReason)
MOVE_TEXTS: dict[MoveReason, str] = {
    "started": "No driver held the task before.",
    "restarted": "The process of the same driver was restarted.",
    "replanned": "The plan was made again, and partitions may belong to other tasks.",
    "driver_gone": "The previous driver stopped or was lost.",
    "drained": "The previous driver is drained.",
    "rebalanced": "The previous driver has other tasks to run.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LastOwner:
    """The owner that a task had before, and whether its process still reports."""

    lease: LeaseValue
    is_present: bool
    is_drained: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The last move of a task to its present owner."""

    at_ms: int
    reason: MoveReason
    from_driver: str | None = None


def move_to(mine: LeaseValue, before: LastOwner | None, at_ms: int) -> Move:
    """Return the move of a task that `before` held to the owner of the lease `mine`."""
    if before is None:
        return Move(at_ms=at_ms, reason="started")
    return Move(at_ms=at_ms, reason=_reason(mine, before), from_driver=before.lease.driver)


def _reason(mine: LeaseValue, before: LastOwner) -> MoveReason:
    if before.lease.driver == mine.driver:
        return "replanned" if before.lease.boot == mine.boot else "restarted"
    if not before.is_present:
        return "driver_gone"
    return "drained" if before.is_drained else "rebalanced"
