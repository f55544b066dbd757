"""Coroutines on the network loop: what they wait for, and what becomes of their failures."""

import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from replication.wire.loop import EngineLoop
from replication.wire.selector import SpawnedTask

Body = Callable[[], Coroutine[Any, Any, None]]


@pytest.fixture
def loop() -> Iterator[EngineLoop]:
    engine = EngineLoop("unit")
    engine.start()
    yield engine
    engine.stop(2.0)


def run(loop: EngineLoop, body: Body) -> BaseException | None:
    """Run it on the loop's thread until its end; its failure."""
    failures: list[BaseException | None] = []
    over = threading.Event()

    async def watched() -> None:
        try:
            await body()
        except BaseException as error:
            failures.append(error)
        else:
            failures.append(None)
        over.set()

    def begin() -> None:
        loop.spawn(watched())

    loop.call_threadsafe(begin)
    assert over.wait(20)
    return failures[0]


def test_a_signal_ends_a_wait_at_once_and_its_time_ends_the_next(loop: EngineLoop) -> None:
    signal, waits = loop.signal(), list[tuple[bool, bool]]()

    async def body() -> None:
        for is_set, timeout_s in ((True, 30.0), (False, 0.05), (True, 30.0), (False, 0.02)):
            began_s = loop.monotonic_s()
            if is_set:
                loop.net.call_later(0.01, signal.set)
            was_set = await signal.wait(timeout_s)
            waits.append((was_set, (is_set or loop.monotonic_s() - began_s >= timeout_s)))

    assert run(loop, body) is None
    assert waits == [(True, True), (False, True), (True, True), (False, True)]


def test_a_thousand_waits_leave_one_timer(loop: EngineLoop) -> None:
    timers: list[int] = []

    async def body() -> None:
        signal = loop.signal()
        for _ in range(1_000):
            loop.net.call_soon(signal.set)
            assert await signal.wait(30)
        timers.append(len(loop.net._scheduled))

    assert run(loop, body) is None
    assert timers == [1]


def test_a_signal_set_before_the_wait_is_not_lost(loop: EngineLoop) -> None:
    async def body() -> None:
        signal = loop.signal()
        signal.set()
        assert await signal.wait(30)
        assert not await signal.wait(0.01)

    assert run(loop, body) is None


def test_a_failure_is_kept_for_whoever_joins(loop: EngineLoop) -> None:
    tasks: list[SpawnedTask] = []

    async def fails() -> None:
        await loop.sleep(0.01)
        raise ValueError("no such thing")

    async def body() -> None:
        tasks.append(loop.spawn(fails()))
        assert not tasks[0].done
        await tasks[0].join()

    failure = run(loop, body)
    assert isinstance(failure, ValueError)
    assert tasks[0].done
    assert tasks[0].error is failure


def test_a_coroutine_that_waits_for_many_things_ends_well(loop: EngineLoop) -> None:
    found: list[Any] = []

    async def part(number: int) -> None:
        await loop.sleep(0.001 * number)
        found.append(await loop.run_blocking(lambda: number))

    async def body() -> None:
        parts = [loop.spawn(part(number)) for number in range(5)]
        for one in parts:
            await one.join()

    assert run(loop, body) is None
    assert sorted(found) == [0, 1, 2, 3, 4]
