"""kafka-python's loop, leaner where a busy data worker spends its time.

The library registers a socket again for each wait, formats an error text with two system calls when the selector does
not know it, and offers a dozen trace lines per step: together a fifth of the CPU of a busy data worker. Here readers
stay registered and a step does what it must; everything else is the library's.
"""

import selectors
import time
from collections.abc import Callable, Coroutine
from typing import Any

import structlog
from kafka.net.selector import MAX_TIMEOUT, Future, KernelEvent, NetworkSelector, Task, TaskState

from replication.domain.reporting.step_times import LONG_S, StepTimes

log = structlog.get_logger(__name__)

_STAY = KernelEvent("stay_registered")
_WAITED_S = 0.001  # a shorter poll found what had already arrived
_CPU_EVERY_S = 0.05  # to ask for the CPU time of a process takes as long as a small step


class SocketReader(Task):  # type: ignore[misc] # kafka-python has no types
    """Calls a function each time its socket has something to read, until `EngineSelector.stop_reading`."""

    def __init__(self, read: Callable[[], None]) -> None:
        super().__init__(read)
        self._read = read
        self.state = TaskState.WAIT_IO

    def __call__(self, arg: Any = None) -> KernelEvent:
        self._read()
        return _STAY


class SpawnedTask(Task):  # type: ignore[misc] # kafka-python has no types
    """A coroutine that runs beside the others; its failure is kept until the task is joined.

    The library's task can also run generators and functions that it is handed while it runs; a coroutine needs none
    of that, only its next step.
    """

    _exc: BaseException | None

    def __init__(self, coroutine: Coroutine[Any, Any, None]) -> None:
        super().__init__(coroutine)
        self._coroutine = coroutine
        self._ended = Future()

    def __call__(self, arg: Any = None) -> Any:
        failure, self._exc = self._exc, None
        try:
            return self._coroutine.send(None) if failure is None else self._coroutine.throw(failure)
        except BaseException as end:
            self._stack = None  # which is how the library knows that a task is over
            if isinstance(end, StopIteration):
                self._ended.success(None)
            else:
                self._ended.failure(end)
        raise StopIteration

    @property
    def done(self) -> bool:
        return bool(self._ended.is_done)

    @property
    def error(self) -> BaseException | None:
        """Why it failed, None while it runs or when it ended well."""
        failure: BaseException | None = self._ended.exception
        return failure

    async def join(self) -> None:
        """Wait for its end and raise its failure."""
        await self._ended


class EngineSelector(NetworkSelector):  # type: ignore[misc] # kafka-python has no types
    """As the library's, with `read_from` beside `wait_read`. Polled by its own thread only."""

    lost: Callable[[], None] | None = None  # called when the loop's thread ends without a stop
    heard_s = 0.0  # what is read now came after this moment; later by the loop's own work at most
    _polled_s = 0.0
    _cpu_asked_s = _cpu_s = 0.0  # when, and what the process had used by then

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        self.step_times = StepTimes()

    def run_forever(self) -> None:
        """Run until `stop`. Any other end closes every connection, so it is reported through `lost`."""
        try:
            super().run_forever()
        except BaseException:
            if self.lost is not None:
                self.lost()
            raise

    def read_from(self, sock: Any, read: Callable[[], None]) -> SocketReader:
        """Call `read` whenever the socket is readable; it must not raise and reads until the socket would block."""
        reader = SocketReader(read)
        self.register_event(sock, selectors.EVENT_READ, reader)
        return reader

    def stop_reading(self, sock: Any, reader: SocketReader) -> None:
        """Undo `read_from`."""
        self.unregister_event(sock, selectors.EVENT_READ)
        self.cancel(reader)

    def stay_registered(self) -> None:
        """A reader's step is over: back to waiting."""
        if self._current.state is TaskState.RUNNING:
            self._current.state = TaskState.WAIT_IO

    def _poll_once(self, timeout: float | None = None) -> None:
        patience = self._patience(timeout)
        asked_s = time.monotonic()
        events = self._selector.select(patience)
        now_s = time.monotonic()
        self.heard_s = now_s if now_s - asked_s > _WAITED_S else self._polled_s
        self._polled_s = now_s
        if now_s - self._cpu_asked_s > _CPU_EVERY_S:
            self._cpu_asked_s, self._cpu_s = now_s, time.process_time()
        if events:
            self._process_events(events)
        if self._scheduled:
            self._schedule_tasks()
        ready = self._ready
        for _ in range(len(ready)):
            task = self._current = ready.popleft()
            if task.state is not TaskState.DONE and task.state is not TaskState.CANCELLED:
                self._step(task)
        self._current = None

    def _patience(self, timeout: float | None) -> float | None:
        """Return the longest wait for sockets: none while a task is ready, otherwise until the next timer."""
        if self._ready:
            return 0
        if self._scheduled:
            until = self._scheduled[0][0] - time.monotonic()
            timeout = until if timeout is None else min(timeout, until)
        return None if timeout is None else max(0, min(timeout, MAX_TIMEOUT))

    def _step(self, task: Any) -> None:
        task.state = TaskState.RUNNING
        started = time.monotonic()
        try:
            event = task()
        except StopIteration:
            self._task_done(task)
        except BaseException as error:
            log.exception("task failed", error=f"{type(error).__name__}: {error}")
            task._stack = None  # a reader's never ends on its own, and the library ends its loop over that
            self._task_done(task)
        else:
            self._wait_for(task, event)
        elapsed = time.monotonic() - started
        if elapsed >= LONG_S:
            self.step_times.note(elapsed)
            if elapsed > self.config["slow_task_threshold_secs"]:
                self._tell_slow(task, elapsed)

    def _tell_slow(self, task: Any, elapsed_s: float) -> None:
        """A line about a long step: with little CPU time the process was frozen, or the machine had none for it."""
        cpu_ms = round((time.process_time() - self._cpu_s) * 1000)
        log.warning("slow step", elapsed_ms=round(elapsed_s * 1000), cpu_ms=cpu_ms, task=_name_of(task))

    def _wait_for(self, task: Any, event: Any) -> None:
        if task.state is TaskState.CANCELLED:
            self._pending_tasks.discard(task)
            task.close()
        elif isinstance(event, KernelEvent):
            try:
                getattr(self, event.method)(*event.args)
            except BaseException as error:
                task.inject_exc(error)
                self._add_ready_task(task)
        elif isinstance(event, Future):
            task.state = TaskState.WAIT_FUTURE
            event.add_both(lambda _: self.call_soon(task))
        else:
            raise RuntimeError(f"a task waits for {type(event).__name__}, which the loop does not know")


def _name_of(task: Any) -> str:
    called = getattr(task, "_coroutine", None) or getattr(task, "_read", None) or type(task)
    return str(getattr(called, "__qualname__", called))
