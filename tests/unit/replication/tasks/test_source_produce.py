"""Ordered retry: whatever a broker or the way to it does, the target's log holds every record once and in order."""

import random
from typing import Any

import pytest

from replication.domain.error_handling import ErrorHandling
from replication.domain.errors import FatalError, FencedError
from replication.domain.identifiers import TopicPartition
from tests.support.idempotent_broker import Fault
from tests.unit.replication.tasks.producing import ProducingSlot

REMOTE = TopicPartition("a.t", 0)
BATCHES = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8)
RECORDS = sum(BATCHES)

UNKNOWN_TOPIC, NOT_LEADER, TIMED_OUT, TOO_FEW_REPLICAS, TOO_FEW_AFTER_APPEND, STORAGE = 3, 6, 7, 19, 20, 56


def produced(*faults: Fault, partitions: int = 1, **changes: Any) -> ProducingSlot:
    slot = ProducingSlot(faults=faults, partitions=partitions, **changes)
    slot.feed(*BATCHES)
    slot.run_until_done(RECORDS)
    return slot


def test_five_requests_are_in_flight_once_the_target_knows_the_producer() -> None:
    slot = produced()

    assert slot.broker.most_in_flight == 5
    assert slot.broker.values[REMOTE] == slot.expected(0, RECORDS)


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param((NOT_LEADER,), id="the leader moved before the first batch"),
        pytest.param((None, NOT_LEADER, NOT_LEADER, NOT_LEADER), id="a leader that moved, several in flight"),
        pytest.param((None, None, NOT_LEADER), id="one refused while those behind it arrive out of order"),
        pytest.param((None, f"written {TIMED_OUT}"), id="written, but the replicas did not confirm in time"),
        pytest.param((None, None, f"written {TOO_FEW_AFTER_APPEND}"), id="written, then too few replicas"),
        pytest.param((None, TOO_FEW_REPLICAS, TOO_FEW_REPLICAS), id="too few replicas"),
        pytest.param((None, "lost request"), id="the connection breaks before the broker has it"),
        pytest.param((None, "lost answer"), id="the connection breaks after the broker wrote it"),
        pytest.param((None, "lost answer", "lost answer", "lost request"), id="it breaks with several in flight"),
        pytest.param((None, STORAGE, "lost answer", NOT_LEADER), id="one after the other"),
    ],
)
def test_every_record_stands_once_and_in_order_after(faults: tuple[Fault, ...]) -> None:
    slot = produced(*faults, partitions=3)

    for number in range(3):
        assert slot.broker.values[TopicPartition("a.t", number)] == slot.expected(number, RECORDS)


@pytest.mark.parametrize("seed", range(25))
def test_every_record_stands_once_and_in_order_after_random_faults(seed: int) -> None:
    choose = random.Random(seed)
    kinds: list[Fault] = [None, None, NOT_LEADER, TOO_FEW_REPLICAS, "written 7", "lost request", "lost answer"]
    faults = [choose.choice(kinds) for _ in range(40)]

    slot = produced(*faults, partitions=2)

    for number in range(2):
        assert slot.broker.values[TopicPartition("a.t", number)] == slot.expected(number, RECORDS)
        mapped = [(entry.first, entry.acknowledged_at) for part, entry in slot.done if part == number]
        assert all(first == base for first, base in mapped), "an answer was taken for another batch's"


@pytest.mark.parametrize("seed", range(10))
def test_more_connections_on_the_way_leave_every_partition_in_order(seed: int) -> None:
    chance = random.Random(seed)
    faults: list[Fault] = [chance.choice([None, None, None, NOT_LEADER, "lost answer"]) for _ in range(40)]
    slot = ProducingSlot(faults=faults, partitions=6)

    for connections in (1, 3, 4):
        slot.context.connections = connections
        slot.feed(*BATCHES)
        slot.run_until_done(RECORDS * (1, 3, 4).index(connections) + RECORDS // 2)
    slot.run_until_done(3 * RECORDS)

    for number in range(6):
        assert slot.broker.values[TopicPartition("a.t", number)] == slot.expected(number, 3 * RECORDS)
    assert set(slot.broker.connections.values()) == {0, 1, 2, 3}


def test_records_sent_again_without_knowing_whether_they_arrived_are_counted() -> None:
    refused = produced(None, TOO_FEW_REPLICAS)
    assert refused.copies[0].resent_total == 0

    lost = produced(None, "lost answer")
    assert lost.copies[0].resent_total >= BATCHES[1]


def test_a_new_owner_of_the_slot_ends_it() -> None:
    with pytest.raises(FencedError):
        produced(None, 47)


def test_a_target_that_forgot_the_sequences_makes_the_slot_start_anew() -> None:
    with pytest.raises(FatalError, match="lost the producer's state"):
        produced(None, *[45] * 60)


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        (NOT_LEADER, "remote_leader_not_available"),
        (TOO_FEW_REPLICAS, "not_enough_replicas"),
        (STORAGE, "target_storage"),
        (29, "authorization_failed"),
        (TIMED_OUT, "target_timeout"),
    ],
)
def test_a_partition_that_is_refused_again_and_again_is_stalled_with_the_cause(code: int, cause: str) -> None:
    slot = ProducingSlot(faults=[code] * 40)
    slot.feed(*BATCHES)
    copy = slot.copies[0]
    slot.loop.spawn(slot.produce.run())

    slot.loop.run_until(lambda: copy.target_waits is not None)
    assert copy.target_waits is not None
    assert (copy.state, copy.target_waits.code) == ("stalled", cause)
    assert "a.t-0" in copy.target_waits.text

    slot.loop.run_until(lambda: copy.done_next == RECORDS)
    assert copy.target_waits is None


