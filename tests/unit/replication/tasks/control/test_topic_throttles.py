"""A throttled topic of a running slot is read at its rate; its neighbours in the same fetches are not slowed down."""

import os
from collections.abc import Iterator

import pytest

from replication.domain.batches.record import Record
from replication.domain.control.orders import RestartOrder, TopicThrottle
from replication.domain.control.throttle import Throttle
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import PlannedPartition
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.wire.batches.record_codec import build_batch
from tests.support.engine.slot_in_memory import ORDERS, SlotInMemory

RATE = 100_000  # bytes per second
BATCH_BYTES = 10_000
PAYMENTS = "payments"


@pytest.fixture
def slot() -> Iterator[SlotInMemory]:
    """A slot of `orders` and two partitions of `payments`, all of which have a minute of records at the rate."""
    running = SlotInMemory()
    topic_id = running.source.create(PAYMENTS, partitions=2).topic_id
    running.target.create(f"a.{PAYMENTS}", partitions=2)
    added = (
        PlannedPartition(upstream=TopicPartition(PAYMENTS, number), remote_topic=f"a.{PAYMENTS}", topic_id=topic_id)
        for number in (0, 1)
    )
    running.plan(*running.spec.partitions, *added)
    running.run_until(lambda: len(copies(running)) == 3)
    yield running
    running.close()


def copies(slot: SlotInMemory) -> dict[TopicPartition, PartitionCopy]:
    return dict(slot.task._context.roster.copies)


