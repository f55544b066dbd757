"""The end of a slot: finished work is written down, even when other parts did not end in time."""

import json
from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs

from replication.domain.errors import (
    AuthenticationError,
    Cause,
    ClusterUnreachableError,
    ConfigurationError,
    FatalError,
    FencedError,
    ReplicationError,
)
from replication.domain.names.internal_topics import RAW_METRICS
from replication.memory.metadata import MemoryLink
from replication.ports.produce.transactions import ProducerIdentity
from replication.tasks.source_task import SourceTask
from tests.support.engine.slot_in_memory import REMOTE_TOPIC, SlotInMemory
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import a_context
from tests.unit.replication.tasks.intake import stored


class Finishing:
    """A task whose parts only note what they are asked to do."""

    def __init__(self, *, exactly_once: bool = False, hangs: tuple[str, ...] = (), fails: tuple[str, ...] = ()) -> None:
        self.loop = VirtualLoop()
        self.asked: list[str] = []
        self.told: list[str] = []
        self._hangs = hangs
        self._fails = fails
        self.task = object.__new__(SourceTask)
        self.task._context = self.context = a_context(self.loop, {})
        parts: dict[str, Any] = {
            "_sender": SimpleNamespace(stop_sending=lambda: self.asked.append("stop sending")),
            "_committer": SimpleNamespace(commit=self._part("commit"), commit_for_others=self._part("for others")),
            "_records": SimpleNamespace(finish=self._part("records"), write_gaps=self._no_gaps),
            "_transactions": SimpleNamespace(finish=self._part("transaction")) if exactly_once else None,
            "_takeover": SimpleNamespace(claim=SimpleNamespace(end=self._part("ended"))),
            "_metrics": SimpleNamespace(
                slot_event=self.told.append, close_period=lambda: None, flush=self._part("metrics")
            ),
        }
        for name, part in parts.items():
            setattr(self.task, name, part)

    def _part(self, name: str) -> Any:
        async def call() -> None:
            self.asked.append(name)
            if name in self._fails:
                raise ClusterUnreachableError("the target went away")
            if name in self._hangs:
                await self.loop.sleep(10_000)

        return call

    async def _no_gaps(self) -> None:
        """Nothing is pending."""

    def finish(self, writing_s: float) -> None:
        writing = self.loop.spawn(self.loop.sleep(writing_s))
        done = self.loop.spawn(self.task._finish([writing]))
        self.loop.run_until(lambda: done.done, limit_s=25)
        assert done.error is None


def test_positions_and_records_are_written_although_a_part_did_not_end() -> None:
    slot = Finishing()

    slot.finish(writing_s=10_000)

    assert slot.asked == ["stop sending", "commit", "for others", "records", "metrics"]


@pytest.mark.parametrize(
    ("writing_s", "asked"),
    [(0.1, ["transaction", "for others", "records", "ended"]), (10_000, ["records"])],
)
def test_a_transaction_that_another_part_is_still_ending_is_left_alone(writing_s: float, asked: list[str]) -> None:
    slot = Finishing(exactly_once=True)

    slot.finish(writing_s)

    assert slot.asked == ["stop sending", *asked, "metrics"]


@pytest.mark.parametrize(("error", "asked"), [(FatalError("lost"), ["records"]), (FencedError("another"), [])])
def test_after_a_failure_gaps_are_still_written_but_not_by_a_fenced_slot(error: Exception, asked: list[str]) -> None:
    slot = Finishing()
    slot.context.fail(error)

    slot.finish(writing_s=10_000)

    assert slot.asked == ["stop sending", *asked, "metrics"]


def test_a_target_that_does_not_answer_holds_up_the_end_for_seconds_only() -> None:
    slot = Finishing(hangs=("commit",))

    slot.finish(writing_s=0.1)

    assert slot.asked == ["stop sending", "commit", "metrics"]


def test_a_slot_that_is_stopped_while_it_fences_reads_and_commits_no_position() -> None:
    slot = SlotInMemory()
    fence_others = slot.task._takeover.fence_others
    asked: list[object] = []

    async def stopped_meanwhile() -> ProducerIdentity:
        slot.task.stop()
        return await fence_others()

    async def read_positions(partitions: object) -> None:
        asked.append(partitions)

    slot.task._takeover.fence_others = stopped_meanwhile  # type: ignore[method-assign]
    slot.task._committer.add_partitions = read_positions  # type: ignore[method-assign, assignment]
    slot.store(stored(0, 5))
    slot.loop.run_until(lambda: slot._running.done)

    assert (asked, slot.committed_to) == ([], -1)


class Opening:
    """A task in memory whose takeover fails as it is told to."""

    def __init__(self, *errors: ReplicationError) -> None:
        self.slot = SlotInMemory()
        self.tried_s: list[float] = []
        fence_others = self.slot.task._takeover.fence_others

        async def fenced() -> ProducerIdentity:
            self.tried_s.append(self.slot.loop.monotonic_s())
            if len(self.tried_s) <= len(errors):
                raise errors[len(self.tried_s) - 1]
            return await fence_others()

        self.slot.task._takeover.fence_others = fenced  # type: ignore[method-assign]

    def end(self) -> BaseException | None:
        """The error with which the task ends."""
        self.slot.loop.run_until(lambda: self.slot._running.done, limit_s=1_000)
        return self.slot._running.error


