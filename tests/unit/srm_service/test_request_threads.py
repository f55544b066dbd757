"""Requests run on threads that stay: one after the other on the same one, at the same time on different ones."""

import asyncio
import threading
from typing import Any

from asgiref.sync import sync_to_async

from srm_service.core.web.request_threads import RequestThreads


class Application:
    """Notes the thread of each synchronous part; a request with `gate` waits for it there."""

    def __init__(self) -> None:
        self.threads: list[int] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        for _ in range(3):
            await sync_to_async(self._part)(scope.get("gate"))

    def _part(self, gate: threading.Event | None) -> None:
        self.threads.append(threading.get_ident())
        if gate is not None:
            assert gate.wait(10.0)


async def _noop(*_: Any) -> Any:
    return {}


async def _idle(threads: RequestThreads, number: int) -> None:
    async with asyncio.timeout(10.0):
        while len(threads._idle) != number:
            await asyncio.sleep(0.01)


def test_all_parts_of_requests_one_after_the_other_run_on_one_thread() -> None:
    async def run() -> None:
        for _ in range(4):
            await threads({"type": "http"}, _noop, _noop)
            await _idle(threads, 1)

    application = Application()
    threads = RequestThreads(application)
    asyncio.run(run())
    assert len(application.threads) == 12
    assert len(set(application.threads)) == 1


def test_requests_at_the_same_time_do_not_wait_for_each_other_and_few_threads_stay() -> None:
    async def run() -> None:
        gate = threading.Event()
        waiting = [asyncio.create_task(threads({"type": "http", "gate": gate}, _noop, _noop)) for _ in range(5)]
        async with asyncio.timeout(10.0):
            while len(application.threads) < 5:
                await asyncio.sleep(0.01)
        gate.set()
        await asyncio.gather(*waiting)
        await _idle(threads, 2)

    application = Application()
    threads = RequestThreads(application, kept=2)
    asyncio.run(run())
    assert len(set(application.threads)) == 5


def test_the_thread_of_a_request_whose_client_has_left_is_free_after_its_work() -> None:
    async def run() -> None:
        gate = threading.Event()
        left = asyncio.create_task(threads({"type": "http", "gate": gate}, _noop, _noop))
        async with asyncio.timeout(10.0):
            while not application.threads:
                await asyncio.sleep(0.01)
        left.cancel()
        await asyncio.gather(left, return_exceptions=True)

        await threads({"type": "http"}, _noop, _noop)
        assert len(set(application.threads)) == 2
        gate.set()
        await _idle(threads, 2)

    application = Application()
    threads = RequestThreads(application)
    asyncio.run(run())
