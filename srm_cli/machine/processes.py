"""Starts, identifies and ends operating-system processes, safe against re-used pids."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessIdentity:
    """A pid with its start time, which identify a process even after the system re-uses the pid."""

    pid: int
    start_ticks: int

    @property
    def is_alive(self) -> bool:
        return start_ticks(self.pid) == self.start_ticks


def start_ticks(pid: int) -> int | None:
    """Return the start time in clock ticks since boot (field 22 of /proc/<pid>/stat); None for a dead process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def identify(pid: int) -> ProcessIdentity | None:
    ticks = start_ticks(pid)
    return None if ticks is None else ProcessIdentity(pid=pid, start_ticks=ticks)


def die_with_parent(parent_pid: int) -> Callable[[], None]:
    """Return a `preexec_fn` that makes the kernel kill the child when the starting *thread* ends.

    Start such children from the main thread only: the signal follows the thread, not the process.
    """

    def set_death_signal() -> None:
        if _LIBC is not None:
            _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent_pid:
                os.kill(os.getpid(), signal.SIGKILL)

    return set_death_signal


def start_detached(
    command: Sequence[str], *, log: Path, env: Mapping[str, str] | None = None, tie_to_parent: bool
) -> ProcessIdentity:
    """Start the command in a new session, with its output appended to `log`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=None if env is None else dict(env),
            start_new_session=True,
            preexec_fn=die_with_parent(os.getpid()) if tie_to_parent else None,
        )
    identity = identify(child.pid)
    if identity is None:
        return ProcessIdentity(pid=child.pid, start_ticks=-1)
    _CHILDREN[child.pid] = child
    return identity


def end(identities: Sequence[ProcessIdentity], *, grace_seconds: float) -> None:
    """Send SIGTERM to all, wait up to `grace_seconds` in total, then SIGKILL the remaining process groups."""
    for identity in identities:
        _signal(identity, signal.SIGTERM)
    if not wait_until(lambda: not any(_still_alive(each) for each in identities), grace_seconds):
        for identity in identities:
            _signal_group(identity, signal.SIGKILL)
        wait_until(lambda: not any(_still_alive(each) for each in identities), 5.0)


def wait_until(condition: Callable[[], bool], seconds: float, every_seconds: float = 0.05) -> bool:
    """Return True as soon as `condition` holds, False when it does not within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(every_seconds)
    return True


_CHILDREN: dict[int, "subprocess.Popen[bytes]"] = {}


def _still_alive(identity: ProcessIdentity) -> bool:
    child = _CHILDREN.get(identity.pid)
    if child is not None and child.poll() is not None:
        _CHILDREN.pop(identity.pid, None)
    return identity.is_alive


def _signal(identity: ProcessIdentity, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):  # it may end between the check and the signal
        if identity.is_alive:
            os.kill(identity.pid, number)


def _signal_group(identity: ProcessIdentity, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        if identity.is_alive:
            own_group = os.getpgid(identity.pid) == identity.pid
            (os.killpg if own_group else os.kill)(identity.pid, number)