@pytest.mark.parametrize("error", [FencedError("another generation"), FatalError("another producer id")])
def test_a_start_that_cannot_succeed_ends_the_task(error: ReplicationError) -> None:
    opening = Opening(error)

    assert opening.end() is error
    assert len(opening.tried_s) == 1


def test_a_start_is_tried_again_after_twice_the_time_until_it_succeeds() -> None:
    errors = [ConfigurationError("a person may correct it"), *[ClusterUnreachableError("away")] * 6]
    opening = Opening(*errors)
    opening.slot.store(stored(0, 5))

    opening.slot.run_until_committed(5)

    waits_s = [after - before for before, after in pairwise(opening.tried_s)]
    assert [round(wait_s, 1) for wait_s in waits_s] == [0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    assert opening.slot.task.live["cause"] is None
    opening.slot.close()


def test_a_clean_stop_raises_nothing_and_a_failure_is_raised() -> None:
    clean, failed = SlotInMemory(), SlotInMemory()
    clean.store(stored(0, 5))
    clean.run_until_committed(5)
    clean.close()
    assert clean._running.error is None

    failed.store(stored(0, 5))
    failed.run_until_committed(5)
    error = FatalError("lost")
    failed.task._context.fail(error)
    failed.loop.run_until(lambda: failed._running.done)
    assert failed._running.error is error


def test_a_part_that_died_of_a_bug_ends_the_slot() -> None:
    slot, bug = Finishing(), RuntimeError("a bug")

    def part(*, done: bool, error: BaseException | None = None) -> Any:
        return SimpleNamespace(done=done, error=error)

    slot.task._watch([part(done=False), part(done=True)])
    assert slot.context.failure is None
    assert not slot.context.stopping

    slot.task._watch([part(done=True), part(done=True, error=bug)])
    assert slot.context.failure is not None


@pytest.mark.parametrize(
    ("hangs", "fails", "said"),
    [
        ((), (), []),
        (("commit",), (), ["the target did not answer within 10 s"]),
        ((), ("commit",), ["the target went away"]),
    ],
)
def test_only_an_unclean_stop_is_a_warning(hangs: tuple[str, ...], fails: tuple[str, ...], said: list[str]) -> None:
    slot = Finishing(hangs=hangs, fails=fails)

    with capture_logs() as logs:
        slot.finish(writing_s=0.1)

    assert [line["error"] for line in logs if line["event"] == "unclean stop"] == said
    assert slot.told == ["stopped"]


def test_the_last_event_of_a_slot_that_failed_says_so() -> None:
    slot = Finishing()
    slot.context.fail(FatalError("lost"))

    slot.finish(writing_s=0.1)

    assert slot.told == ["failed"]


STOP = Cause(code="flow_paused", text="the flow is paused: upgrade (ann)", topic=None, partition=None, since_ms=1)


@pytest.mark.parametrize(
    ("end", "event"),
    [
        (lambda slot: slot.task.stop(STOP), ["stopped", STOP.code, "The flow is paused: upgrade (ann)."]),
        (lambda slot: slot.task._context.fail(FatalError("lost")), ["failed", "fatal", "Lost."]),
    ],
    ids=["an order", "a failure"],
)
def test_the_last_event_in_the_raw_metrics_has_the_cause(end: Callable[[SlotInMemory], None], event: list[str]) -> None:
    slot = SlotInMemory()
    slot.store(stored(0, 5))
    slot.run_until_committed(5)

    end(slot)
    slot.task.stop()  # a later stop without a cause changes nothing
    slot.loop.run_until(lambda: slot._running.done)

    written = [json.loads(value or b"") for value in slot.values(RAW_METRICS.name("a"))]
    events = [each for record in written if record["kind"] == "event" for each in record["events"]]
    assert [each[5:] for each in events] == [["running", None, None], event]


def test_a_slot_runs_until_it_is_stopped() -> None:
    slot = SlotInMemory()
    slot.store(stored(0, 5))
    slot.run_until_committed(5)
    passed = slot.loop.spawn(slot.loop.sleep(100))
    slot.run_until(lambda: passed.done)
    assert not slot._running.done

    slot.store(stored(5, 5))
    slot.run_until_committed(10)
    slot.close()


@pytest.mark.parametrize(("delivery", "transactional"), [("at_least_once", False), ("exactly_once", True)])
def test_only_exactly_once_needs_transactions_of_batches(delivery: str, transactional: bool) -> None:
    slot = SlotInMemory(delivery=delivery)
    slot.store(stored(0, 5))
    slot.run_until_committed(5)

    copied = slot.target.topics[REMOTE_TOPIC].partitions[0].batches
    assert copied[0].header.is_transactional is transactional
    slot.close()


def test_a_changed_login_that_a_cluster_refuses_is_told_while_records_flow_and_forgotten_when_it_works() -> None:
    slot = SlotInMemory()
    slot.store(stored(0, 5))
    slot.run_until_committed(5)
    link = slot.task._context.ports.connections[0]
    assert isinstance(link, MemoryLink)

    link.refusal = AuthenticationError("cluster a: the changed login is refused")
    slot.store(stored(5, 5))
    slot.run_until_committed(10)
    slot.run_until(lambda: slot.task.live["cause"] is not None)
    assert slot.task.live["cause"]["code"] == "authentication_failed"

    link.refusal = None
    slot.run_until(lambda: slot.task.live["cause"] is None)
    slot.close()
