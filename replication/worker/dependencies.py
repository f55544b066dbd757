"""The external systems of a driver process, as functions that open them; `wiring` supplies the real ones."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from replication.ports.data_engine import DataEngine
from replication.worker.periodic.checkpoint_run import OpenCheckpoints
from replication.worker.periodic.heartbeat_run import OpenHeartbeatSender
from replication.worker.periodic.planning_run import OpenPlanner
from replication.worker.questions.flow_ports import OpenFlowPorts
from replication.worker.reporting.raw_metrics import OpenProducer


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """Each function is called in the thread that uses the result; `open_engine` once, in data workers only.

    `loop_silent_s` returns the seconds since the last beat of a control worker's network loop, from any thread.
    """

    open_engine: Callable[[Path], DataEngine]  # takes the driver's state folder
    open_planner: OpenPlanner
    open_heartbeat_sender: OpenHeartbeatSender
    open_checkpoints: OpenCheckpoints
    open_producer: OpenProducer
    open_flow_ports: OpenFlowPorts
    loop_silent_s: Callable[[], float]
