"""Forks a process per piece of work: what a mutant breaks ends with its process."""

import os
import select
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Work = TypeVar("Work")


@dataclass(slots=True)
class Answer(Generic[Work]):
    """The output of a child; None if it took too long."""

    work: Work
    output: bytes | None


@dataclass(slots=True)
class _Child(Generic[Work]):
    pid: int
    pipe: int
    work: Work
    deadline_s: float
    output: bytes = b""


def in_children(
    work: Sequence[Work], do: Callable[[Work], bytes], processes: int, *, limit_s: Callable[[Work], float]
) -> Iterator[Answer[Work]]:
    """Do each piece in a separate child, some at once; answers come as they are ready."""
    waiting, running = list(reversed(work)), dict[int, _Child[Work]]()
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                child = _start(waiting.pop(), do, limit_s)
                running[child.pipe] = child
            ready, _, _ = select.select(list(running), [], [], 0.2)
            for pipe in ready:
                if read := os.read(pipe, 1 << 16):
                    running[pipe].output += read
                else:
                    child = running.pop(pipe)
                    if status := _end(child):
                        raise RuntimeError(f"a child ended with {status}: {child.work}")
                    yield Answer(child.work, child.output)
            for child in [each for each in running.values() if time.monotonic() > each.deadline_s]:
                del running[child.pipe]
                os.kill(child.pid, signal.SIGKILL)
                _end(child)
                yield Answer(child.work, None)
    finally:
        for child in running.values():
            os.kill(child.pid, signal.SIGKILL)
            _end(child)


def _start(work: Work, do: Callable[[Work], bytes], limit_s: Callable[[Work], float]) -> _Child[Work]:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return _Child(pid, reader, work, time.monotonic() + limit_s(work))
    code, errors = 1, os.dup(2)
    try:
        os.close(reader)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        output = memoryview(do(work))
        while output:
            output = output[os.write(writer, output) :]
        code = 0
    except BaseException:
        os.write(errors, traceback.format_exc().encode())
    finally:
        os._exit(code)


def _end(child: _Child[Work]) -> int:
    os.close(child.pipe)
    return os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1])