def store(slot: SlotInMemory, topic: str, partition: int, size: int) -> None:
    for _ in range(size // BATCH_BYTES):
        batch = build_batch([Record(0, 1_000, b"k", os.urandom(BATCH_BYTES), ())])
        slot.source.topics[topic].append(partition, bytes(batch))


def copied(slot: SlotInMemory, topic: str, partition: int = 0) -> int:
    return copies(slot)[TopicPartition(topic, partition)].counters.bytes_total


def wait(slot: SlotInMemory, seconds: float) -> None:
    until_s = slot.loop.monotonic_s() + seconds
    slot.run_until(lambda: slot.loop.monotonic_s() >= until_s)


def throttle(slot: SlotInMemory, *throttles: TopicThrottle) -> None:
    slot.change(topic_throttles=throttles)
    wait(slot, 1.0)


def test_a_throttled_topic_keeps_its_rate_and_its_neighbour_has_all_of_its_records_at_once(slot: SlotInMemory) -> None:
    throttle(slot, TopicThrottle(topic=ORDERS.topic, bytes_per_second=RATE))
    store(slot, ORDERS.topic, 0, 60 * RATE)
    store(slot, PAYMENTS, 0, 60 * RATE)
    wait(slot, 2.0)
    neighbour = copied(slot, PAYMENTS)
    before = copied(slot, ORDERS.topic)
    wait(slot, 20.0)

    assert neighbour >= 60 * RATE, "as fast as without the throttle"
    assert copied(slot, ORDERS.topic) - before == pytest.approx(20 * RATE, rel=0.1)


def test_the_partitions_of_a_throttled_topic_share_its_rate(slot: SlotInMemory) -> None:
    throttle(slot, TopicThrottle(topic=PAYMENTS, bytes_per_second=RATE))
    for partition in (0, 1):
        store(slot, PAYMENTS, partition, 60 * RATE)
    wait(slot, 2.0)
    before = copied(slot, PAYMENTS, 0), copied(slot, PAYMENTS, 1)
    wait(slot, 20.0)
    each = copied(slot, PAYMENTS, 0) - before[0], copied(slot, PAYMENTS, 1) - before[1]

    assert sum(each) == pytest.approx(20 * RATE, rel=0.1)
    assert min(each) > 0.3 * sum(each), "no partition waits for the other one"


def test_a_throttle_of_a_partition_slows_no_other_down_and_the_lower_one_counts(slot: SlotInMemory) -> None:
    throttle(
        slot,
        TopicThrottle(topic=PAYMENTS, bytes_per_second=10 * RATE),
        TopicThrottle(topic=PAYMENTS, partition=1, bytes_per_second=RATE),
    )
    for partition in (0, 1):
        store(slot, PAYMENTS, partition, 200 * RATE)
    wait(slot, 2.0)
    before = copied(slot, PAYMENTS, 0), copied(slot, PAYMENTS, 1)
    wait(slot, 10.0)
    each = copied(slot, PAYMENTS, 0) - before[0], copied(slot, PAYMENTS, 1) - before[1]

    assert each[1] == pytest.approx(10 * RATE, rel=0.15)
    assert sum(each) == pytest.approx(100 * RATE, rel=0.1)


def test_the_flows_throttle_still_limits_everything(slot: SlotInMemory) -> None:
    slot.change(throttle=Throttle(bytes_per_second=2 * RATE))
    throttle(slot, TopicThrottle(topic=ORDERS.topic, bytes_per_second=RATE // 2))
    store(slot, ORDERS.topic, 0, 60 * RATE)
    store(slot, PAYMENTS, 0, 60 * RATE)
    wait(slot, 2.0)
    before = copied(slot, ORDERS.topic), copied(slot, PAYMENTS)
    wait(slot, 20.0)
    slow, fast = copied(slot, ORDERS.topic) - before[0], copied(slot, PAYMENTS) - before[1]

    assert slow + fast == pytest.approx(40 * RATE, rel=0.1)
    assert 3 * RATE < slow < 11 * RATE, "both limits count, and the neighbours share what the flow has"


def test_the_state_names_the_throttle_and_the_neighbour_has_none(slot: SlotInMemory) -> None:
    throttle(slot, TopicThrottle(topic=ORDERS.topic, bytes_per_second=RATE))
    store(slot, ORDERS.topic, 0, 60 * RATE)
    wait(slot, 8.0)
    slow = copies(slot)[ORDERS]

    assert (slow.state, slow.reason and slow.reason.code) == ("throttled", "throttle")
    assert slow.reason is not None
    assert (slow.reason.topic, slow.reason.text) == (
        ORDERS.topic,
        "the throttle of orders gives this task 100,000 bytes per second",
    )
    assert slot.task.live["states"] == {"throttled": 1, "caught_up": 2}
    assert slot.task.live["limit"]["code"] == "throttle"
    assert 5_000 < slow.counters.throttled_ms < 9_000
    assert copies(slot)[TopicPartition(PAYMENTS, 0)].counters.throttled_ms == 0


def test_what_waits_is_read_again_at_once_when_the_throttle_is_removed(slot: SlotInMemory) -> None:
    throttle(slot, TopicThrottle(topic=ORDERS.topic, bytes_per_second=1))
    store(slot, ORDERS.topic, 0, 60 * RATE)
    wait(slot, 5.0)
    assert copied(slot, ORDERS.topic) < RATE

    slot.change(topic_throttles=())
    wait(slot, 1.0)

    assert copied(slot, ORDERS.topic) >= 60 * RATE


def test_a_throttle_ends_by_itself(slot: SlotInMemory) -> None:
    until_ms = slot.loop.now_ms() + 8_000
    throttle(slot, TopicThrottle(topic=ORDERS.topic, bytes_per_second=RATE, until_ms=until_ms))
    store(slot, ORDERS.topic, 0, 60 * RATE)
    wait(slot, 5.0)
    assert copied(slot, ORDERS.topic) < 10 * RATE

    slot.run_until(lambda: slot.loop.now_ms() > until_ms + 1_500)

    assert copied(slot, ORDERS.topic) >= 60 * RATE
    wait(slot, 3.0)
    assert copies(slot)[ORDERS].state == "caught_up"


def test_a_restarted_partition_keeps_its_throttle(slot: SlotInMemory) -> None:
    throttle(slot, TopicThrottle(topic=ORDERS.topic, bytes_per_second=RATE))
    store(slot, ORDERS.topic, 0, 60 * RATE)
    wait(slot, 2.0)
    slot.change(restarts=(RestartOrder(id="r", topic=ORDERS.topic),))
    slot.run_until(lambda: "r" in slot.task.live.get("done_restarts", ()))
    before = copied(slot, ORDERS.topic)
    wait(slot, 10.0)

    assert copied(slot, ORDERS.topic) - before == pytest.approx(10 * RATE, rel=0.15)
