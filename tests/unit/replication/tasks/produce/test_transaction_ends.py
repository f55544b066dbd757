"""When a transaction ends, and what must be known before it does."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from replication.domain.errors import FatalError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.positions import Position
from replication.ports.produce.transactions import ProducerIdentity
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.produce.transaction_gate import TransactionGate
from replication.tasks.produce.transactions import DOUBT_PATIENCE_S, WHEN_STOPPING_S, Transactions
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import a_context, a_copy
from tests.unit.replication.tasks.noted_events import NotedEvents

INTERVAL_MS, COMMIT_MS = 200, 1_000


class Lab:
    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.ends: list[str] = []
        self.written: list[dict[TopicPartition, Position]] = []
        self.failure: Exception | None = None
        ports = {"transactions": SimpleNamespace(abort=self._abort, renew=self._renew)}
        self.context = a_context(
            self.loop,
            ports,
            delivery="exactly_once",
            transaction_interval_ms=INTERVAL_MS,
            commit_interval_ms=COMMIT_MS,
        )
        self.sender = SimpleNamespace(in_flight=0, use_transactions=lambda gate: None)
        committer = SimpleNamespace(write=self._write)
        self.transactions = Transactions(self.context, NotedEvents(), cast("Any", committer), cast("Any", self.sender))
        self.gate: TransactionGate = self.transactions._gate

    async def _abort(self) -> None:
        self.ends.append("abort")

    async def _renew(self) -> ProducerIdentity:
        return ProducerIdentity(1, 1)

    async def _write(self, positions: Mapping[TopicPartition, Position], *, transactional: bool) -> None:
        assert transactional
        if self.failure is not None:
            raise self.failure
        self.written.append(dict(positions))
        self.ends.append("commit")

    def copy(self, number: int = 0, *, is_committed: bool = True) -> PartitionCopy:
        copy = a_copy(self.context, "orders", number)
        if is_committed:
            copy.progress.note_committed(copy.progress.position)
        return copy

    def join(self, copy: PartitionCopy) -> None:
        """Make the partition part of the open transaction."""
        self.gate._members.add(copy.upstream)
        self.gate.opened_s = self.loop.monotonic_s()

    def pass_time(self, seconds: float) -> None:
        passed = self.loop.spawn(self.loop.sleep(seconds))
        self.loop.run_until(lambda: passed.done, limit_s=seconds + 1)

    def commit(self, limit_s: float = 30) -> float:
        """Seconds until the transaction has ended."""
        began_s = self.loop.monotonic_s()
        done = self.loop.spawn(self.transactions.commit())
        self.loop.run_until(lambda: done.done, limit_s=limit_s)
        if done.error is not None:
            raise done.error
        return self.loop.monotonic_s() - began_s


def doubtful(copy: PartitionCopy) -> None:
    entry = Entry(0, 1, 0, memoryview(b"batch"), records=1)
    entry.assign_sequence(0)
    entry.mark_in_doubt()
    copy.queue.append(entry)


def test_an_open_transaction_ends_after_its_interval() -> None:
    lab = Lab()
    lab.commit()
    lab.pass_time(5)
    lab.join(lab.copy())

    assert not lab.transactions._is_due()
    lab.pass_time(INTERVAL_MS / 1000 - 0.01)
    assert not lab.transactions._is_due()
    lab.pass_time(0.02)
    assert lab.transactions._is_due()


def test_without_one_positions_are_committed_less_often() -> None:
    lab = Lab()
    assert lab.transactions._is_due(), "the first commit is due at once"
    lab.commit()

    assert not lab.transactions._is_due()
    lab.pass_time(COMMIT_MS / 1000 - 0.01)
    assert not lab.transactions._is_due()
    lab.pass_time(0.02)
    assert lab.transactions._is_due()
    lab.gate._is_joining = True
    assert not lab.transactions._is_due()


@pytest.mark.parametrize("why", ["lost", "needs positions"])
def test_some_transactions_end_at_once(why: str) -> None:
    lab = Lab()
    lab.commit()
    if why == "lost":
        lab.transactions.demand_abort("lost")
    else:
        lab.gate._waiting[TopicPartition("orders", 0)] = lab.copy(is_committed=False)

    assert lab.transactions._is_due()


def test_nothing_ends_before_all_answers_are_here() -> None:
    lab = Lab()
    lab.join(lab.copy())
    lab.sender.in_flight = 1

    async def answered() -> None:
        await lab.loop.sleep(2)
        lab.sender.in_flight = 0
        lab.gate._is_joining = True
        await lab.loop.sleep(2)
        lab.gate._is_joining = False

    lab.loop.spawn(answered())

    assert 4 <= lab.commit() < 4.2
    assert lab.ends == ["commit"]


@pytest.mark.parametrize(
    ("is_stopping", "patience_s"), [(False, DOUBT_PATIENCE_S), (True, WHEN_STOPPING_S)], ids=["running", "stopping"]
)
def test_a_batch_in_doubt_is_waited_for_and_then_aborted(is_stopping: bool, patience_s: float) -> None:
    lab = Lab()
    copy = lab.copy()
    lab.join(copy)
    doubtful(copy)
    if is_stopping:
        lab.context.stop()

    assert patience_s <= lab.commit() < patience_s + 0.2
    assert lab.ends == ["abort"]
    assert lab.transactions.aborted == 1
    assert copy.retries.exclusions == 1
    assert copy.obstructions.of("target") is not None


def test_a_lost_transaction_does_not_wait_for_doubts() -> None:
    lab = Lab()
    copy = lab.copy()
    lab.join(copy)
    doubtful(copy)
    lab.transactions.demand_abort("lost")

    assert lab.commit() < 0.2
    assert lab.ends == ["abort"]
    assert copy.retries.exclusions == 0


def test_the_last_commit_waits_for_nothing_and_opens_no_other() -> None:
    lab = Lab()
    copy = lab.copy(is_committed=False)
    lab.join(copy)

    done = lab.loop.spawn(lab.transactions.finish())
    lab.loop.run_until(lambda: done.done, limit_s=5)

    assert lab.ends == ["commit"]
    assert not lab.gate.is_empty, "the gate stays closed"


def test_after_a_failure_of_the_slot_nothing_is_committed() -> None:
    lab = Lab()
    lab.join(lab.copy(is_committed=False))
    lab.context.fail(FatalError("lost"))

    lab.commit()

    assert lab.ends == []


def test_a_transaction_without_records_and_positions_is_none() -> None:
    lab = Lab()
    lab.copy()

    lab.commit()

    assert lab.ends == []


def test_records_and_their_positions_are_committed_together() -> None:
    lab = Lab()
    moved, still, excluded = lab.copy(0), lab.copy(1), lab.copy(2, is_committed=False)
    lab.join(moved)
    entry = Entry(0, 5, 0, memoryview(b"batch"), records=5)
    entry.acknowledge(7)
    moved.progress.hold(entry)
    for copy in (moved, excluded):
        copy.retries.note_exclusion(0.0)

    lab.commit()

    [positions] = lab.written
    assert {place: each.next_offset for place, each in positions.items()} == {moved.upstream: 5, excluded.upstream: 0}
    assert (moved.progress.next_offset, moved.progress.is_committed) == (5, True)
    assert not moved.progress.uncommitted
    assert still.upstream not in positions
    assert [copy.retries.exclusions for copy in (moved, excluded)] == [0, 1]


def test_a_commit_that_is_refused_aborts_and_forgets_what_was_held() -> None:
    lab = Lab()
    copy = lab.copy()
    lab.join(copy)
    entry = Entry(0, 5, 0, memoryview(b"batch"), records=5)
    entry.acknowledge(7)
    copy.progress.hold(entry)
    lab.failure = TransactionAbortedError("expired")

    lab.commit()

    assert lab.ends == ["abort"]
    assert (copy.progress.next_offset, len(copy.progress.uncommitted)) == (0, 0)
    assert copy.retries.exclusions == 0
