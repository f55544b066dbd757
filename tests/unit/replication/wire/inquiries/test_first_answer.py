"""One broker after the other is asked until one answers."""

from collections.abc import Awaitable, Callable

import pytest

from replication.wire.inquiries.first_answer import SILENT_S, first_answer
from tests.support.engine.virtual_loop import VirtualLoop, VirtualTask

FOREVER_S = 30.0


class Brokers:
    """Answers that each broker gives after so many seconds; an exception is raised."""

    def __init__(self, loop: VirtualLoop, says: list[tuple[float, str | Exception]]) -> None:
        self._loop = loop
        self._says = says
        self.asked_s: list[float] = []
        self.answer = ""

    def start(self, is_final: Callable[[Exception], bool] = lambda _: False) -> VirtualTask:
        async def ask_all() -> None:
            self.answer = await first_answer(self._loop, [self._ask(*each) for each in self._says], is_final)

        return self._loop.spawn(ask_all())

    def _ask(self, after_s: float, says: str | Exception) -> Callable[[], Awaitable[str]]:
        began_s = self._loop.monotonic_s()

        async def ask() -> str:
            self.asked_s.append(self._loop.monotonic_s() - began_s)
            await self._loop.sleep(after_s)
            if isinstance(says, Exception):
                raise says
            return says

        return ask


def ended(loop: VirtualLoop, brokers: Brokers, is_final: Callable[[Exception], bool] = lambda _: False) -> float:
    """Return after how many seconds there was an answer; raises the failure."""
    began_s = loop.monotonic_s()
    task = brokers.start(is_final)
    loop.run_until(lambda: task.done)
    if task.error is not None:
        raise task.error
    return loop.monotonic_s() - began_s


def test_only_one_is_asked_when_it_answers() -> None:
    loop = VirtualLoop()
    brokers = Brokers(loop, [(0.1, "first"), (0.1, "second")])

    assert ended(loop, brokers) == pytest.approx(0.1)
    assert (brokers.answer, brokers.asked_s) == ("first", [0.0])


def test_the_next_one_is_asked_while_one_is_silent() -> None:
    loop = VirtualLoop()
    brokers = Brokers(loop, [(FOREVER_S, "first"), (0.1, "second")])

    assert ended(loop, brokers) == pytest.approx(SILENT_S + 0.1)
    assert brokers.answer == "second"


def test_an_answer_that_comes_late_counts_when_it_is_the_first() -> None:
    loop = VirtualLoop()
    brokers = Brokers(loop, [(SILENT_S + 0.1, "first"), (FOREVER_S, "second")])

    assert ended(loop, brokers) == pytest.approx(SILENT_S + 0.1)
    assert brokers.answer == "first"


def test_the_next_one_is_asked_at_once_when_one_fails() -> None:
    loop = VirtualLoop()
    brokers = Brokers(loop, [(0.1, OSError("refused")), (0.1, "second")])

    assert ended(loop, brokers) == pytest.approx(0.2)
    assert brokers.answer == "second"


def test_the_last_failure_is_raised_when_all_have_failed() -> None:
    loop = VirtualLoop()
    brokers = Brokers(loop, [(FOREVER_S, OSError("timed out")), (0.1, OSError("refused"))])
    began_s = loop.monotonic_s()

    with pytest.raises(OSError, match="timed out"):
        ended(loop, brokers)

    assert loop.monotonic_s() - began_s == pytest.approx(FOREVER_S)


def test_no_other_one_is_asked_after_a_final_failure() -> None:
    loop = VirtualLoop()
    brokers = Brokers(loop, [(0.1, ValueError("wrong password")), (0.1, "second")])

    with pytest.raises(ValueError, match="wrong password"):
        ended(loop, brokers, lambda error: isinstance(error, ValueError))

    assert brokers.asked_s == [0.0]
