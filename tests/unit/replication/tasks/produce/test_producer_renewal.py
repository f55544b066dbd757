"""A partition whose sequences the target lost gets a new epoch of the producer, and its neighbours lose nothing."""

import pytest

from replication.domain.errors import FatalError, FencedError
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.memory.broker import ProduceFault
from replication.ports.produce.batch_producer import OutgoingBatch
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.produce.failed_batches import MOST_RENEWALS
from replication.tasks.produce.producer_renewal import ProducerRenewal
from tests.unit.replication.tasks.producing import ProducingSlot, failing

BATCHES = (3, 1, 4, 1, 5, 9)
RECORDS = sum(BATCHES)
TIMED_OUT = KafkaErrorCode.REQUEST_TIMED_OUT


def running_slot(partitions: int = 3, delivery: str = "at_least_once") -> ProducingSlot:
    """Every partition has copied something."""
    slot = ProducingSlot(partitions=partitions, delivery=delivery)
    slot.feed(*BATCHES)
    slot.run_until_done(RECORDS)
    return slot


def lose_sequences(copy: PartitionCopy) -> None:
    """The numbers that the slot and the target have differ from now on."""
    copy.queue.next_sequence += 1_000


@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_a_partition_with_lost_sequences_continues_and_no_record_comes_twice(delivery: str) -> None:
    slot = running_slot(delivery=delivery)
    epoch = slot.owner.identity.epoch
    lose_sequences(slot.copies[0])

    slot.feed(*BATCHES)
    slot.run_until_done(2 * RECORDS)

    assert slot.owner.identity.epoch > epoch
    for number, copy in enumerate(slot.copies):
        assert slot.values(copy, committed=True) == slot.expected(number, 2 * RECORDS)
    assert slot.context.failure is None


def test_what_neighbours_have_in_doubt_is_answered_before_the_epoch_ends() -> None:
    slot = running_slot()
    troubled = {1}

    def fault(batch: OutgoingBatch) -> ProduceFault | None:
        """The neighbour's batches are written, and the answer is a time-out."""
        is_doubtful = batch.partition in troubled and slot.loop.monotonic_s() < until_s
        return failing(TIMED_OUT, is_written=True) if is_doubtful else None

    until_s = slot.loop.monotonic_s() + 4
    slot.producer.fault_of = fault
    lose_sequences(slot.copies[0])
    slot.feed(*BATCHES)
    slot.run_until_done(2 * RECORDS)

    for number, copy in enumerate(slot.copies):
        assert slot.values(copy) == slot.expected(number, 2 * RECORDS)


def test_a_neighbour_that_stays_in_doubt_does_not_hold_the_others_up_for_ever() -> None:
    slot = running_slot()

    def fault(batch: OutgoingBatch) -> ProduceFault | None:
        is_doubtful = batch.partition == 1 and slot.loop.monotonic_s() < until_s
        return failing(TIMED_OUT) if is_doubtful else None

    until_s = slot.loop.monotonic_s() + 60
    slot.producer.fault_of = fault
    lose_sequences(slot.copies[0])
    slot.feed(*BATCHES)
    slot.loop.run_until(lambda: slot.copies[0].progress.next_offset == 2 * RECORDS, limit_s=40)
    slot.run_until_done(2 * RECORDS, limit_s=200)

    for number, copy in enumerate(slot.copies):
        assert slot.values(copy) == slot.expected(number, 2 * RECORDS)


def test_a_partition_with_lost_sequences_sends_nothing_before_the_epoch_ends() -> None:
    slot = running_slot()
    epoch = slot.owner.identity.epoch
    doubtful: list[int] = []
    useless: list[int] = []

    def fault(batch: OutgoingBatch) -> ProduceFault | None:
        if batch.partition == 0 and slot.copies[0].retries.renewals and slot.owner.identity.epoch == epoch:
            useless.append(batch.partition)
        if batch.partition == 1 and slot.loop.monotonic_s() < until_s:
            return failing(TIMED_OUT)
        if batch.partition == 0 and not doubtful:
            doubtful.append(0)
            return failing(TIMED_OUT)
        return None

    until_s = slot.loop.monotonic_s() + 30
    slot.producer.fault_of = fault
    lose_sequences(slot.copies[0])
    slot.feed(*BATCHES)
    slot.run_until_done(2 * RECORDS, limit_s=200)

    assert slot.owner.identity.epoch == epoch + 1
    assert useless == []
    assert slot.values(slot.copies[0]) == slot.expected(0, 2 * RECORDS)


def test_a_target_that_rejects_the_sequences_of_every_epoch_ends_the_slot() -> None:
    slot = running_slot()
    epoch = slot.owner.identity.epoch
    slot.producer.fault_of = lambda batch: (
        failing(KafkaErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER) if batch.partition == 0 else None
    )
    slot.feed(*BATCHES)

    with pytest.raises(FatalError, match="rejects the producer's sequences in every epoch"):
        slot.run_until_done(2 * RECORDS, limit_s=400)

    assert slot.owner.identity.epoch == epoch + MOST_RENEWALS


def test_a_slot_that_has_a_new_owner_is_not_renewed() -> None:
    slot = running_slot()
    slot.lose_slot()
    lose_sequences(slot.copies[0])
    slot.feed(*BATCHES)

    with pytest.raises(FencedError):
        slot.run_until_done(2 * RECORDS)


def test_while_the_coordinator_does_not_answer_the_renewal_waits() -> None:
    slot = running_slot()
    lose_sequences(slot.copies[0])
    slot.feed(*BATCHES)
    slot.loop.run_until(lambda: slot.copies[0].retries.renewals > 0, limit_s=60)
    slot.target.is_up = False
    slot.loop.run_for(5)
    slot.target.is_up = True

    slot.run_until_done(2 * RECORDS)

    assert slot.values(slot.copies[0]) == slot.expected(0, 2 * RECORDS)


def test_while_a_request_is_in_flight_batches_in_doubt_may_still_go_out() -> None:
    slot = running_slot(partitions=2)
    loop, sender = slot.loop, HeldSender(in_flight=1)
    renewal = ProducerRenewal(slot.context, slot, sender, slot.renewal._positions)  # type: ignore[arg-type]
    waiting = loop.spawn(renewal._wait_for_answers())

    loop.run_for(1)
    assert (sender.is_held, waiting.done) == (False, False)
    sender.in_flight = 0
    loop.run_for(1)

    assert (sender.is_held, waiting.done) == (True, True)


class HeldSender:
    def __init__(self, in_flight: int) -> None:
        self.in_flight = in_flight
        self.is_held = False

    def hold_all(self) -> None:
        self.is_held = True
