"""The interface of work that is repeated: planning, heartbeats, the checkpoints of a slot."""

from typing import Any, Protocol, runtime_checkable

from replication.worker.assignment.task_status import TaskReport


class PeriodicWork(Protocol):
    """Work bound to one order. Its runs follow each other on changing threads; other threads call only `live`."""

    @property
    def interval_ms(self) -> int:
        """The time from the last run to the next one."""

    def run_once(self, now_ms: int) -> None:
        """Run once; may block until a cluster's time-out expires. Raises replication.domain.errors."""

    def apply_order(self, order: Any) -> bool:
        """Continue with another order; False if that is impossible, and the work has to be opened again."""

    def live(self) -> dict[str, Any]:
        """The fields of this kind of task in the live state."""

    def report(self) -> TaskReport | None:
        """Return what the task has for others; None for most kinds."""

    def close(self) -> None: ...


@runtime_checkable
class PreparedWork(Protocol):
    """Work whose runs share requests: all works of a batch prepare a run, then each completes its own."""

    def prepare(self, now_ms: int) -> None:
        """Begin the run that `run_once` completes, without waiting for its answer. Raises what `run_once` raises."""
