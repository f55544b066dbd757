"""The interface of the tasks of a flow in this process: its slots, its planner, its heartbeat, a checkpoint slot."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from replication.domain.assignment.stop_reason import StopReason
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.slot import ClusterClient
from replication.tasks.groups.checkpoint_order import CheckpointOrder
from replication.worker.assignment.task_status import TaskReport, TaskStatus

Order = TypeVar("Order", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowOrder:
    """The order of a planner or heartbeat; a different order restarts it.

    `revision` is that of the desired document; a later document with equal content is not a different order.
    """

    flow: DesiredFlow
    target_alias: str
    source: ClusterClient
    target: ClusterClient
    revision: int = field(compare=False, default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointSlotOrder(FlowOrder):
    """The order of a checkpoint slot. A running task takes over an order with the same connections."""

    slot: int
    plan: PlanDocument
    reverse: DesiredFlow | None = None  # the flow the other way

    def work(self) -> CheckpointOrder:
        return CheckpointOrder(
            flow=self.flow, target=self.target_alias, slot=self.slot, plan=self.plan, reverse=self.reverse
        )

    def check(self) -> None:
        """Raise a ValueError or InvalidPatternError when a setting is invalid."""
        _ = (self.work().settings, self.connections())

    def connections(self) -> tuple[object, ...]:
        """Return what a running task cannot change. Raises SettingError."""
        work = self.work()
        return (self.slot, self.target_alias, self.source, self.target, work.topic, work.copy_topics)


class TaskGroup(Protocol[Order]):
    """The coordinator thread calls all methods; none blocks."""

    def set_orders(self, orders: Mapping[int, Order], why_stopped: Callable[[int], StopReason] | None = None) -> None:
        """Set the slots to run from now on; all others stop cleanly, and their events have the reason."""

    def is_idle(self, slot: int) -> bool:
        """Return True when the slot has stopped, so that its lease may be released."""

    def is_fenced(self, slot: int) -> bool:
        """Return True when another owner has taken the slot over; much cheaper than its status."""

    def status(self, slot: int) -> TaskStatus: ...

    def report(self) -> TaskReport | None:
        """Return what a checkpoint task has for others; None of others."""
