"""The end of a slot: finished work is written down, even when other parts did not end in time."""

from types import SimpleNamespace
from typing import Any

import pytest

from replication.domain.errors import FatalError, FencedError
from replication.ports.produce.transactions import ProducerIdentity
from replication.tasks.source_task import SourceTask
from tests.support.engine.slot_in_memory import SlotInMemory
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import a_context
from tests.unit.replication.tasks.intake import stored


class Finishing:
    """A task whose parts only note what they are asked to do."""

    def __init__(self, *, exactly_once: bool = False, hangs: tuple[str, ...] = ()) -> None:
        self.loop = VirtualLoop()
        self.asked: list[str] = []
        self._hangs = hangs
        self.task = object.__new__(SourceTask)
        self.task._context = self.context = a_context(self.loop, {})
        parts: dict[str, Any] = {
            "_sender": SimpleNamespace(stop_sending=lambda: self.asked.append("stop sending")),
            "_committer": SimpleNamespace(commit=self._part("commit"), commit_for_others=self._part("for others")),
            "_records": SimpleNamespace(finish=self._part("records"), write_gaps=self._no_gaps),
            "_transactions": SimpleNamespace(finish=self._part("transaction")) if exactly_once else None,
            "_metrics": SimpleNamespace(
                slot_event=lambda _: None, close_period=lambda: None, flush=self._part("metrics")
            ),
        }
        for name, part in parts.items():
            setattr(self.task, name, part)

    def _part(self, name: str) -> Any:
        async def call() -> None:
            self.asked.append(name)
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
    [(0.1, ["transaction", "for others", "records"]), (10_000, ["records"])],
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
    take = slot.task._takeover.take
    asked: list[object] = []

    async def stopped_meanwhile() -> ProducerIdentity:
        slot.task.stop()
        return await take()

    async def read_positions(partitions: object) -> None:
        asked.append(partitions)

    slot.task._takeover.take = stopped_meanwhile  # type: ignore[method-assign]
    slot.task._committer.add_partitions = read_positions  # type: ignore[method-assign, assignment]
    slot.store(stored(0, 5))
    slot.loop.run_until(lambda: slot._running.done)

    assert (asked, slot.committed_to) == ([], -1)
