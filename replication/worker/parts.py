"""The outside world of a driver process, as functions that open it; `wiring` names the real ones, tests others."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from replication.ports.data_engine import DataEngine
from replication.worker.flow_works import OpenHeartbeat, OpenPlanner
from replication.worker.raw_metrics import OpenProducer


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Each is called in the thread that uses what it opens; the engine once, in data workers only."""

    open_engine: Callable[[Path], DataEngine]  # with a folder of its own
    open_planner: OpenPlanner
    open_heartbeat: OpenHeartbeat
    open_producer: OpenProducer
