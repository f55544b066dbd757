"""Exactly once without brokers: what is committed is each record once, and positions say no less and no more."""

import random
from dataclasses import replace
from typing import Any

import pytest

from replication.domain.errors import Cause, FencedError
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.rejected_records.error_policy import ErrorHandling
from replication.memory.broker import ProduceFault
from replication.ports.produce.batch_producer import OutgoingBatch
from tests.unit.replication.tasks.producing import (
    ABORTED,
    LOST_ANSWER,
    LOST_REQUEST,
    TRANSACTIONAL_ID,
    ProducingSlot,
    failing,
)

BATCHES = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8)
RECORDS = sum(BATCHES)


def slot_with(*faults: ProduceFault | None, partitions: int = 2, **changes: Any) -> ProducingSlot:
    return ProducingSlot(
        faults=faults, partitions=partitions, delivery="exactly_once", isolation_level="read_committed", **changes
    )


def assert_exact(slot: ProducingSlot, records: int = RECORDS) -> None:
    for copy in slot.copies:
        assert slot.values(copy, committed=True) == slot.expected(copy.upstream.partition, records)
        assert slot.committed_position(copy) == copy.progress.next_offset == records


def test_positions_move_with_the_commit_and_not_before() -> None:
    slot = slot_with()
    for copy in slot.copies:
        copy.progress.note_committed(copy.progress.position)
    slot.feed(*BATCHES)
    slot.loop.spawn(slot.sender.run())
    slot.loop.run_until(lambda: len(slot.values(slot.copies[1])) == RECORDS)
    assert [copy.progress.next_offset for copy in slot.copies] == [0, 0]
    assert not slot.finished_entries

    slot.run_until_done(RECORDS)

    assert_exact(slot)


def test_a_partition_has_a_committed_position_before_its_first_record() -> None:
    slot = slot_with()
    slot.feed(*BATCHES)
    slot.loop.spawn(slot.sender.run())
    slot.loop.run_until(lambda: slot.loop.monotonic_s() > 1_005)
    assert not slot.producer.requests

    slot.run_until_done(RECORDS)

    assert_exact(slot)


def test_a_running_slot_commits_what_comes_every_interval() -> None:
    slot = slot_with()
    for count in range(1, 6):
        slot.feed(*BATCHES)
        slot.run_until_done(count * RECORDS)

    assert_exact(slot, 5 * RECORDS)
    assert slot.commits >= 5


@pytest.mark.parametrize("aborts", [1, 2, 3])
def test_a_transaction_the_coordinator_gives_up_is_sent_again_under_the_next_epoch(aborts: int) -> None:
    slot = slot_with()
    slot.target.commit_faults.extend([ABORTED] * aborts)
    slot.feed(*BATCHES)

    slot.run_until_done(RECORDS)

    assert_exact(slot)
    assert slot.owner.identity.epoch == aborts
    assert slot.transactions is not None
    assert slot.transactions.aborted == aborts


@pytest.mark.parametrize("code", [47, 48, 120])
def test_a_batch_whose_transaction_is_lost_aborts_it(code: int) -> None:
    slot = slot_with(None, failing(code))
    slot.feed(*BATCHES)

    slot.run_until_done(RECORDS)

    assert_exact(slot)
    assert slot.aborts == 1


def test_a_batch_that_was_surely_not_written_costs_no_transaction() -> None:
    slot = slot_with(None, None, *[failing(19)] * 3)
    slot.feed(*BATCHES)

    slot.run_until_done(RECORDS)

    assert_exact(slot)
    assert slot.aborts == 0


@pytest.mark.parametrize("code", [3, 6, 7, 20, 56])
def test_a_batch_whose_leader_lost_it_after_it_was_written_is_not_there_twice(code: int) -> None:
    slot = slot_with(failing(code, is_written=True), *[failing(code)] * 3, partitions=1)
    commit = slot.ports.positions.commit
    log = slot.target.log("a.t")
    commits = list[bool]()

    async def commit_and_fail_the_next(*arguments: object, **options: object) -> None:
        commits.append(log.last_stable_offset < log.end)
        if len(commits) > 1 and sum(commits[:-1]) == 1 and not slot.aborts:
            slot.target.commit_faults.append(ABORTED)
        await commit(*arguments, **options)  # type: ignore[arg-type]

    slot.ports.positions.commit = commit_and_fail_the_next  # type: ignore[method-assign]
    slot.feed(5)

    slot.run_until_done(5)

    assert_exact(slot, 5)


def test_a_batch_in_doubt_is_cleared_up_before_the_commit() -> None:
    slot = slot_with(None, LOST_ANSWER, failing(7, is_written=True))
    slot.feed(*BATCHES)

    slot.run_until_done(RECORDS)

    assert_exact(slot)
    assert slot.aborts == 0


def test_a_partition_that_stays_in_doubt_is_skipped_and_the_others_continue() -> None:
    slot = slot_with(partitions=2)
    slot.feed(*BATCHES)
    bad, good = slot.copies

    def fault(batch: OutgoingBatch) -> ProduceFault | None:  # one partition's answers say nothing, for twenty seconds
        in_doubt = batch.partition == bad.upstream.partition and slot.loop.monotonic_s() < 1_020
        return failing(7, is_written=True) if in_doubt else None

    slot.producer.fault_of = fault
    running = [slot.loop.spawn(part.run()) for part in (slot.sender, slot.transactions) if part is not None]
    slot.loop.run_until(lambda: good.progress.next_offset == RECORDS, limit_s=15)
    assert bad.progress.next_offset == 0
    waits = bad.obstructions.of("target")
    assert waits is not None
    assert waits.code == "target_in_doubt"
    assert slot.aborts == 1

    slot.loop.run_until(lambda: bad.progress.next_offset == RECORDS, limit_s=60)

    assert_exact(slot)
    assert not any(task.error for task in running)


