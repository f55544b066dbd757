"""A partition that restarts begins again at its committed position: nothing is lost, its neighbours are not touched."""

from collections.abc import Iterator

import pytest

from replication.domain.batches.record import Record
from replication.domain.control.orders import Hold, RestartOrder
from replication.domain.settings.choices import Delivery
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.wire.batches.record_codec import build_batch
from tests.support.engine.slot_in_memory import ORDERS, REMOTE_TOPIC, SlotInMemory


@pytest.fixture(params=["at_least_once", "exactly_once"])
def delivery(request: pytest.FixtureRequest) -> Delivery:
    return "exactly_once" if request.param == "exactly_once" else "at_least_once"


@pytest.fixture
def slot(delivery: Delivery) -> Iterator[SlotInMemory]:
    running = SlotInMemory(delivery=delivery)
    yield running
    running.close()


def store(slot: SlotInMemory, *values: bytes) -> None:
    slot.store(*(build_batch([Record(0, 1_000, b"k", value, ())]) for value in values))


def copy_of(slot: SlotInMemory) -> PartitionCopy:
    return slot.task._context.roster.copies[ORDERS]


def restart(slot: SlotInMemory, key: str = "r-1", topic: str = ORDERS.topic, partition: int | None = 0) -> None:
    slot.change(restarts=(*slot.spec.restarts, RestartOrder(id=key, topic=topic, partition=partition)))


def is_done(slot: SlotInMemory, key: str = "r-1") -> bool:
    return key in slot.task.live.get("done_restarts", ())


def test_records_on_their_way_arrive_once(slot: SlotInMemory) -> None:
    store(slot, b"v0")
    slot.run_until_committed(1)
    for turn in range(5):
        before = copy_of(slot)
        expected = [b"%d:%d" % (turn, number) for number in range(20)]
        store(slot, *expected)
        slot.loop.run_for(0.003 * turn)  # some batches wait, some are on the wire, some acknowledged
        restart(slot, f"r-{turn}")
        slot.run_until(lambda key=f"r-{turn}": is_done(slot, key))  # type: ignore[misc]
        assert copy_of(slot) is not before
        slot.run_until_committed(1 + 20 * (turn + 1))

    assert slot.values() == [b"v0", *(b"%d:%d" % (turn, number) for turn in range(5) for number in range(20))]


def test_a_restart_of_the_topic_covers_the_partition_and_one_of_another_does_not(slot: SlotInMemory) -> None:
    store(slot, b"v1")
    slot.run_until_committed(1)
    before = copy_of(slot)

    restart(slot, "other", topic="payments", partition=None)
    restart(slot, "second", partition=1)
    slot.run_until(lambda: is_done(slot, "other") and is_done(slot, "second"))
    assert copy_of(slot) is before

    restart(slot, "all", partition=None)
    slot.run_until(lambda: is_done(slot, "all"))
    assert copy_of(slot) is not before


def test_an_order_older_than_the_task_is_done_by_its_start(slot: SlotInMemory) -> None:
    slot.close()
    slot.restart(restarts=(RestartOrder(id="r-1", topic=ORDERS.topic),))
    slot.run_until(lambda: is_done(slot))
    before = copy_of(slot)
    store(slot, b"v1")
    slot.run_until_committed(1)

    assert copy_of(slot) is before


def test_a_held_partition_is_still_held_after_its_restart(slot: SlotInMemory) -> None:
    store(slot, b"v1")
    slot.run_until_committed(1)
    slot.change(holds=(Hold(topic=ORDERS.topic),))
    slot.run_until(lambda: slot.task.live["states"].get("paused") == 1)
    store(slot, b"v2")
    restart(slot)
    slot.run_until(lambda: is_done(slot))
    slot.loop.run_for(5.0)
    assert slot.values() == [b"v1"]

    slot.change(holds=())
    slot.run_until_committed(2)
    assert slot.values() == [b"v1", b"v2"]


def test_a_partition_whose_record_was_rejected_tries_it_again_without_a_restart_of_the_task(
    slot: SlotInMemory,
) -> None:
    store(slot, b"v1")
    slot.run_until_committed(1)
    configs = slot.target.topics[REMOTE_TOPIC].configs
    configs["max.message.bytes"] = "10"
    store(slot, b"v2", b"v3")
    slot.run_until(lambda: slot.task.live["states"].get("failed") == 1)

    del configs["max.message.bytes"]
    restart(slot)
    slot.run_until_committed(3)

    assert slot.values() == [b"v1", b"v2", b"v3"]
    assert slot.task.live["resent_total"] == 0
    assert slot.task.live["transactions_aborted"] == 0


def test_a_partition_that_the_target_does_not_take_begins_again_when_it_does(slot: SlotInMemory) -> None:
    store(slot, b"v1")
    slot.run_until_committed(1)
    orders = slot.target.topics.pop(REMOTE_TOPIC)
    store(slot, b"v2")
    slot.run_until(lambda: slot.task.live["states"].get("stalled") == 1)
    before = copy_of(slot)

    restart(slot)
    slot.run_until(lambda: is_done(slot))
    assert copy_of(slot) is not before
    slot.target.topics[REMOTE_TOPIC] = orders
    slot.run_until_committed(2)

    assert slot.values() == [b"v1", b"v2"]


def test_totals_continue_over_a_restart(slot: SlotInMemory) -> None:
    store(slot, b"v1", b"v2")
    slot.run_until_committed(2)
    restart(slot)
    slot.run_until(lambda: is_done(slot))
    store(slot, b"v3")
    slot.run_until_committed(3)
    slot.run_until(lambda: slot.task.live["records_total"] >= 3)

    assert slot.task.live["records_total"] == 3
    assert slot.spec.restarts[0].id in slot.task.live["done_restarts"]
