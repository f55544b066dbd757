"""The processes that may run tasks, and the tasks that are to be placed on them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from replication.domain.assignment.assignment import DriverRole, TaskKey, role_of
from replication.domain.assignment.labels import has_labels
from replication.domain.identifiers import TaskId


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignableTask:
    """A task that has to run, and its present driver, or the one that it is moving to.

    `labels` are those that a source slot asks of its driver; `load` is its measured load (`load.task_loads`).
    A task that is moving is assigned to a driver that does not hold its lease yet.
    """

    target: str
    task: TaskId
    driver: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    load: float = 0.0
    moving: bool = False

    @property
    def key(self) -> TaskKey:
        return (self.target, self.task)

    @property
    def flow(self) -> tuple[str, str]:
        return (self.target, self.task.source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A live process. `targets` None serves every target; `capacity` is the most tasks it takes; None sets no limit.

    A draining process gets no tasks, and its tasks move away one slot of a flow at a time.
    """

    driver: str
    role: DriverRole
    targets: frozenset[str] | None = None
    capacity: int | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    drain: bool = False

    def serves(self, work: AssignableTask) -> bool:
        """Return True when the process runs tasks of this kind and target."""
        return self.role == role_of(work.task) and (self.targets is None or work.target in self.targets)

    def suits(self, work: AssignableTask) -> bool:
        """Return True when the process serves the task and has the labels that it asks for."""
        return self.serves(work) and has_labels(self.labels, work.labels)
