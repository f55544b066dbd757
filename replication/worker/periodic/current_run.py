"""The run in progress of a periodic task: how long it has taken, and where its thread waits."""

import sys
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path

from replication.domain.errors import Cause

LONG_RUN_MS = 60_000  # requests end after ten seconds; a longer run reads much, or hangs in a library


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentRun:
    began_ms: int  # monotonic
    began_wall_ms: int
    thread: int

    @classmethod
    def here(cls, began_ms: int, began_wall_ms: int) -> "CurrentRun":
        """A run that begins on the calling thread."""
        return cls(began_ms=began_ms, began_wall_ms=began_wall_ms, thread=threading.get_ident())

    def cause(self, now_ms: int) -> Cause | None:
        """Name a run that takes unusually long, with the place in the code where it waits."""
        took_s = (now_ms - self.began_ms) // 1_000
        if took_s * 1_000 < LONG_RUN_MS:
            return None
        text = (
            f"its run has not ended for {took_s - took_s % 10} s and waits in {self._place()}; if it never ends, "
            "restart the control worker"
        )
        return Cause(code="long_run", text=text, topic=None, partition=None, since_ms=self.began_wall_ms)

    def _place(self) -> str:
        frame = sys._current_frames().get(self.thread)
        if frame is None:
            return "a thread that has ended"
        innermost = traceback.extract_stack(frame, limit=1)[0]
        return f"{innermost.name} ({Path(innermost.filename).name}, line {innermost.lineno})"
