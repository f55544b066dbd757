"""Ends a driver process that hangs, so that its supervisor starts another one.

The coordinator beats once a round. A timer of `faulthandler`, which needs no interpreter lock, ends the process without
a beat for the limit: also one that hangs in C code. The network loop of the process beats, too, and the
coordinator judges its age.
"""

import faulthandler
import os
import sys
from collections.abc import Callable

import structlog

from replication.worker.exit_codes import EX_SOFTWARE

log = structlog.get_logger(__name__)


def _exit_at_once() -> None:
    faulthandler.dump_traceback(file=sys.__stderr__ or sys.stderr, all_threads=True)
    os._exit(EX_SOFTWARE)


class HangWatch:
    """`limit_s` 0 watches nothing. `loop_silent_s` returns the seconds since the network loop's last beat."""

    def __init__(
        self,
        limit_s: float,
        loop_silent_s: Callable[[], float] | None = None,
        end: Callable[[], None] = _exit_at_once,
    ) -> None:
        self._limit_s = limit_s
        self._loop_silent_s = loop_silent_s
        self._end = end

    def beat(self) -> None:
        """The coordinator works; end the process if the network loop does not."""
        if self._limit_s <= 0:
            return
        silent_s = 0.0 if self._loop_silent_s is None else self._loop_silent_s()
        if silent_s > self._limit_s:
            log.error("the network loop hangs, ending the process", seconds=round(silent_s), limit_s=self._limit_s)
            self._end()
            return
        faulthandler.dump_traceback_later(self._limit_s, exit=True, file=sys.__stderr__ or sys.stderr)

    def stop(self) -> None:
        """Watch no longer: a stop has its own deadline."""
        if self._limit_s > 0:
            faulthandler.cancel_dump_traceback_later()
