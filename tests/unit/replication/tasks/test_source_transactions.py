"""Exactly once without brokers: what is committed is each record once, and positions say no less and no more."""

import random
from dataclasses import replace

import pytest

from replication.domain.error_handling import ErrorHandling
from replication.domain.errors import Cause, FencedError
from replication.domain.identifiers import TopicPartition
from tests.support.idempotent_broker import ABORTED, Fault
from tests.unit.replication.tasks.producing import ProducingSlot

BATCHES = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8)
RECORDS = sum(BATCHES)


def slot_with(*faults: Fault, partitions: int = 2) -> ProducingSlot:
    return ProducingSlot(
        faults=faults, partitions=partitions, delivery="exactly_once", isolation_level="read_committed"
    )


def assert_exact(slot: ProducingSlot, records: int = RECORDS) -> None:
    for copy in slot.copies:
        number = copy.upstream.partition
        assert slot.broker.committed[TopicPartition("a.t", number)] == slot.expected(number, records)
        assert slot.broker.positions[copy.upstream] == copy.done_next == records


def test_positions_move_with_the_commit_and_not_before() -> None:
    slot = slot_with()
    for copy in slot.copies:
        copy.committed = copy.position
    slot.feed(*BATCHES)
    slot.loop.spawn(slot.produce.run())
    slot.loop.run_until(lambda: len(slot.broker.values[TopicPartition("a.t", 1)]) == RECORDS)
    assert [copy.done_next for copy in slot.copies] == [0, 0]
    assert not slot.done

    slot.run_until_done(RECORDS)

    assert_exact(slot)


def test_a_partition_has_a_committed_position_before_its_first_record() -> None:
    slot = slot_with()
    slot.feed(*BATCHES)
    slot.loop.spawn(slot.produce.run())
    slot.loop.run_until(lambda: slot.loop.monotonic_s() > 1_005)
    assert not slot.broker.requests

    slot.run_until_done(RECORDS)

    assert_exact(slot)


def test_a_running_slot_commits_what_comes_every_interval() -> None:
    slot = slot_with()
    for count in range(1, 6):
        slot.feed(*BATCHES)
        slot.run_until_done(count * RECORDS)

    assert_exact(slot, 5 * RECORDS)
    assert slot.broker.commits >= 5


@pytest.mark.parametrize("aborts", [1, 2, 3])
def test_a_transaction_the_coordinator_gives_up_is_sent_again_under_the_next_epoch(aborts: int) -> None:
    slot = slot_with()
    slot.broker.commit_failures.extend([ABORTED] * aborts)
    slot.feed(*BATCHES)

    slot.run_until_done(RECORDS)

    assert_exact(slot)
    assert slot.broker.identity.epoch == aborts
    assert slot.context.transactions_aborted == aborts


@pytest.mark.parametrize("code", [47, 48, 120])
def test_a_batch_whose_transaction_is_lost_aborts_it(code: int) -> None:
    slot = slot_with(None, code)
    slot.feed(*BATCHES)

    slot.run_until_done(RECORDS)

    assert_exact(slot)
    assert slot.broker.aborts == 1


def test_a_batch_that_was_surely_not_written_costs_no_transaction() -> None:
    slot = slot_with(None, None, 19, 19, 19)
    slot.feed(*BATCHES)

    slot.run_until_done(RECORDS)

    assert_exact(slot)
    assert slot.broker.aborts == 0


@pytest.mark.parametrize("code", [3, 6, 7, 20, 56])
def test_a_batch_whose_leader_lost_it_after_it_was_written_is_not_there_twice(code: int) -> None:
    slot = slot_with(f"written {code}", code, code, code, partitions=1)
    commit = slot.broker.commit_positions
    commits = list[int]()

    async def commit_and_fail_the_next(*arguments: object, **options: object) -> None:
        commits.append(len(slot.broker.open))
        if len(commits) > 1 and sum(1 for opened in commits[:-1] if opened) == 1 and not slot.broker.aborts:
            slot.broker.commit_failures.append(ABORTED)
        await commit(*arguments, **options)  # type: ignore[arg-type]

    slot.broker.commit_positions = commit_and_fail_the_next  # type: ignore[method-assign]
    slot.feed(5)

    slot.run_until_done(5)

    assert_exact(slot, 5)


def test_a_batch_in_doubt_is_cleared_up_before_the_commit() -> None:
    slot = slot_with(None, "lost answer", "written 7")
    slot.feed(*BATCHES)

    slot.run_until_done(RECORDS)

    assert_exact(slot)
    assert slot.broker.aborts == 0


