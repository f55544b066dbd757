"""Decides which driver may run a task, by leases (docs/contracts/redis-keys.md).

A lease balances and starts work; it never protects data. Kafka's fencing stops a second owner.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

LEASE_MS = 10_000
RENEW_MS = 3_000
MEMBER_MS = 10_000  # life of a membership, renewed each second
SELF_FENCE_MS = 8_000  # two seconds before anybody else may take the lease
LEADER_MS = 3_000
FENCED_PAUSE_MS = 10_000

OnCoordinatorLoss = Literal["continue", "stop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseValue:
    """Written `driver|boot|generation`; `boot` is one start of one process."""

    driver: str
    boot: str
    generation: int

    def __str__(self) -> str:
        return f"{self.driver}|{self.boot}|{self.generation}"

    @classmethod
    def parse(cls, text: str) -> "LeaseValue":
        """ValueError names a text that is no lease."""
        parts = text.split("|")
        if len(parts) != 3 or not parts[2].isdigit():
            raise ValueError(f"not a lease: {text!r} (expected driver|boot|generation)")
        return cls(driver=parts[0], boot=parts[1], generation=int(parts[2]))


def may_take(current: LeaseValue | None, mine: LeaseValue, earlier_boots: Collection[str]) -> bool:
    """A free lease may be taken, and one that an earlier boot on our own state folder left behind.

    The lock on the state folder proves that those boots are dead. A lease of the same driver id with an unknown boot
    belongs to a namesake elsewhere and is respected.
    """
    if current is None:
        return True
    left_behind_by_us = current.driver == mine.driver and current.boot in earlier_boots
    return left_behind_by_us or (current.driver == mine.driver and current.boot == mine.boot)


def another_generation_runs(leases: Collection[LeaseValue | None], generation: int) -> bool:
    """Return True while a slot of another generation holds its lease, so that this one has to wait."""
    return any(lease is not None and lease.generation != generation for lease in leases)


def renewal_is_due(renewed_ms: int, now_ms: int) -> bool:
    return now_ms - renewed_ms >= RENEW_MS


def must_stop(renewed_ms: int, now_ms: int, on_loss: OnCoordinatorLoss) -> bool:
    """Return True when the owner has to stop because it could not renew; both times are on its monotonic clock."""
    return on_loss == "stop" and now_ms - renewed_ms >= SELF_FENCE_MS


def restart_delay_ms(failures: int) -> int:
    """Back-off after the nth failure in a row: 1, 2, 4 ... 30 s."""
    doublings = min(max(failures, 1) - 1, 5)
    return min(1_000 << doublings, 30_000)
