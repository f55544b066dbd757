"""Ordered retry: through all failures of brokers and network, the target's log holds every record once, in order."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from replication.domain.errors import FatalError, FencedError
from replication.domain.rejected_records.error_policy import ErrorHandling
from replication.memory.broker import ProduceFault
from replication.ports.produce.batch_producer import OutgoingBatch
from replication.tasks.partition.partition_copy import PartitionCopy
from tests.unit.replication.tasks.producing import LOST_ANSWER, LOST_REQUEST, ProducingSlot, failing

BATCHES = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8)
RECORDS = sum(BATCHES)

UNKNOWN_TOPIC, NOT_LEADER, TIMED_OUT, TOO_FEW_REPLICAS, TOO_FEW_AFTER_APPEND, STORAGE = 3, 6, 7, 19, 20, 56


def produced(*faults: ProduceFault | None, partitions: int = 1, **changes: Any) -> ProducingSlot:
    slot = ProducingSlot(faults=faults, partitions=partitions, **changes)
    slot.feed(*BATCHES)
    slot.run_until_done(RECORDS)
    return slot


def test_five_requests_are_in_flight_once_the_target_knows_the_producer() -> None:
    slot = produced()

    assert slot.producer.most_in_flight == 5
    assert slot.values(slot.copies[0]) == slot.expected(0, RECORDS)


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param((failing(NOT_LEADER),), id="the leader moved before the first batch"),
        pytest.param(
            (None, failing(NOT_LEADER), failing(NOT_LEADER), failing(NOT_LEADER)),
            id="a leader that moved, several in flight",
        ),
        pytest.param((None, None, failing(NOT_LEADER)), id="one refused while those behind it arrive out of order"),
        pytest.param(
            (None, failing(TIMED_OUT, is_written=True)), id="written, but the replicas did not confirm in time"
        ),
        pytest.param((None, None, failing(TOO_FEW_AFTER_APPEND, is_written=True)), id="written, then too few replicas"),
        pytest.param((None, failing(TOO_FEW_REPLICAS), failing(TOO_FEW_REPLICAS)), id="too few replicas"),
        pytest.param((None, LOST_REQUEST), id="the connection breaks before the broker has it"),
        pytest.param((None, LOST_ANSWER), id="the connection breaks after the broker wrote it"),
        pytest.param((None, LOST_ANSWER, LOST_ANSWER, LOST_REQUEST), id="it breaks with several in flight"),
        pytest.param((None, failing(STORAGE), LOST_ANSWER, failing(NOT_LEADER)), id="one after the other"),
    ],
)
def test_every_record_stands_once_and_in_order_after(faults: tuple[ProduceFault | None, ...]) -> None:
    slot = produced(*faults, partitions=3)

    for number in range(3):
        assert slot.values(slot.copies[number]) == slot.expected(number, RECORDS)


@pytest.mark.parametrize("seed", range(25))
def test_every_record_stands_once_and_in_order_after_random_faults(seed: int) -> None:
    choose = random.Random(seed)
    kinds: list[ProduceFault | None] = [
        None,
        None,
        failing(NOT_LEADER),
        failing(TOO_FEW_REPLICAS),
        failing(7, is_written=True),
        LOST_REQUEST,
        LOST_ANSWER,
    ]
    faults = [choose.choice(kinds) for _ in range(40)]

    slot = produced(*faults, partitions=2)

    for number in range(2):
        assert slot.values(slot.copies[number]) == slot.expected(number, RECORDS)
        mapped = [(entry.first, entry.acknowledged_at) for part, entry in slot.finished_entries if part == number]
        assert all(first == base for first, base in mapped), "an answer was taken for another batch's"


@pytest.mark.parametrize("seed", range(10))
def test_more_connections_on_the_way_leave_every_partition_in_order(seed: int) -> None:
    chance = random.Random(seed)
    faults: list[ProduceFault | None] = [
        chance.choice([None, None, None, failing(NOT_LEADER), LOST_ANSWER]) for _ in range(40)
    ]
    slot = ProducingSlot(faults=faults, partitions=6)

    for connections in (1, 3, 4):
        slot.gauge.connections = connections
        slot.feed(*BATCHES)
        slot.run_until_done(RECORDS * (1, 3, 4).index(connections) + RECORDS // 2)
    slot.run_until_done(3 * RECORDS)

    for number in range(6):
        assert slot.values(slot.copies[number]) == slot.expected(number, 3 * RECORDS)
    assert set(slot.producer.connections.values()) == {0, 1, 2, 3}


def test_records_sent_again_without_knowing_whether_they_arrived_are_counted() -> None:
    refused = produced(None, failing(TOO_FEW_REPLICAS))
    assert refused.copies[0].counters.resent_total == 0

    lost = produced(None, LOST_ANSWER)
    assert lost.copies[0].counters.resent_total >= BATCHES[1]


def test_a_new_owner_of_the_slot_ends_it() -> None:
    with pytest.raises(FencedError):
        produced(None, failing(47))


def test_a_target_that_takes_the_sequences_of_no_epoch_makes_the_slot_start_again() -> None:
    with pytest.raises(FatalError, match="in every epoch"):
        produced(None, *[failing(45)] * 200)


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
    slot = ProducingSlot(faults=[failing(code)] * 40)
    slot.feed(*BATCHES)
    copy = slot.copies[0]
    slot.loop.spawn(slot.sender.run())

    slot.loop.run_until(lambda: copy.obstructions.of("target") is not None)
    waits = copy.obstructions.of("target")
    assert waits is not None
    assert (copy.state, waits.code) == ("stalled", cause)
    assert "a.t-0" in waits.text

    slot.loop.run_until(lambda: copy.progress.next_offset == RECORDS)
    assert copy.obstructions.of("target") is None


@pytest.mark.parametrize("bad", [{0}, {RECORDS - 1}, {7, 8, 30}, set(range(5, 20))])
def test_rejected_records_are_skipped_one_by_one(bad: set[int]) -> None:
    slot = ProducingSlot(errors=ErrorHandling(policy="skip"))
    slot.without_key = bad
    slot.feed(*BATCHES)

    slot.run_until_done(RECORDS)

    assert slot.values(slot.copies[0]) == [value for n, value in enumerate(slot.expected(0, RECORDS)) if n not in bad]
    assert sorted(refused.offset for refused in slot.rejected_log.take_unreported()) == sorted(bad)
    mapped = {
        upstream + n: entry.acknowledged_at + index + n
        for _, entry in slot.finished_entries
        if entry.acknowledged_at is not None
        for upstream, index, length in entry.runs
        for n in range(length)
    }
    kept = [n for n in range(RECORDS) if n not in bad]
    assert mapped == {upstream: downstream for downstream, upstream in enumerate(kept)}


def test_a_rejected_record_stops_its_partition_and_leaves_what_stands_before_it() -> None:
    slot = ProducingSlot()
    slot.without_key = {20}
    slot.feed(*BATCHES)

    slot.run_until_done(RECORDS)

    copy = slot.copies[0]
    assert copy.state == "failed"
    assert copy.obstructions.cause is not None
    assert "offset 20" in copy.obstructions.cause.text
    assert slot.values(slot.copies[0]) == slot.expected(0, 20)
    assert copy.progress.next_offset == 20


def test_an_error_that_lasts_longer_than_the_retry_timeout_is_treated_as_a_refusal() -> None:
    slot = ProducingSlot(faults=[failing(STORAGE)] * 1_000, errors=ErrorHandling(retry_timeout_ms=10_000))
    slot.feed(2)

    slot.run_until_done(2, limit_s=40)

    assert slot.copies[0].state == "failed"


def test_an_error_that_ends_before_the_retry_timeout_refuses_nothing() -> None:
    slot = ProducingSlot(errors=ErrorHandling(retry_timeout_ms=10_000))
    slot.feed(2)
    until_s = slot.loop.monotonic_s() + 8.0
    slot.producer.fault_of = lambda _batch: failing(STORAGE) if slot.loop.monotonic_s() < until_s else None

    slot.run_until_done(2, limit_s=40)

    assert slot.loop.monotonic_s() >= until_s
    assert slot.values(slot.copies[0]) == slot.expected(0, 2)
    assert slot.copies[0].state != "failed"


def test_what_the_target_refuses_now_does_not_hold_up_a_stop() -> None:
    slot = ProducingSlot(faults=[failing(TOO_FEW_REPLICAS)] * 1_000)
    slot.feed(2)
    running = slot.loop.spawn(slot.sender.run())
    slot.loop.run_until(lambda: slot.copies[0].retries.attempts > 2)

    slot.context.stopping = True
    slot.context.work_signal.set()

    slot.loop.run_until(lambda: running.done, limit_s=2)


def test_an_error_without_an_answer_lasts_no_longer_than_the_retry_timeout_either() -> None:
    slot = ProducingSlot(faults=[LOST_REQUEST] * 1_000, errors=ErrorHandling(retry_timeout_ms=10_000))
    slot.feed(2)

    slot.run_until_done(2, limit_s=40)

    copy = slot.copies[0]
    assert copy.obstructions.cause is not None
    assert "the connection broke" in copy.obstructions.cause.text


@pytest.mark.parametrize("code", [-1, 2])
def test_an_error_that_may_be_the_way_s_ends_a_partition_only_after_a_minute(code: int) -> None:
    slot = ProducingSlot()
    slot.feed(2)

    def fault(_batch: OutgoingBatch) -> ProduceFault | None:
        return failing(code) if slot.loop.monotonic_s() < until_s else None

    until_s = slot.loop.monotonic_s() + 30
    slot.producer.fault_of = fault
    slot.run_until_done(2, limit_s=40)
    assert slot.copies[0].progress.next_offset == 2

    until_s = slot.loop.monotonic_s() + 1_000
    slot.feed(2)
    slot.run_until_done(4, limit_s=90)
    assert slot.copies[0].state == "failed"


@pytest.mark.parametrize("code", [-1, 2])
@pytest.mark.parametrize("other", [NOT_LEADER, TOO_FEW_REPLICAS])
def test_a_minute_of_other_errors_does_not_make_one_suspect_answer_the_batch_s_fault(code: int, other: int) -> None:
    slot = ProducingSlot()
    slot.feed(2)
    since_s = slot.loop.monotonic_s()
    answers: list[int] = []

    def fault(_batch: OutgoingBatch) -> ProduceFault | None:
        now_s = slot.loop.monotonic_s()
        if now_s > since_s + 300:
            return None
        answers.append(code if now_s > since_s + 70 and len(answers) % 4 else other)  # three of four, never five
        return failing(answers[-1])

    slot.producer.fault_of = fault
    slot.run_until_done(2, limit_s=400)

    (copy,) = slot.copies
    assert answers.count(code) > 10
    assert copy.progress.next_offset == 2
    assert slot.values(copy) == slot.expected(0, 2)


def test_requests_without_an_answer_do_not_excuse_a_batch_that_the_target_blames() -> None:
    slot = ProducingSlot(faults=[failing(2), LOST_REQUEST] * 500)
    slot.feed(2)

    slot.run_until_done(2, limit_s=200)

    assert slot.copies[0].state == "failed"


def test_the_first_batch_after_a_long_rest_goes_alone() -> None:
    slot = produced()
    copy = slot.copies[0]
    slot.loop.run_for(3_700)
    requests, slot.producer.most_in_flight = slot.producer.requests, 0
    slot.feed(1, 1, 1)

    slot.loop.run_until(lambda: slot.producer.requests > requests)

    assert copy.queue.in_flight == 1
    slot.run_until_done(RECORDS + 3)
    assert slot.producer.most_in_flight > 0


def test_after_a_failure_one_batch_goes_alone_for_the_topic_may_be_new_and_take_any_sequence() -> None:
    slot = ProducingSlot(faults=(None, *[failing(UNKNOWN_TOPIC)] * 6))
    slot.feed(*BATCHES)
    (copy,) = slot.copies
    slot._running = [slot.loop.spawn(slot.sender.run())]
    slot.loop.run_until(lambda: copy.retries.attempts == 1 and copy.queue.in_flight == 0)
    slot.create("a.t", 1)

    slot.run_until_done(RECORDS)

    assert slot.values(slot.copies[0]) == slot.expected(0, RECORDS)[BATCHES[0] :]


@pytest.mark.parametrize("stop", [lambda copy: copy.queue.set_leader(-1), lambda copy: copy.barrier.close()])
def test_what_cannot_be_sent_now_does_not_hold_up_a_stop(stop: Callable[[PartitionCopy], None]) -> None:
    slot = ProducingSlot()
    stop(slot.copies[0])
    slot.feed(2)
    running = slot.loop.spawn(slot.sender.run())
    slot.context.stopping = True

    slot.loop.run_until(lambda: running.done, limit_s=2)

    assert not slot.producer.requests