def test_a_partition_that_stays_in_doubt_is_left_out_and_the_others_go_on() -> None:
    slot = slot_with(partitions=2)
    slot.feed(*BATCHES)
    bad, good = slot.copies
    answer = slot.broker._append  # one partition's answers say nothing, for twenty seconds

    def append(batch, fault, transactional):  # type: ignore[no-untyped-def]
        in_doubt = batch.partition == bad.upstream.partition and slot.loop.monotonic_s() < 1_020
        return answer(batch, "written 7" if in_doubt else fault, transactional)

    slot.broker._append = append  # type: ignore[method-assign]
    running = [slot.loop.spawn(part.run()) for part in (slot.produce, slot.transactions) if part is not None]
    slot.loop.run_until(lambda: good.done_next == RECORDS, limit_s=15)
    assert bad.done_next == 0
    assert bad.target_waits is not None
    assert bad.target_waits.code == "target_in_doubt"
    assert slot.broker.aborts == 1

    slot.loop.run_until(lambda: bad.done_next == RECORDS, limit_s=60)

    assert_exact(slot)
    assert not any(task.error for task in running)


@pytest.mark.parametrize("seed", range(25))
def test_what_is_committed_is_exact_after_random_faults(seed: int) -> None:
    choose = random.Random(seed)
    kinds: list[Fault] = [None, None, None, 6, 19, 48, "written 7", "lost request", "lost answer"]
    slot = slot_with(*[choose.choice(kinds) for _ in range(60)], partitions=3)
    slot.broker.commit_failures.extend([ABORTED] * choose.randrange(3))
    for count in range(1, 4):
        slot.feed(*BATCHES)
        slot.run_until_done(count * RECORDS)

    assert_exact(slot, 3 * RECORDS)


def test_a_partition_that_may_not_be_written_is_left_out_until_it_may() -> None:
    slot = slot_with(partitions=2)
    bad, good = slot.copies
    slot.broker.denied = {bad.remote}
    slot.feed(*BATCHES)
    for part in (slot.produce, slot.transactions):
        slot.loop.spawn(part.run())  # type: ignore[union-attr]
    slot.loop.run_until(lambda: good.done_next == RECORDS, limit_s=5)
    assert bad.target_waits is not None
    assert (bad.state, bad.target_waits.code, bad.done_next) == ("stalled", "authorization_failed", 0)

    slot.broker.denied = set()
    slot.loop.run_until(lambda: bad.done_next == RECORDS, limit_s=20)

    assert_exact(slot)
    assert bad.target_waits is None


def test_a_new_owner_of_the_slot_ends_it_with_nothing_committed() -> None:
    slot = slot_with(None, 47)
    slot.broker.has_new_owner = True
    slot.feed(*BATCHES)

    with pytest.raises(FencedError):
        slot.run_until_done(RECORDS)

    assert not slot.broker.committed


def test_a_batch_in_doubt_whose_partition_gives_up_is_not_committed() -> None:
    slot = slot_with(partitions=2)
    slot.context.spec = replace(slot.context.spec, errors=ErrorHandling(retry_timeout_ms=2_000))
    bad, good = slot.copies
    answer = slot.broker._append

    def append(batch, fault, transactional):  # type: ignore[no-untyped-def]
        in_doubt = batch.partition == bad.upstream.partition
        return answer(batch, "written 20" if in_doubt else fault, transactional)

    slot.broker._append = append  # type: ignore[method-assign]
    slot.feed(*BATCHES)

    slot.run_until_done(RECORDS)

    assert bad.state == "failed"
    assert good.done_next == RECORDS
    assert not slot.broker.committed[bad.remote]
    assert slot.broker.committed[good.remote] == slot.expected(good.upstream.partition, RECORDS)
    assert slot.broker.positions[bad.upstream] == 0


def test_an_abort_reads_what_stood_before_a_failed_record_again() -> None:
    slot = slot_with(partitions=1)
    copy = slot.copies[0]
    slot.feed(*BATCHES)
    copy.stop_for("failed", Cause(code="corrupt_batch", text="", topic="t", partition=0, since_ms=0))

    copy.rewind()

    assert (copy.special_state, copy.fetch_offset) == (None, 0)


@pytest.mark.parametrize("has_position", [True, False])
def test_an_abort_leaves_alone_who_waits_for_a_person_with_nothing_on_its_way(has_position: bool) -> None:
    copy = slot_with(partitions=1).copies[0]
    copy.has_position = has_position
    copy.stop_for("gap", Cause(code="positions_lost", text="", topic="t", partition=0, since_ms=0))

    copy.rewind()

    assert copy.state == "gap"


def test_a_partition_without_a_committed_position_does_not_hold_up_a_stop() -> None:
    slot = slot_with(partitions=1)
    slot.feed(*BATCHES)
    running = slot.loop.spawn(slot.produce.run())
    slot.context.stopping = True

    slot.loop.run_until(lambda: running.done, limit_s=2)

    assert not slot.broker.requests


def test_the_last_commit_opens_no_other_transaction() -> None:
    slot = slot_with(partitions=1)
    slot.feed(*BATCHES)
    assert slot.transactions is not None
    slot.produce.cease()
    last = slot.loop.spawn(slot.transactions.finish())
    slot.loop.run_for(5)

    assert last.done
    assert slot.broker.commits == 1
    assert not slot.broker.members
