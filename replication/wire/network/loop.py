"""The one network loop of a data worker: `EngineSelector` on its own thread.

Name resolution runs on helper threads, because a blocking look-up of one dead host name would stall every connection.
"""

import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import structlog
from kafka.future import Future

from replication.ports.loop import ResultT
from replication.wire.network.name_lookup import AddressInfo, NameLookup
from replication.wire.network.selector import EngineSelector, SpawnedTask

log = structlog.get_logger(__name__)

HELPER_THREADS = 16  # each may wait for a token endpoint, a KDC or a slow disk


class LoopSignal:
    """A flag one coroutine waits for and any other sets; it resets itself when the waiter wakes.

    One timer serves many waits: it rings when the earliest of them would have ended, and then checks the current waits.
    A timer for each wait was a twentieth of the CPU of a busy data worker.
    """

    __slots__ = ("_net", "_rings_at", "_set", "_until", "_waiter")

    def __init__(self, net: EngineSelector) -> None:
        self._net = net
        self._set = False
        self._waiter: Future | None = None
        self._until = 0.0  # when the wait of now ends
        self._rings_at: float | None = None

    def set(self) -> None:
        """Wake the waiter, now or at its next wait. On the loop's thread only."""
        self._set = True
        waiter = self._waiter
        if waiter is not None and not waiter.is_done:
            waiter.success(None)

    async def wait(self, timeout_s: float) -> bool:
        """True when it was set within the time."""
        if not self._set:
            waiter = self._waiter = Future()
            self._until = time.monotonic() + timeout_s
            if self._rings_at is None or self._until < self._rings_at:
                self._ring_at(self._until)
            try:
                await waiter
            finally:
                self._waiter = None
        was_set, self._set = self._set, False
        return was_set

    def _ring_at(self, moment_s: float) -> None:
        self._rings_at = moment_s
        self._net.call_at(moment_s, lambda: self._ring(moment_s))

    def _ring(self, moment_s: float) -> None:
        if moment_s != self._rings_at:
            return  # an earlier one was set since
        self._rings_at = None
        waiter = self._waiter
        if waiter is None or waiter.is_done:
            return
        if self._until <= moment_s:
            waiter.success(None)
        else:
            self._ring_at(self._until)


class EngineLoop:
    """Start, stop and time of the loop. `spawn`, `sleep` and `signal` belong to the loop's thread."""

    def __init__(self, name: str) -> None:
        # a step above 100 ms is worth a line, but a big metrics document may take that long on a loaded machine
        self.net = EngineSelector(client_id=name, slow_task_threshold_secs=0.5)
        self._helpers = ThreadPoolExecutor(HELPER_THREADS, thread_name_prefix=f"{name}-helper")
        self._worker = ThreadPoolExecutor(1, thread_name_prefix=f"{name}-worker")
        self._names = NameLookup(self.net.call_soon_threadsafe)
        self._thread: threading.Thread | None = None

    def start(self, lost: Callable[[], None] | None = None) -> None:
        """Run the loop on its own daemon thread. Idempotent. `lost` is called there if it ends without a stop."""
        self.net.lost = lost
        self.net.start()

    def stop(self, timeout_s: float) -> None:
        """End the loop's thread; coroutines still waiting are dropped."""
        self.net.stop(timeout_ms=timeout_s * 1000)
        self._helpers.shutdown(wait=False, cancel_futures=True)
        self._worker.shutdown(wait=False, cancel_futures=True)

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic_s(self) -> float:
        return time.monotonic()

    def cpu_s(self) -> float:
        return time.thread_time()

    def signal(self) -> LoopSignal:
        return LoopSignal(self.net)

    async def sleep(self, seconds: float) -> None:
        await self.net.sleep(seconds)

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> SpawnedTask:
        """Run a coroutine beside the others; its failure is kept until the task is joined."""
        task = SpawnedTask(coroutine)
        self.net.call_soon(task)
        return task

    def call_threadsafe(self, function: Callable[[], None]) -> None:
        """Run a function on the loop's thread, from any thread."""
        self.net.call_soon_threadsafe(function)

    async def resolve(self, host: str, port: int) -> list[AddressInfo]:
        """The addresses of a host; socket.gaierror when it has none."""
        return await self._names.resolve(host, port)

    async def run_blocking(self, function: Callable[[], Any]) -> Any:
        """The result of something that may wait, run on a helper thread; raises what it raises."""
        return await self._run_on(self._helpers, function)

    async def run_aside(self, work: Callable[[], ResultT]) -> ResultT:
        """The result of something that computes for long; one piece at a time, as each may take much memory."""
        result: ResultT = await self._run_on(self._worker, work)
        return result

    async def _run_on(self, threads: ThreadPoolExecutor, function: Callable[[], Any]) -> Any:
        answer = Future()

        def run() -> None:
            try:
                found = function()
            except Exception as error:
                reason = error
                self.net.call_soon_threadsafe(lambda: answer.failure(reason))
            else:
                self.net.call_soon_threadsafe(lambda: answer.success(found))

        threads.submit(run)
        return await answer
