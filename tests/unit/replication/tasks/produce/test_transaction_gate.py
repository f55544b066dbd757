"""Partitions join the open transaction together, and none of their batches goes out without it."""

from collections.abc import Collection
from typing import Any

import pytest

from replication.domain.errors import ClusterUnreachableError, FatalError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.domain.produce.backoff import DENIED_S
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.produce.transaction_gate import AFTER_ERROR_S, TransactionGate
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import a_context, a_copy
from tests.unit.replication.tasks.noted_events import NotedEvents

ANSWER_S = 1.0


class Coordinator:
    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self.asked: list[list[TopicPartition]] = []
        self.denied: dict[TopicPartition, int] = {}
        self.failures: list[Exception] = []

    async def add_partitions(self, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        self.asked.append(list(partitions))
        await self._loop.sleep(ANSWER_S)
        if self.failures:
            raise self.failures.pop(0)
        return {each: code for each, code in self.denied.items() if each in partitions}


class Filled(NotedEvents):
    def __init__(self) -> None:
        super().__init__()
        self.sent: list[PartitionCopy] = []

    def filled(self, copy: PartitionCopy) -> None:
        self.sent.append(copy)


class Lab:
    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.coordinator = Coordinator(self.loop)
        self.context = a_context(self.loop, {"transactions": self.coordinator})
        self.events = Filled()
        self.gate = TransactionGate(self.context, self.events)

    def copy(self, number: int = 0, *, is_committed: bool = True) -> PartitionCopy:
        """A partition with one batch to send."""
        copy = a_copy(self.context, "orders", number)
        if is_committed:
            copy.progress.note_committed(copy.progress.position)
        copy.queue.append(Entry(0, 1, 0, memoryview(b"batch"), records=1))
        return copy

    def wait(self, seconds: float = 2 * ANSWER_S) -> None:
        passed = self.loop.spawn(self.loop.sleep(seconds))
        self.loop.run_until(lambda: passed.done, limit_s=seconds + 1)

    def joined(self, number: int = 0) -> PartitionCopy:
        copy = self.copy(number)
        assert not self.gate.admits(copy)
        self.wait()
        assert self.gate.admits(copy)
        return copy


def test_a_batch_waits_until_its_partition_is_part_of_the_transaction() -> None:
    lab = Lab()
    copy = lab.copy()
    assert (lab.gate.is_empty, lab.gate.is_joining, lab.gate.opened_s) == (True, False, None)

    assert not lab.gate.admits(copy)
    assert lab.gate.is_joining
    lab.wait()

    assert lab.gate.admits(copy)
    assert lab.events.sent == [copy]
    assert (lab.gate.is_empty, lab.gate.is_joining) == (False, False)
    assert lab.gate.opened_s is not None
    assert len(lab.coordinator.asked) == 1


def test_the_transaction_is_as_old_as_its_first_partition() -> None:
    lab = Lab()
    lab.joined(0)
    opened_s = lab.gate.opened_s
    lab.joined(1)

    assert lab.gate.opened_s == opened_s


def test_partitions_that_wait_meanwhile_join_next_and_no_one_twice() -> None:
    lab = Lab()
    first, second = lab.copy(0), lab.copy(1)
    lab.gate.admits(first)
    lab.wait(ANSWER_S / 2)
    assert not lab.gate.admits(second)
    lab.wait(3 * ANSWER_S)

    assert lab.coordinator.asked == [[first.remote], [second.remote]]


def test_a_partition_without_a_committed_position_needs_one_first() -> None:
    lab = Lab()
    copy = lab.copy(is_committed=False)
    assert not lab.gate.needs_positions

    assert not lab.gate.admits(copy)
    lab.wait()

    assert lab.gate.needs_positions
    assert lab.gate.is_empty
    assert lab.coordinator.asked == []
    copy.progress.note_committed(copy.progress.position)
    assert not lab.gate.needs_positions


def test_an_open_transaction_ends_before_new_partitions_get_positions() -> None:
    lab = Lab()
    lab.joined(0)
    lab.gate.admits(lab.copy(1, is_committed=False))
    lab.wait()

    assert not lab.gate.needs_positions


def test_while_a_transaction_ends_only_what_was_sent_before_goes_out() -> None:
    lab = Lab()
    copy, doubtful, empty = lab.joined(0), lab.joined(1), a_copy(lab.context, "orders", 2)
    doubtful.queue.waiting[0].mark_in_doubt()

    lab.gate.close()

    assert [lab.gate.admits(each) for each in (copy, doubtful, empty)] == [False, True, True]
    lab.gate.seal()
    assert [lab.gate.admits(each) for each in (copy, doubtful, empty)] == [False, False, False]
    lab.wait()
    assert len(lab.coordinator.asked) == 2


def test_the_next_transaction_begins_with_those_that_wait() -> None:
    lab = Lab()
    copy = lab.joined()
    lab.gate.demand_abort("first")
    lab.gate.demand_abort("second")
    lab.gate.admits(copy)
    assert lab.gate.must_abort == "first"

    lab.gate.open()

    now: tuple[object, ...] = (lab.gate.must_abort, lab.gate.opened_s, lab.gate.is_empty)
    assert now == (None, None, True)
    lab.wait()
    assert lab.gate.admits(copy)
    assert lab.coordinator.asked == [[copy.remote], [copy.remote]]


def test_a_lost_transaction_takes_no_new_batch() -> None:
    lab = Lab()
    copy = lab.joined()

    lab.gate.demand_abort("lost")

    assert not lab.gate.admits(copy)


def test_a_partition_that_may_not_be_written_waits_and_the_others_continue() -> None:
    lab = Lab()
    denied, other = lab.copy(0), lab.copy(1)
    lab.coordinator.denied[denied.remote] = Code.TOPIC_AUTHORIZATION_FAILED
    lab.gate.admits(denied)
    lab.gate.admits(other)
    lab.wait(3 * ANSWER_S)

    assert lab.gate.admits(other)
    assert denied.retries.resend_after_s >= lab.loop.monotonic_s() + DENIED_S - 3 * ANSWER_S
    cause = denied.obstructions.of("target")
    assert cause is not None
    assert other.obstructions.of("target") is None
    since_ms = cause.since_ms

    lab.gate.admits(denied)
    lab.wait()
    known = denied.obstructions.of("target")
    assert known is not None
    assert known.since_ms == since_ms


@pytest.mark.parametrize(
    ("error", "aborts", "fails"),
    [(TransactionAbortedError("lost"), True, False), (FatalError("another producer id"), False, True)],
)
def test_a_coordinator_that_refuses_ends_the_transaction_or_the_task(error: Any, aborts: bool, fails: bool) -> None:
    lab = Lab()
    lab.coordinator.failures.append(error)
    copy = lab.copy()
    lab.gate.admits(copy)
    lab.wait()

    assert (lab.gate.must_abort is not None, lab.context.failure is error) == (aborts, fails)
    assert lab.gate.is_empty
    lab.wait(5 * ANSWER_S)
    assert len(lab.coordinator.asked) == 1


def test_a_coordinator_that_is_away_is_asked_again() -> None:
    lab = Lab()
    lab.coordinator.failures.append(ClusterUnreachableError("away"))
    copy = lab.copy()
    lab.gate.admits(copy)
    lab.wait(1.1 * ANSWER_S)
    assert lab.context.cause is not None

    lab.wait(AFTER_ERROR_S + 2 * ANSWER_S)

    assert lab.gate.admits(copy)
    assert lab.context.cause is None