@pytest.mark.parametrize("seed", range(25))
def test_what_is_committed_is_exact_after_random_faults(seed: int) -> None:
    choose = random.Random(seed)
    kinds: list[ProduceFault | None] = [
        None,
        None,
        None,
        failing(6),
        failing(19),
        failing(48),
        failing(7, is_written=True),
        LOST_REQUEST,
        LOST_ANSWER,
    ]
    slot = slot_with(*[choose.choice(kinds) for _ in range(60)], partitions=3)
    slot.target.commit_faults.extend([ABORTED] * choose.randrange(3))
    for count in range(1, 4):
        slot.feed(*BATCHES)
        slot.run_until_done(count * RECORDS)

    assert_exact(slot, 3 * RECORDS)


def test_a_partition_that_may_not_be_written_is_skipped_until_it_may() -> None:
    slot = slot_with(partitions=2, remotes=("a.t", "a.u"))
    bad, good = slot.copies
    slot.target.unwritable.add(bad.remote.topic)
    slot.feed(*BATCHES)
    for part in (slot.sender, slot.transactions):
        slot.loop.spawn(part.run())  # type: ignore[union-attr]
    slot.loop.run_until(lambda: good.progress.next_offset == RECORDS, limit_s=5)
    waits = bad.obstructions.of("target")
    assert waits is not None
    assert (bad.state, waits.code, bad.progress.next_offset) == ("stalled", "authorization_failed", 0)

    slot.target.unwritable.clear()
    slot.loop.run_until(lambda: bad.progress.next_offset == RECORDS, limit_s=20)

    assert_exact(slot)
    assert bad.obstructions.of("target") is None


def test_a_new_owner_of_the_slot_ends_it_with_nothing_committed() -> None:
    slot = slot_with(partitions=1)
    slot.copies[0].progress.note_committed(slot.copies[0].progress.position)
    slot.feed(*BATCHES)
    slot.loop.later(0.01, slot.lose_slot)

    with pytest.raises(FencedError):
        slot.run_until_done(RECORDS)

    assert not any(slot.values(copy, committed=True) for copy in slot.copies)


def test_a_batch_in_doubt_whose_partition_gives_up_is_not_committed() -> None:
    slot = slot_with(partitions=2)
    slot.context.adopt(replace(slot.context.spec, errors=ErrorHandling(retry_timeout_ms=2_000)))
    bad, good = slot.copies

    def fault(batch: OutgoingBatch) -> ProduceFault | None:
        return failing(20, is_written=True) if batch.partition == bad.upstream.partition else None

    slot.producer.fault_of = fault
    slot.feed(*BATCHES)

    slot.run_until_done(RECORDS)

    assert bad.state == "failed"
    assert good.progress.next_offset == RECORDS
    assert not slot.values(bad, committed=True)
    assert slot.values(good, committed=True) == slot.expected(good.upstream.partition, RECORDS)
    assert slot.committed_position(bad) == 0


def test_an_abort_reads_what_stood_before_a_failed_record_again() -> None:
    slot = slot_with(partitions=1)
    copy = slot.copies[0]
    slot.feed(*BATCHES)
    slot.loop.run_for(0)  # what was started begins to run
    copy.obstructions.stop_for("failed", Cause(code="corrupt_batch", text="", topic="t", partition=0, since_ms=0))

    copy.rewind()

    assert (copy.obstructions.special, copy.cursor.offset) == (None, 0)


@pytest.mark.parametrize("has_position", [True, False])
def test_an_abort_leaves_alone_who_waits_for_a_person_with_nothing_on_its_way(has_position: bool) -> None:
    copy = slot_with(partitions=1).copies[0]
    if not has_position:
        copy.progress.mark_unknown()
    copy.obstructions.stop_for("gap", Cause(code="positions_lost", text="", topic="t", partition=0, since_ms=0))

    copy.rewind()

    assert copy.state == "gap"


def test_a_partition_without_a_committed_position_does_not_hold_up_a_stop() -> None:
    slot = slot_with(partitions=1)
    slot.feed(*BATCHES)
    running = slot.loop.spawn(slot.sender.run())
    slot.context.stopping = True

    slot.loop.run_until(lambda: running.done, limit_s=2)

    assert not slot.producer.requests


def test_the_last_commit_opens_no_other_transaction() -> None:
    slot = slot_with(partitions=1)
    slot.feed(*BATCHES)
    assert slot.transactions is not None
    slot.sender.stop_sending()
    last = slot.loop.spawn(slot.transactions.finish())
    slot.loop.run_for(5)

    assert last.done
    assert slot.commits == 1
    ended = slot.target.coordinator.end(TRANSACTIONAL_ID, committed=False, now_ms=slot.loop.now_ms())
    assert ended == KafkaErrorCode.INVALID_TXN_STATE
