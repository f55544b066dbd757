"""The worker's view of the engine that moves data: start, change, watch and stop slots."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from replication.domain.errors import Cause
from replication.domain.plan.slot import SlotSpec
from replication.domain.reporting.recent_figures import PartitionFigures


class SlotHandle(Protocol):
    """A running slot. Every method may be called from any thread and none blocks except `wait`."""

    def update(self, spec: SlotSpec) -> None:
        """Hand over a newer plan of the same generation, or other holds, resets or limits: no restart is needed."""

    def stop(self, why: Cause | None = None) -> None:
        """Ask for a clean stop: drain what is in flight, commit positions, end. Idempotent; the first cause counts."""

    def wait(self, timeout_s: float | None = None) -> bool:
        """Block until the slot has ended; False when it has not within the time."""

    def error(self) -> BaseException | None:
        """The error that ended the slot without a stop, or None."""

    def live(self) -> dict[str, Any]:
        """The source part of the live state (docs/contracts/live-state.md), cheap enough for once a second."""


class DataEngine(Protocol):
    """One network loop per data worker; all its slots run on it as coroutines."""

    def start(self, lost: Callable[[], None] | None = None) -> None:
        """Start the loop's thread. Idempotent. `lost` is called when it ends without a stop: copying has ended."""

    def start_slot(self, spec: SlotSpec, *, driver: str, boot: str) -> SlotHandle:
        """Start copying; returns immediately, the slot fences its predecessor and reads its positions on its own."""

    def silent_s(self) -> float:
        """Return the seconds since the loop's last beat; it beats once a second. From any thread."""
        ...

    def loop_lag_ms(self) -> int:
        """Return by how much the loop ran late at most in the last ten seconds. From any thread."""
        ...

    def partition_figures(self) -> Sequence[PartitionFigures]:
        """Return the figures of every partition that is being copied. From any thread."""
        ...

    def stop(self, timeout_s: float) -> None:
        """Stop every slot cleanly and then the loop."""
