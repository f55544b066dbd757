"""Ends a driver process that hangs, so that its supervisor starts another one.

The coordinator beats once a round. A timer of `faulthandler`, which needs no interpreter lock, ends the process without
a beat for the limit: also one that hangs in C code. The network loop of the process beats, too. The coordinator judges
its age; when it is silent, the tasks of the process are given to others first. Each beat is passed on to the
supervisor, which ends a process that is frozen as a whole.
"""

import contextlib
import faulthandler
import os
import stat
import sys
import threading
from collections.abc import Callable

import structlog

from replication.worker.exit_codes import EX_SOFTWARE

log = structlog.get_logger(__name__)

BEAT_FD = "SRM_BEAT_FD"  # the variable with the number of the supervisor's pipe
_HAND_OVER_S = 2.0


def _exit_at_once() -> None:
    faulthandler.dump_traceback(file=sys.__stderr__ or sys.stderr, all_threads=True)
    os._exit(EX_SOFTWARE)


class HangWatch:
    """`limit_s` 0 watches nothing. `loop_silent_s` returns the seconds since the network loop's last beat.

    `hand_over` lets other processes take the tasks at once; it has two seconds, and its errors are logged.
    """

    def __init__(
        self,
        limit_s: float,
        loop_silent_s: Callable[[], float] | None = None,
        end: Callable[[], None] = _exit_at_once,
        beat_fd: int | None = None,
        hand_over: Callable[[], None] = lambda: None,
    ) -> None:
        self._limit_s = limit_s
        self._beat_fd = beat_fd if beat_fd is not None and _is_pipe(beat_fd) else None
        self._loop_silent_s = loop_silent_s
        self._end = end
        self._hand_over = hand_over

    def beat(self) -> None:
        """The coordinator works; end the process if the network loop does not."""
        self._tell_supervisor()
        if self._limit_s <= 0:
            return
        silent_s = 0.0 if self._loop_silent_s is None else self._loop_silent_s()
        if silent_s > self._limit_s:
            log.error("the network loop hangs, ending the process", seconds=round(silent_s), limit_s=self._limit_s)
            self._hand_over_and_end()
            return
        faulthandler.dump_traceback_later(self._limit_s, exit=True, file=sys.__stderr__ or sys.stderr)

    def _hand_over_and_end(self) -> None:
        deadline = threading.Timer(_HAND_OVER_S, self._end)
        deadline.daemon = True
        deadline.start()
        try:
            self._hand_over()
        except Exception as error:
            log.warning("the tasks were not handed over, their leases expire", error=str(error))
        deadline.cancel()
        self._end()

    def _tell_supervisor(self) -> None:
        if self._beat_fd is not None:
            with contextlib.suppress(OSError):  # it reads nothing at the moment, or has ended
                os.write(self._beat_fd, b".")

    def stop(self) -> None:
        """Watch no longer: a stop has its own deadline."""
        if self._limit_s > 0:
            faulthandler.cancel_dump_traceback_later()


def _is_pipe(descriptor: int) -> bool:
    """False for a number that was inherited without its pipe: it may be that of any file."""
    try:
        return stat.S_ISFIFO(os.fstat(descriptor).st_mode)
    except OSError:
        return False
