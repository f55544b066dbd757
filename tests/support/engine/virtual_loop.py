"""A loop for unit tests: coroutines in one thread, and a clock that jumps to the next thing that happens."""

import heapq
import itertools
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from typing import Any

from replication.ports.loop import ResultT


class _Pause:
    """The object that a coroutine awaits; the loop sets `resume`."""

    def __init__(self, arm: Callable[[Callable[[], None]], None]) -> None:
        self.arm = arm

    def __await__(self) -> Generator["_Pause", None, None]:
        yield self


class VirtualTask:
    def __init__(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self.coroutine = coroutine
        self.done = False
        self.error: BaseException | None = None
        self._joiners: list[Callable[[], None]] = []

    async def join(self) -> None:
        if not self.done:
            await _Pause(self._joiners.append)
        if self.error is not None:
            raise self.error

    def end(self, error: BaseException | None = None) -> None:
        self.done, self.error = True, error
        for resume in self._joiners:
            resume()


class VirtualSignal:
    def __init__(self, loop: "VirtualLoop") -> None:
        self._loop = loop
        self._set = False
        self._wake: Callable[[], None] | None = None

    def set(self) -> None:
        self._set = True
        if self._wake is not None:
            wake, self._wake = self._wake, None
            wake()

    async def wait(self, timeout_s: float) -> bool:
        if not self._set:

            def arm(resume: Callable[[], None]) -> None:
                called = False

                def once() -> None:
                    nonlocal called
                    if not called:
                        called = True
                        resume()

                self._wake = once
                self._loop.later(timeout_s, once)

            await _Pause(arm)
        was_set, self._set = self._set, False
        return was_set


class VirtualLoop:
    """The `Loop` port."""

    def __init__(self) -> None:
        self._now_s = 1_000.0
        self._clock_ahead_s = 0.0
        self._numbers = itertools.count()
        self._ready: deque[VirtualTask] = deque()
        self._timers: list[tuple[float, int, Callable[[], None]]] = []

    def now_ms(self) -> int:
        return int((self._now_s + self._clock_ahead_s) * 1000)

    def set_clock_back(self, seconds: float) -> None:
        """Turn back the time of the day; the monotonic clock does not notice."""
        self._clock_ahead_s -= seconds

    def monotonic_s(self) -> float:
        return self._now_s

    def cpu_s(self) -> float:
        return 0.0

    def signal(self) -> VirtualSignal:
        return VirtualSignal(self)

    def later(self, seconds: float, function: Callable[[], None]) -> None:
        heapq.heappush(self._timers, (self._now_s + seconds, next(self._numbers), function))

    async def sleep(self, seconds: float) -> None:
        await _Pause(lambda resume: self.later(seconds, resume))

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> VirtualTask:
        task = VirtualTask(coroutine)
        self._ready.append(task)
        return task

    async def run_aside(self, work: Callable[[], ResultT]) -> ResultT:
        result = work()
        await self.sleep(0)
        return result

    def call_threadsafe(self, function: Callable[[], None]) -> None:
        self.later(0, function)

    def run_until(self, holds: Callable[[], bool], limit_s: float = 300) -> None:
        """Run what is ready and let time pass until `holds`; AssertionError after so many virtual seconds."""
        end_s = self._now_s + limit_s
        while not holds():
            if self._ready:
                self._step(self._ready.popleft())
            else:
                assert self._timers, "nothing will ever happen again"
                when_s, _, function = heapq.heappop(self._timers)
                self._now_s = max(self._now_s, when_s)
                assert self._now_s <= end_s, f"not within {limit_s} s"
                function()

    def run_for(self, seconds: float) -> None:
        """Run what is ready and let so much time pass; a coroutine that fails is the test's failure."""
        end_s = self._now_s + seconds
        while self._ready or (self._timers and self._timers[0][0] <= end_s):
            if self._ready:
                task = self._ready.popleft()
                self._step(task)
                if task.error is not None:
                    raise task.error
            else:
                when_s, _, function = heapq.heappop(self._timers)
                self._now_s = max(self._now_s, when_s)
                function()
        self._now_s = end_s

    def _step(self, task: VirtualTask) -> None:
        try:
            pause = task.coroutine.send(None)
        except StopIteration:
            task.end()
        except BaseException as error:
            task.end(error)
        else:
            pause.arm(lambda: self._ready.append(task))
