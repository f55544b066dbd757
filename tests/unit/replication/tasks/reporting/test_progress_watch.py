"""A partition that should advance and does not is stalled, and the cause names the step it waits for."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from replication.domain.errors import Cause
from replication.domain.health.no_progress import (
    IN_TURN_S,
    LONGEST_STEP_S,
    STALLED_AFTER_S,
    AwaitedStep,
    step_phrase,
)
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.reporting.live_document import EVERY_S
from replication.tasks.reporting.progress_watch import NO_PROGRESS, ProgressWatch
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import a_context, a_copy
from tests.unit.replication.tasks.noted_events import NotedEvents

CHECK_S = EVERY_S
LONG_S = STALLED_AFTER_S + 3 * CHECK_S
LONG_POLL_MS = 500
REPORTED_S = 1.0 + 0.5  # the driver's report, and how long the service keeps it
NAMED_WITHIN_S = 10.0


class Watched:
    """One partition that has ten more offsets at the source, looked at once a second."""

    def __init__(self, **settings: object) -> None:
        self.loop = VirtualLoop()
        self.avoided: list[bool] = []
        self.fetcher = SimpleNamespace(has_room=lambda node: True, avoid_followers=lambda: self.avoided.append(True))
        self.events = NotedEvents()
        self.context = a_context(self.loop, {"fetcher": self.fetcher}, **settings)
        self.copy = a_copy(self.context, "orders")
        self.copy.cursor.note_ends(0, 10, 10)
        self.copy.cursor.start_fetching()
        self.watch = ProgressWatch(self.context, self.events)

    @property
    def state(self) -> str:
        return self.copy.state

    def look_for(self, seconds: float, then: Callable[[], None] = lambda: None) -> None:
        until_s = self.loop.monotonic_s() + seconds
        while self.loop.monotonic_s() < until_s:
            self.loop.run_for(CHECK_S)
            then()
            self.watch.check()


def _lag_of(copy: PartitionCopy) -> int | None:
    return copy.lag


def waits_for_nothing(lab: Watched) -> None:
    """Nothing came from the source."""


def memory_is_full(lab: Watched) -> None:
    lab.fetcher.has_room = lambda node: False


def source_is_silent(lab: Watched) -> None:
    lab.context.note_asked(1, LONG_POLL_MS)


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
        (source_is_silent, "fetch_answer"),
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
    assert step_phrase(step, lab.context.spec.flow) in reason.text
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


def test_a_stall_is_named_within_ten_seconds_with_all_that_reports_it() -> None:
    lab = Watched()
    lab.context.note_asked(1, LONG_POLL_MS)

    seconds = 0.0
    while lab.state != "stalled" and seconds < NAMED_WITHIN_S:
        lab.look_for(CHECK_S)
        seconds += CHECK_S

    assert seconds + CHECK_S + REPORTED_S <= NAMED_WITHIN_S - 1.0


def test_a_partition_that_has_caught_up_is_stalled_when_its_broker_does_not_answer() -> None:
    lab = Watched()
    lab.copy.cursor.note_ends(0, 0, 0)
    source_is_silent(lab)

    lab.look_for(STALLED_AFTER_S)
    assert lab.state == "caught_up"
    lab.look_for(3 * CHECK_S)

    reason = lab.copy.reason
    assert lab.state == "stalled"
    assert reason is not None
    assert reason.text == "orders-0: no progress, it waits for a to answer"
    assert _lag_of(lab.copy) is None

    lab.context.note_ended(1)
    lab.look_for(CHECK_S)
    assert (lab.state, _lag_of(lab.copy)) == ("caught_up", 0)


@pytest.mark.parametrize("answered_after_s", [0.5, 4.0])
def test_a_broker_that_answers_late_but_answers_is_not_silent(answered_after_s: float) -> None:
    lab = Watched()
    lab.copy.cursor.note_ends(0, 0, 0)

    for _ in range(5):
        source_is_silent(lab)
        lab.look_for(answered_after_s)
        lab.context.note_ended(1)

        assert lab.state == "caught_up"


def test_a_partition_that_is_not_read_does_not_miss_an_answer() -> None:
    lab = Watched()
    lab.copy.cursor.note_ends(0, 0, 0)
    lab.copy.cursor.stop_fetching()
    source_is_silent(lab)

    lab.look_for(2 * LONG_S)

    assert lab.state == "caught_up"


@pytest.mark.parametrize("prepare", [waits_for_nothing, memory_is_full, is_queued, is_sent])
def test_a_partition_waits_longer_for_its_turn_at_a_broker_that_serves_others(
    prepare: Callable[["Watched"], None],
) -> None:
    lab = Watched()
    prepare(lab)
    busy = a_copy(lab.context, "busy")
    busy.cursor.note_ends(0, 10_000, 10_000)

    def serve() -> None:
        busy.progress.advance(Entry(0, next(numbers), 1))

    lab.look_for(IN_TURN_S - CHECK_S, then=serve)
    assert lab.state == "replicating"
    lab.look_for(3 * CHECK_S, then=serve)
    assert lab.state == "stalled"


def test_it_is_stalled_sooner_when_the_others_stop_as_well() -> None:
    lab = Watched()
    busy = a_copy(lab.context, "busy")
    busy.cursor.note_ends(0, 10_000, 10_000)
    lab.look_for(STALLED_AFTER_S + CHECK_S, then=lambda: busy.progress.advance(Entry(0, next(numbers), 1)))
    assert lab.state == "replicating"

    lab.look_for(LONG_S)

    assert (lab.state, busy.state) == ("stalled", "stalled")


def test_another_broker_that_serves_proves_nothing() -> None:
    lab = Watched()
    busy = a_copy(lab.context, "busy")
    busy.cursor.set_leader(2)
    busy.queue.set_leader(2)
    busy.cursor.note_ends(0, 10_000, 10_000)

    lab.look_for(LONG_S, then=lambda: busy.progress.advance(Entry(0, next(numbers), 1)))

    assert lab.state == "stalled"


def test_an_open_transaction_may_take_its_interval_longer() -> None:
    lab = Watched(transaction_interval_ms=10_000)
    is_in_transaction(lab)

    lab.look_for(LONG_S)
    assert lab.state == "replicating"
    lab.look_for(10)
    assert lab.state == "stalled"


def test_a_follower_with_which_a_partition_makes_no_progress_is_left_and_avoided() -> None:
    lab = Watched()
    lab.copy.cursor.read_from_replica(7)

    lab.look_for(LONG_S)

    assert (lab.copy.cursor.near_replica, lab.copy.cursor.read_node) == (-1, 1)
    assert lab.events.made_ready == [lab.copy]
    assert lab.avoided == [True]
