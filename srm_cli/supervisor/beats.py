"""Beats of a process: while it works, it writes bytes to a pipe of the supervisor.

The process itself ends when a part of it hangs. One that is frozen as a whole cannot, but it no longer beats.
"""

import asyncio
import os
import time

from replication.worker.hang_watch import BEAT_FD

LOOK_SECONDS = 1.0


class BeatPipe:
    """A pipe for one life of a process."""

    def __init__(self) -> None:
        self._reader, self.writer = os.pipe()
        for descriptor in (self._reader, self.writer):
            os.set_blocking(descriptor, False)

    @property
    def environment(self) -> dict[str, str]:
        """The variable that names the pipe to the process, which inherits it."""
        return {BEAT_FD: str(self.writer)}

    def hand_over(self) -> None:
        """The process has the writing end."""
        os.close(self.writer)

    def close(self) -> None:
        os.close(self._reader)

    async def wait_for_silence(self, limit_seconds: float, start_seconds: float) -> None:
        """Return when nothing was heard for the limit, or for so much longer from the start on.

        Time in which the supervisor itself did not run hardly counts.
        """
        silent, before = -start_seconds, time.monotonic()
        while silent < limit_seconds:
            await asyncio.sleep(LOOK_SECONDS)
            now = time.monotonic()
            silent = 0.0 if self._has_heard() else silent + min(now - before, 2 * LOOK_SECONDS)
            before = now

    def _has_heard(self) -> bool:
        try:
            return bool(os.read(self._reader, 4096))
        except BlockingIOError:
            return False
