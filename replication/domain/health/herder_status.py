"""The herder status: a number for a flow and for a driver, as Streams Replication Manager's agents report it.

The metrics `streams_replication_manager_distributed_herder_status` (per flow) and
`streams_replication_manager_aggregated_herder_status` (per driver) have these values.
"""

from collections.abc import Iterable
from enum import IntEnum

from replication.domain.health.flow_facts import CLUSTER_UNREACHABLE, FlowStatusWord, TaskFact, Thresholds

FLOW_METRIC = "streams_replication_manager_distributed_herder_status"
DRIVER_METRIC = "streams_replication_manager_aggregated_herder_status"


class HerderStatus(IntEnum):
    """All values, from the best to the worst."""

    HEALTHY = 0
    UNKNOWN = 1
    STARTING = 2
    INTERRUPTED = 3
    FAILED = 4


HERDER_MEANING = ", ".join(f"{code.value} {code.name.lower()}" for code in HerderStatus)
_CODES: dict[FlowStatusWord, HerderStatus] = {
    "disabled": HerderStatus.HEALTHY,
    "paused": HerderStatus.HEALTHY,
    "idle": HerderStatus.HEALTHY,
    "unknown": HerderStatus.UNKNOWN,
    "failed": HerderStatus.FAILED,
    "interrupted": HerderStatus.INTERRUPTED,
    "starting": HerderStatus.STARTING,
    "degraded": HerderStatus.HEALTHY,
    "healthy": HerderStatus.HEALTHY,
}


def herder_status(status: FlowStatusWord) -> HerderStatus:
    """Return the code of a flow's status."""
    return _CODES[status]


def herder_status_of_tasks(tasks: Iterable[TaskFact]) -> HerderStatus:
    """Return the code of a driver, or of a driver's part of a flow: that of the worst of its tasks."""
    return max((herder_status(_status_of(task)) for task in tasks), default=HerderStatus.HEALTHY)


def _status_of(task: TaskFact) -> FlowStatusWord:
    """Return the status of a flow that had this task only."""
    if task.state == "failed":
        is_cut_off = task.cause is not None and task.cause.code == CLUSTER_UNREACHABLE
        return "interrupted" if is_cut_off else "failed"
    if task.state == "unassigned":
        return "interrupted"
    if task.frozen_ms > Thresholds().frozen_ms:
        return "interrupted"
    return "healthy" if task.state == "running" else "starting"