@pytest.mark.parametrize("bad", [{0}, {RECORDS - 1}, {7, 8, 30}, set(range(5, 20))])
def test_refused_records_are_skipped_one_by_one(bad: set[int]) -> None:
    slot = ProducingSlot(errors=ErrorHandling(policy="skip"))
    slot.broker.bad_values = {f"0:{number}".encode() for number in bad}
    slot.feed(*BATCHES)

    slot.run_until_done(RECORDS)

    assert slot.broker.values[REMOTE] == [value for n, value in enumerate(slot.expected(0, RECORDS)) if n not in bad]
    assert sorted(refused.offset for refused in slot.context.unreported_refused) == sorted(bad)
    mapped = {
        upstream + n: entry.acknowledged_at + index + n
        for _, entry in slot.done
        if entry.acknowledged_at is not None
        for upstream, index, length in entry.runs
        for n in range(length)
    }
    kept = [n for n in range(RECORDS) if n not in bad]
    assert mapped == {upstream: downstream for downstream, upstream in enumerate(kept)}


def test_a_refused_record_stops_its_partition_and_leaves_what_stands_before_it() -> None:
    slot = ProducingSlot()
    slot.broker.bad_values = {b"0:20"}
    slot.feed(*BATCHES)

    slot.run_until_done(RECORDS)

    copy = slot.copies[0]
    assert copy.state == "failed"
    assert copy.cause is not None
    assert "offset 20" in copy.cause.text
    assert slot.broker.values[REMOTE] == slot.expected(0, 20)
    assert copy.done_next == 20


def test_an_error_that_lasts_longer_than_the_retry_timeout_is_treated_as_a_refusal() -> None:
    slot = ProducingSlot(faults=[STORAGE] * 1_000, errors=ErrorHandling(retry_timeout_ms=10_000))
    slot.feed(2)

    slot.run_until_done(2, limit_s=40)

    assert slot.copies[0].state == "failed"


def test_what_the_target_refuses_now_does_not_hold_up_a_stop() -> None:
    slot = ProducingSlot(faults=[TOO_FEW_REPLICAS] * 1_000)
    slot.feed(2)
    running = slot.loop.spawn(slot.produce.run())
    slot.loop.run_until(lambda: slot.copies[0].attempts > 2)

    slot.context.stopping = True
    slot.context.work_signal.set()

    slot.loop.run_until(lambda: running.done, limit_s=2)


def test_an_error_without_an_answer_lasts_no_longer_than_the_retry_timeout_either() -> None:
    slot = ProducingSlot(faults=["lost request"] * 1_000, errors=ErrorHandling(retry_timeout_ms=10_000))
    slot.feed(2)

    slot.run_until_done(2, limit_s=40)

    copy = slot.copies[0]
    assert copy.cause is not None
    assert "the connection broke" in copy.cause.text


@pytest.mark.parametrize("code", [-1, 2])
def test_an_error_that_may_be_the_way_s_ends_a_partition_only_after_a_minute(code: int) -> None:
    slot = ProducingSlot()
    slot.feed(2)
    answer = slot.broker._append

    def append(batch, fault, transactional):  # type: ignore[no-untyped-def]
        return answer(batch, code if slot.loop.monotonic_s() < until_s else fault, transactional)

    until_s = slot.loop.monotonic_s() + 30
    slot.broker._append = append  # type: ignore[method-assign]
    slot.run_until_done(2, limit_s=40)
    assert slot.copies[0].done_next == 2

    until_s = slot.loop.monotonic_s() + 1_000
    slot.feed(2)
    slot.run_until_done(4, limit_s=90)
    assert slot.copies[0].state == "failed"


def test_the_first_batch_after_a_long_rest_goes_alone() -> None:
    slot = produced()
    copy = slot.copies[0]
    slot.loop.run_for(3_700)
    requests, slot.broker.most_in_flight = slot.broker.requests, 0
    slot.feed(1, 1, 1)

    slot.loop.run_until(lambda: slot.broker.requests > requests)

    assert copy.in_flight == 1
    slot.run_until_done(RECORDS + 3)
    assert slot.broker.most_in_flight > 0


def test_after_a_failure_one_batch_goes_alone_for_the_topic_may_be_new_and_take_any_sequence() -> None:
    slot = ProducingSlot(faults=(None, *[UNKNOWN_TOPIC] * 6))
    slot.feed(*BATCHES)
    (copy,) = slot.copies
    slot._running = [slot.loop.spawn(slot.produce.run())]
    slot.loop.run_until(lambda: copy.attempts == 1 and copy.in_flight == 0)
    slot.broker.forget(REMOTE)

    slot.run_until_done(RECORDS)

    assert slot.broker.values[REMOTE] == slot.expected(0, RECORDS)[BATCHES[0] :]


@pytest.mark.parametrize(("what", "value"), [("target_leader", -1), ("letters_on_their_way", 1)])
def test_what_cannot_be_sent_now_does_not_hold_up_a_stop(what: str, value: int) -> None:
    slot = ProducingSlot()
    setattr(slot.copies[0], what, value)
    slot.feed(2)
    running = slot.loop.spawn(slot.produce.run())
    slot.context.stopping = True

    slot.loop.run_until(lambda: running.done, limit_s=2)

    assert not slot.broker.requests
