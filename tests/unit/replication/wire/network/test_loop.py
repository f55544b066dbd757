"""Coroutines on the network loop: what they wait for, and what becomes of their failures."""

import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs

from replication.wire.network.buffers import BufferPool, FrameBuffer
from replication.wire.network.frames import FIRST_FRAMES_BYTES, IncomingFrames, PlainTransport
from replication.wire.network.loop import EngineLoop
from replication.wire.network.selector import SpawnedTask
from tests.support.soaking.steps import OWN_RATIO

SLOW_S = 0.6
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


class Peer:
    """A connection to something that sends what the test says; its protocol may choke on a frame."""

    _sensors = None

    def __init__(self, loop: EngineLoop, *, chokes: bool = False) -> None:
        self._chokes = chokes
        self.pool = BufferPool(96 * 1024 * 1024)
        self.frames: list[bytes] = []
        self.lost = threading.Event()
        self.reason = ""
        ours, self.theirs = socket.socketpair()
        ours.setblocking(False)

        def open_it() -> None:
            transport = PlainTransport(loop.net, ours)
            transport.frames = IncomingFrames(self.pool)
            transport.set_protocol(self)
            transport.resume_reading()

        loop.call_threadsafe(open_it)

    def frame_received(self, body: memoryview, _frame: FrameBuffer | None) -> None:
        if self._chokes:
            raise IndexError("index out of range")
        self.frames.append(bytes(body))

    def connection_lost(self, error: BaseException | None) -> None:
        self.reason = str(error)
        self.lost.set()


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request\r\n\r\n", bytes([0x15, 3, 3, 0, 2, 2, 80])])
def test_what_is_no_broker_costs_its_connection_and_no_memory(loop: EngineLoop, greeting: bytes) -> None:
    peer = Peer(loop)

    peer.theirs.sendall(greeting)

    assert peer.lost.wait(10)
    assert "no Kafka broker" in peer.reason
    assert not peer.pool.used_bytes
    assert run(loop, lambda: loop.sleep(0.01)) is None


def test_a_first_answer_of_ordinary_size_is_taken(loop: EngineLoop) -> None:
    peer = Peer(loop)

    peer.theirs.sendall((8).to_bytes(4, "big") + b"answered")
    peer.theirs.sendall((FIRST_FRAMES_BYTES + 1).to_bytes(4, "big"))

    assert peer.lost.wait(10)
    assert peer.frames == [b"answered"]


def test_an_invalid_answer_closes_only_its_connection(loop: EngineLoop) -> None:
    peer, other = Peer(loop, chokes=True), Peer(loop)

    peer.theirs.sendall((8).to_bytes(4, "big") + b"nonsense")
    assert peer.lost.wait(10)
    assert "unreadable answer" in peer.reason
    other.theirs.sendall((8).to_bytes(4, "big") + b"sensible")
    other.theirs.close()

    assert other.lost.wait(10)
    assert other.frames == [b"sensible"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("does", ["works", "sleeps"])
def test_a_slow_step_names_its_task_and_how_much_the_process_worked(does: str) -> None:
    async def lingering() -> None:
        until_s = time.process_time() + SLOW_S
        if does == "sleeps":
            time.sleep(SLOW_S)
        while does == "works" and time.process_time() < until_s:
            pass

    engine = EngineLoop("unit")
    with capture_logs() as lines:
        engine.start()
        try:
            run(engine, lingering)
        finally:
            engine.stop(2.0)

    (slow,) = [line for line in lines if line["event"] == "slow step"]
    assert "watched" in slow["task"]
    assert slow["elapsed_ms"] >= SLOW_S * 1000
    assert slow["cpu_ms"] >= SLOW_S * 1000 if does == "works" else slow["cpu_ms"] < OWN_RATIO * slow["elapsed_ms"]


def test_whoever_started_the_loop_is_told_when_it_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, told = EngineLoop("lost"), threading.Event()
    engine.start(told.set)

    def stumble(*_: object) -> None:
        raise MemoryError

    engine.call_threadsafe(lambda: monkeypatch.setattr(engine.net, "_poll_once", stumble))

    assert told.wait(10)


def test_the_end_of_a_stopped_loop_is_not_reported() -> None:
    engine, told = EngineLoop("stopped"), threading.Event()
    engine.start(told.set)

    engine.stop(5)

    assert not told.is_set()


def test_an_answer_counts_as_heard_before_the_work_that_kept_the_loop_from_reading_it(loop: EngineLoop) -> None:
    heard_s, sent_s = list[float](), list[float]()

    async def body() -> None:
        near, far = socket.socketpair()
        near.setblocking(False)
        reader = loop.net.read_from(near, lambda: heard_s.append(loop.net.heard_s) if near.recv(8) else None)
        for _ in range(5):
            sent_s.append(loop.monotonic_s())
            far.send(b"answer")
            time.sleep(0.2)
            await loop.sleep(0.01)
        loop.net.stop_reading(near, reader)
        near.close()
        far.close()

    assert run(loop, body) is None
    assert len(heard_s) == 5
    assert min(heard - sent for heard, sent in zip(heard_s, sent_s, strict=True)) < 0.1  # the shortest is what counts
