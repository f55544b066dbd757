"""A data engine that moves nothing and tells everything: each slot notes its starts, beats and ends in a trace."""

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replication.domain.errors import Cause, ClusterUnreachableError
from replication.domain.plan.slot import SlotSpec
from replication.domain.reporting.recent_figures import PartitionFigures

Note = Callable[[dict[str, Any]], None]
BEAT_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of a trace; `at_s` is the machine's monotonic clock, the same for all processes."""

    what: str  # start, beat, update, end
    slot: int
    generation: int
    partitions: int
    pid: int
    boot: str
    at_s: float


class FakeSlot:
    """`fail` lets it end by itself."""

    def __init__(self, spec: SlotSpec, boot: str, note: Note, bytes_per_second: float = 1.0) -> None:
        self.spec = spec
        self._bytes_per_second = bytes_per_second
        self._boot = boot
        self._note = note
        self._stop = threading.Event()
        self._ended = threading.Event()
        self._error: BaseException | None = None
        self.stop_cause: Cause | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def update(self, spec: SlotSpec) -> None:
        self.spec = spec
        self._tell("update")

    def stop(self, why: Cause | None = None) -> None:
        self.stop_cause = self.stop_cause or why
        self._stop.set()

    def fail(self, error: BaseException) -> None:
        self._error = error
        self._stop.set()

    def wait(self, timeout_s: float | None = None) -> bool:
        return self._ended.wait(timeout_s)

    def error(self) -> BaseException | None:
        return self._error

    def live(self) -> dict[str, Any]:
        return {
            "state": "running",
            "cause": None,
            "partitions": len(self.spec.partitions),
            "bytes_per_second": self._bytes_per_second,
        }

    def _run(self) -> None:
        self._tell("start")
        while not self._stop.wait(BEAT_S):
            self._tell("beat")
        self._tell("end")
        self._ended.set()

    def _tell(self, what: str) -> None:
        self._note(
            {
                "what": what,
                "slot": self.spec.slot,
                "generation": self.spec.generation,
                "partitions": len(self.spec.partitions),
                "pid": os.getpid(),
                "boot": self._boot,
                "at_s": time.monotonic(),
            }
        )


HUNG_S = 3_600.0


class FakeEngine:
    """`rates` are the bytes per second that slots report; slots of a source whose alias begins with `dead` fail.

    Its loop is silent while the file `silence` exists.
    """

    def __init__(self, note: Note, rates: Mapping[int, float] | None = None, silence: Path | None = None) -> None:
        self._silence = silence
        self._note = note
        self._rates = rates or {}
        self.slots: list[FakeSlot] = []

    def start(self, lost: Callable[[], None] | None = None) -> None:
        return

    def start_slot(self, spec: SlotSpec, *, driver: str, boot: str) -> FakeSlot:
        if spec.flow.source.startswith("dead"):
            raise ClusterUnreachableError(f"{spec.flow.source} does not answer", cluster=spec.flow.source)
        self.slots.append(FakeSlot(spec, boot, self._note, self._rates.get(spec.slot, 1.0)))
        return self.slots[-1]

    def silent_s(self) -> float:
        return HUNG_S if self._silence is not None and self._silence.exists() else 0.0

    def loop_lag_ms(self) -> int:
        return 0

    def partition_figures(self) -> list[PartitionFigures]:
        return []

    def stop(self, timeout_s: float) -> None:
        for slot in self.slots:
            slot.stop()


def note_in(trace: Path) -> Note:
    """Append lines so small that the system never mixes those of two processes."""

    def note(event: dict[str, Any]) -> None:
        with trace.open("a") as file:
            file.write(json.dumps(event) + "\n")

    return note


def read_trace(trace: Path) -> list[Event]:
    if not trace.exists():
        return []
    lines = trace.read_text().rpartition("\n")[0].splitlines()  # the last one may be half written
    return [Event(**json.loads(line)) for line in lines]
