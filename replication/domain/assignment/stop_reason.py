"""Why a driver ends a source task that did not fail: the cause of the task's event."""

from dataclasses import dataclass
from typing import Literal

from replication.domain.errors import Cause

StopCode = Literal[
    "flow_removed",
    "flow_disabled",
    "flow_paused",
    "flow_stopped",
    "restart_ordered",
    "settings_changed",
    "replanned",
    "drained",
    "rebalanced",
    "lease_lost",
    "driver_stops",
    "coordinator_lost",
]
STOP_TEXTS: dict[StopCode, str] = {
    "flow_removed": "the flow was removed",
    "flow_disabled": "the flow is disabled",
    "flow_paused": "the flow is paused",
    "flow_stopped": "the flow is stopped",
    "restart_ordered": "a restart of the task was ordered",
    "settings_changed": "the task restarts with changed settings",
    "replanned": "the plan was made again, and partitions may belong to other tasks",
    "drained": "the driver is drained, the task moves to another one",
    "rebalanced": "the task moves to another driver",
    "lease_lost": "another driver has taken the task over",
    "driver_stops": "the process of the driver ends",
    "coordinator_lost": "Redis does not answer, and SRM_ON_COORDINATOR_LOSS is `stop`",
}


@dataclass(frozen=True, slots=True)
class StopReason:
    """`detail` tells more than the text of the code: who gave the order and why, or which settings."""

    code: StopCode
    detail: str = ""

    @property
    def text(self) -> str:
        """One line for an operator."""
        text = STOP_TEXTS[self.code]
        return f"{text}: {self.detail}" if self.detail else text

    def cause(self, since_ms: int) -> Cause:
        """Return the reason as the cause of an event."""
        return Cause(code=self.code, text=self.text, topic=None, partition=None, since_ms=since_ms)
