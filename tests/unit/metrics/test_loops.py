"""Threads beside the queries."""

from threading import Event

import pytest

from metrics.errors import MetricsError
from metrics.loops import RepeatedLoop, ThreadLoop

_LIMIT_S = 10.0


class _Rounds(RepeatedLoop):
    """Fails in its first round, and ends itself in its third."""

    def __init__(self, stop: Event) -> None:
        super().__init__("rounds", stop, every_s=0.001)
        self.rounds = 0
        self.forgotten: list[int] = []

    def run_once(self) -> None:
        self.rounds += 1
        if self.rounds == 1:
            raise MetricsError("the store is away")
        if self.rounds == 3:
            self._stop.set()

    def _forget(self) -> None:
        self.forgotten.append(self.rounds)


@pytest.mark.parametrize("error", [MetricsError("the store is away"), OverflowError("a bug of ours")])
def test_nothing_that_a_round_raises_ends_the_thread(error: Exception) -> None:
    class Failing(_Rounds):
        def run_once(self) -> None:
            if self.rounds == 1:
                self.rounds += 1
                raise error
            super().run_once()

    failing = Failing(Event())

    failing.start()

    assert failing.join(_LIMIT_S)
    assert failing.rounds == 3


def test_a_round_that_fails_is_put_off_and_lets_go_of_what_it_had_opened() -> None:
    rounds = _Rounds(Event())

    rounds.start()

    assert rounds.join(_LIMIT_S)
    assert (rounds.rounds, rounds.forgotten) == (3, [1, 3])


def test_a_stopped_loop_does_no_further_round() -> None:
    stop = Event()
    stop.set()
    rounds = _Rounds(stop)

    rounds.start()

    assert rounds.join(_LIMIT_S)
    assert rounds.rounds == 0


def test_waiting_for_a_loop_that_works_ends_in_time() -> None:
    stop = Event()

    class Working(ThreadLoop):
        def _run(self) -> None:
            self._stop.wait(_LIMIT_S)

    working = Working("working", stop)
    working.start()

    assert not working.join(0.01)
    stop.set()
    assert working.join(_LIMIT_S)


def test_work_must_be_given() -> None:
    with pytest.raises(NotImplementedError):
        ThreadLoop("nothing", Event())._run()
    with pytest.raises(NotImplementedError):
        RepeatedLoop("nothing", Event(), every_s=1).run_once()
