"""The newest facts about this process and its tasks, for the metrics page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from replication.domain.reporting.recent_figures import PartitionFigures
from replication.ports.data_engine import DataEngine
from replication.worker.assignment.task_status import Rows
from replication.worker.http.process_health import ProcessHealth
from replication.worker.reporting.documents import DriverProcess
from replication.worker.reporting.process_load import ProcessLoad
from replication.worker.reporting.raw_metrics import RawMetrics

MOST_GROUP_ROWS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLatency:
    """The checkpoint latency of a group on a partition in the last round that wrote a checkpoint, in ms."""

    source: str
    target: str
    group: str
    topic: str  # remote
    partition: int
    avg: float
    max: float
    min: float


@dataclass(slots=True, kw_only=True)
class DriverReport:
    """The coordinator thread calls `replace_states` and `add_groups`. Readers copy values at once and need no lock."""

    process: DriverProcess
    load: ProcessLoad
    health: ProcessHealth
    engine: DataEngine | None = None  # of a data worker
    raw_metrics: RawMetrics | None = None  # of a control worker
    states: tuple[Mapping[str, Any], ...] = ()
    _groups: dict[tuple[str, str, str, str, int], GroupLatency] = field(default_factory=dict)

    def replace_states(self, states: Iterable[Mapping[str, Any]]) -> None:
        """Replace the live states of the tasks."""
        self.states = tuple(states)
        held = {(state["source"], state["target"]) for state in self.states if state["kind"] == "checkpoint"}
        for key in [key for key in self._groups if (key[0], key[1]) not in held]:
            del self._groups[key]

    def add_groups(self, source: str, target: str, records: Iterable[Rows], remote_names: Mapping[str, str]) -> None:
        """Note the rows that a checkpoint task reports (docs/contracts/raw-metrics.md, kind `group`)."""
        for rows in records:
            for group, upstream, partition, *_, latency in rows:
                topic = remote_names.get(upstream, upstream)
                key = (source, target, group, topic, partition)
                if latency and latency[0] and (key in self._groups or len(self._groups) < MOST_GROUP_ROWS):
                    count, smallest, largest, total = latency[:4]
                    self._groups[key] = GroupLatency(
                        source=source,
                        target=target,
                        group=group,
                        topic=topic,
                        partition=partition,
                        avg=total / count,
                        max=largest,
                        min=smallest,
                    )

    def partitions(self) -> Sequence[PartitionFigures]:
        """Return the figures of each partition that is copied here. From any thread."""
        return () if self.engine is None else self.engine.partition_figures()

    def group_latencies(self) -> tuple[GroupLatency, ...]:
        """Return the checkpoint latencies. From any thread."""
        return tuple(self._groups.values())
