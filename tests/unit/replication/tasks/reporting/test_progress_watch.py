"""A partition that should advance and does not is stalled, and the cause names the step it waits for."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from replication.domain.errors import Cause
from replication.domain.health.no_progress import LONGEST_STEP_S, STALLED_AFTER_S, STEP_PHRASES, AwaitedStep
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.reporting.progress_watch import CHECK_S, NO_PROGRESS, ProgressWatch
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import a_context, a_copy

LONG_S = STALLED_AFTER_S + 3 * CHECK_S


class Watched:
    """One partition that has ten more offsets at the source, looked at once a second."""

    def __init__(self, **settings: object) -> None:
        self.loop = VirtualLoop()
        self.fetcher = SimpleNamespace(has_room=lambda node: True)
        self.context = a_context(self.loop, {"fetcher": self.fetcher}, **settings)
        self.copy = a_copy(self.context, "orders")
        self.copy.cursor.note_ends(0, 10, 10)
        self.watch = ProgressWatch(self.context)

    @property
    def state(self) -> str:
        return self.copy.state

    def look_for(self, seconds: float, then: Callable[[], None] = lambda: None) -> None:
        until_s = self.loop.monotonic_s() + seconds
        while self.loop.monotonic_s() < until_s:
            self.loop.run_for(CHECK_S)
            then()
            self.watch.check()


def waits_for_nothing(lab: Watched) -> None:
    """Nothing came from the source."""


def memory_is_full(lab: Watched) -> None:
    lab.fetcher.has_room = lambda node: False


def a_batch(copy: PartitionCopy) -> Entry:
    entry = Entry(0, 5, 1, data=memoryview(b"batch"), records=5, source_bytes=5)
    copy.queue.append(entry)
    return entry


def is_queued(lab: Watched) -> None:
    a_batch(lab.copy)


def is_sent(lab: Watched) -> None:
    a_batch(lab.copy)
    lab.copy.queue.take_next()


def is_in_transaction(lab: Watched) -> None:
    lab.copy.progress.hold(Entry(0, 5, 1))


def has_a_record_to_write(lab: Watched) -> None:
    lab.copy.barrier.close()


@pytest.mark.parametrize(
    ("prepare", "step"),
    [
        (waits_for_nothing, "fetch"),
        (memory_is_full, "memory"),
        (is_queued, "produce"),
        (is_sent, "produce_answer"),
        (is_in_transaction, "commit"),
        (has_a_record_to_write, "gap_record"),
    ],
)
def test_a_partition_without_progress_is_stalled_and_names_the_step(
    prepare: Callable[[Watched], None], step: AwaitedStep
) -> None:
    lab = Watched()
    prepare(lab)

    lab.look_for(STALLED_AFTER_S - CHECK_S)
    assert lab.state == "replicating"
    lab.look_for(3 * CHECK_S)

    reason = lab.copy.reason
    assert lab.state == "stalled"
    assert reason is not None
    assert (reason.code, reason.topic, reason.partition) == (NO_PROGRESS, "orders", 0)
    assert STEP_PHRASES[step] in reason.text
    assert lab.loop.now_ms() - reason.since_ms >= STALLED_AFTER_S * 1000


def test_a_step_forward_ends_it() -> None:
    lab = Watched()
    lab.look_for(LONG_S)
    assert lab.state == "stalled"

    lab.copy.progress.advance(Entry(0, 5, 1))
    lab.look_for(CHECK_S)

    assert lab.state == "replicating"


def test_a_slow_partition_that_advances_is_not_stalled() -> None:
    lab = Watched()
    lab.copy.cursor.note_ends(0, 1_000, 1_000)

    lab.look_for(10 * STALLED_AFTER_S, then=lambda: lab.copy.progress.advance(Entry(0, next(numbers), 1)))

    assert lab.state == "replicating"


numbers = iter(range(1, 1_000))


@pytest.mark.parametrize("case", ["level", "held", "throttled"])
def test_a_partition_that_need_not_advance_is_not_stalled(case: str) -> None:
    lab = Watched()
    cause = Cause(code=case, text=case, topic=None, partition=None, since_ms=0)
    if case == "level":
        lab.copy.cursor.note_ends(0, 0, 0)
    elif case == "held":
        lab.copy.obstructions.set("hold", cause)
    else:
        lab.context.pace.cause = cause

    lab.look_for(LONG_S)

    assert lab.copy.obstructions.of("progress") is None
    assert lab.state == {"level": "caught_up", "held": "paused", "throttled": "throttled"}[case]


def test_a_known_cause_is_kept() -> None:
    lab = Watched()
    known = Cause(code="not_authorized", text="no right", topic="orders", partition=0, since_ms=0)
    lab.copy.obstructions.set("target", known)

    lab.look_for(LONG_S)

    assert lab.copy.reason is known


def test_a_process_that_was_frozen_does_not_take_the_pause_for_a_stall() -> None:
    lab = Watched()
    lab.look_for(2 * CHECK_S)

    lab.loop.run_for(600)
    lab.watch.check()

    assert LONGEST_STEP_S + 2 * CHECK_S < STALLED_AFTER_S
    assert lab.state == "replicating"


def test_an_open_transaction_may_take_its_interval_longer() -> None:
    lab = Watched(transaction_interval_ms=10_000)
    is_in_transaction(lab)

    lab.look_for(LONG_S)
    assert lab.state == "replicating"
    lab.look_for(10)
    assert lab.state == "stalled"
