"""Names are looked up beside the loop, each once at a time, and known addresses outlive the resolver."""

import socket
import threading
from collections.abc import Iterator

import pytest

from replication.wire.network.loop import EngineLoop
from replication.wire.network.name_lookup import AddressInfo, NameLookup

ADDRESS: list[AddressInfo] = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 1))]


class Resolver:
    """Answers at once, but for names that hang until released."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.released = threading.Event()
        self.is_away = False

    def __call__(self, host: str, port: int) -> list[AddressInfo]:
        self.asked.append(host)
        if host == "hangs":
            self.released.wait(20)
        if self.is_away or host == "hangs":
            raise socket.gaierror(f"no address for {host}")
        return ADDRESS


@pytest.fixture
def loop() -> Iterator[EngineLoop]:
    engine_loop = EngineLoop("dns-test")
    engine_loop.start()
    yield engine_loop
    engine_loop.stop(2)


class Asked:
    """A look-up running on the loop."""

    def __init__(self, loop: EngineLoop, names: NameLookup, host: str) -> None:
        self.done = threading.Event()
        self.answer: list[AddressInfo] | Exception | None = None

        async def ask() -> None:
            try:
                self.answer = await names.resolve(host, 9092)
            except OSError as error:
                self.answer = error
            self.done.set()

        def start() -> None:
            loop.spawn(ask())

        loop.call_threadsafe(start)


def test_a_name_that_hangs_holds_up_no_other_and_is_asked_for_once(loop: EngineLoop) -> None:
    resolver = Resolver()
    names = NameLookup(loop.call_threadsafe, resolver)
    hanging = [Asked(loop, names, "hangs") for _ in range(50)]

    assert Asked(loop, names, "fine").done.wait(5), "another name waits for the one that hangs"

    resolver.released.set()
    assert all(asked.done.wait(5) for asked in hanging)
    assert all(isinstance(asked.answer, OSError) for asked in hanging)
    assert resolver.asked.count("hangs") == 1


def test_known_addresses_are_used_again_and_outlive_the_resolver(loop: EngineLoop) -> None:
    resolver, now_s = Resolver(), [100.0]
    names = NameLookup(loop.call_threadsafe, resolver, lambda: now_s[0])
    first, second = Asked(loop, names, "fine"), None
    assert first.done.wait(5)
    second = Asked(loop, names, "fine")
    assert second.done.wait(5)
    assert resolver.asked == ["fine"]

    now_s[0] += 60
    resolver.is_away = True
    third = Asked(loop, names, "fine")
    assert third.done.wait(5)
    assert (first.answer, third.answer) == (ADDRESS, ADDRESS)
    assert resolver.asked == ["fine", "fine"]
