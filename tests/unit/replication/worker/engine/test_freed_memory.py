"""Memory that a burst needed and freed is not part of the process any more once it is given back."""

import threading
from collections.abc import Callable

import pytest

from replication.worker.engine import data_engine
from replication.worker.engine.data_engine import WireDataEngine
from replication.worker.engine.freed_memory import give_back_freed_memory
from replication.worker.reporting.process_load import resident_bytes
from tests.support.eventually import eventually

MIB = 1024 * 1024
BURST = 64


def resident() -> int:
    found = resident_bytes()
    assert found is not None
    return found


def burst() -> bytearray:
    """Return a block behind those that were freed: by itself, the C library gives back the end of a heap only."""
    large = bytearray(30 * MIB)
    del large  # since a block of that size was freed, all smaller ones are parts of a heap
    blocks = [bytearray(b"x") * MIB for _ in range(BURST)]
    last = bytearray(b"x") * MIB
    blocks.clear()
    return last


def here(work: Callable[[], None]) -> None:
    work()


def in_a_thread(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


@pytest.mark.parametrize("where", [here, in_a_thread])
def test_what_a_burst_freed_is_given_back(where: Callable[[Callable[[], None]], None]) -> None:
    give_back_freed_memory()
    kept, before = list[bytearray](), resident()
    where(lambda: kept.append(burst()))
    assert resident() - before > BURST * MIB // 2  # else there is nothing to give back

    assert give_back_freed_memory()

    assert resident() - before < BURST * MIB // 8


def test_an_engine_gives_back_what_was_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_engine, "BEAT_S", 0.05)
    monkeypatch.setattr(data_engine, "TELL_STEPS_S", 0.2)
    engine, before = WireDataEngine(), resident()
    kept = [burst()]
    assert resident() - before > BURST * MIB // 2

    engine.start()
    try:
        eventually(lambda: resident() - before < BURST * MIB // 4, 10.0, "memory is given back")
    finally:
        engine.stop(5.0)
    assert kept
