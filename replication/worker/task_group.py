"""What the coordinator needs of tasks that one parked Celery job runs: a flow's slots, its planner, its heartbeat."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from replication.domain.desired import DesiredFlow
from replication.domain.slot import ClusterClient
from replication.worker.job_ticket import JobTicket
from replication.worker.task_status import TaskStatus

Order = TypeVar("Order", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowOrder:
    """What a planner or heartbeat needs to know; another one of these makes it start afresh.

    `revision` is the desired document's when the order was made; a later document that says the same is no new order.
    """

    flow: DesiredFlow
    target_alias: str
    source: ClusterClient
    target: ClusterClient
    revision: int = field(compare=False, default=0)


class TaskGroup(Protocol[Order]):
    """`want`, `is_idle` and `status` come from the coordinator thread and never block; `run` is the job's body."""

    ticket: JobTicket

    def want(self, orders: Mapping[int, Order]) -> None:
        """The slots that shall run from now on; all others stop cleanly."""

    def is_idle(self, slot: int) -> bool:
        """Nothing of the slot runs any more, so that its lease may be given back."""

    def needs_job(self) -> bool:
        """There is something to do, which only a job can do."""

    def status(self, slot: int) -> TaskStatus: ...

    def run(self) -> None:
        """Park until nothing is wanted and everything has ended."""
