"""The loop that coroutines of the data plane run on: time, waiting and starting one another."""

from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

ResultT = TypeVar("ResultT")


class Signal(Protocol):
    """A flag that one coroutine waits for; it resets itself when the waiter wakes."""

    def set(self) -> None: ...

    async def wait(self, timeout_s: float) -> bool:
        """True when it was set within the time."""
        ...


class Spawned(Protocol):
    """A coroutine that was started."""

    @property
    def done(self) -> bool: ...

    @property
    def error(self) -> BaseException | None: ...

    async def join(self) -> None:
        """Wait for its end; raises what it raised."""
        ...


class Loop(Protocol):
    """All methods but `now_ms` and `monotonic_s` belong to the loop's thread."""

    def now_ms(self) -> int: ...

    def monotonic_s(self) -> float: ...

    def cpu_s(self) -> float:
        """CPU time the loop's thread has used so far; to be asked on that thread."""
        ...

    def signal(self) -> Signal: ...

    async def sleep(self, seconds: float) -> None: ...

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> Spawned: ...

    async def run_aside(self, work: Callable[[], ResultT]) -> ResultT:
        """The result of long work, done on a thread beside the loop, one piece at a time; raises what it raises."""
        ...

    def call_threadsafe(self, function: Callable[[], None]) -> None:
        """Run a function on the loop's thread, from any thread."""
        ...
