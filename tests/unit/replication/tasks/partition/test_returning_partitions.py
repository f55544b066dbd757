"""A partition that leaves a running slot and returns continues exactly where it left, under each delivery."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from replication.domain.batches.record import Record
from replication.domain.control.orders import Hold
from replication.domain.settings.choices import Delivery
from replication.wire.batches.record_codec import build_batch
from tests.support.engine.slot_in_memory import ORDERS, REMOTE_TOPIC, SlotInMemory

RENAMED = "a-orders"


@pytest.fixture(params=["at_least_once", "exactly_once"])
def delivery(request: pytest.FixtureRequest) -> Delivery:
    return "exactly_once" if request.param == "exactly_once" else "at_least_once"


@pytest.fixture
def slot(delivery: Delivery) -> Iterator[SlotInMemory]:
    running = SlotInMemory(delivery=delivery)
    running.target.create(RENAMED)
    yield running
    running.close()


def store(slot: SlotInMemory, *values: bytes) -> None:
    """One batch per value, as a quiet topic has them."""
    slot.store(*(build_batch([Record(0, 1_000, b"k", value, ())]) for value in values))


def leave(slot: SlotInMemory) -> None:
    slot.plan()
    slot.run_until(lambda: slot.task.live.get("partitions") == 0)


def test_a_quiet_topic_that_returns_to_the_allow_list_loses_no_record(slot: SlotInMemory) -> None:
    orders = slot.spec.partitions[0]
    store(slot, b"v1")
    slot.run_until_committed(1)

    leave(slot)
    slot.plan(orders)
    store(slot, b"v2")
    slot.run_until_committed(2)
    store(slot, b"v3")
    slot.run_until_committed(3)

    assert slot.values() == [b"v1", b"v2", b"v3"]


def test_a_topic_that_leaves_and_returns_often_is_copied_once_and_in_order(slot: SlotInMemory) -> None:
    orders = slot.spec.partitions[0]
    expected = []
    for turn in range(12):
        values = [f"{turn}:{number}".encode() for number in range(1 + turn % 3)]
        expected += values
        store(slot, *values)
        slot.run_until_committed(len(expected))
        leave(slot)
        slot.plan(orders)

    assert slot.values() == expected


def test_a_topic_that_is_renamed_and_renamed_back_is_in_one_of_both_copies(slot: SlotInMemory) -> None:
    orders = slot.spec.partitions[0]
    renamed = replace(orders, remote_topic=RENAMED)
    written: dict[str, list[bytes]] = {REMOTE_TOPIC: [], RENAMED: []}
    for turn, planned in enumerate((orders, renamed, orders, renamed)):
        slot.plan(planned)
        slot.run_until(lambda planned=planned: remote_of(slot) == planned.remote_topic)  # type: ignore[misc]
        values = [f"{turn}:{number}".encode() for number in range(2)]
        written[planned.remote_topic] += values
        store(slot, *values)
        slot.run_until_committed(2 * (turn + 1))

    assert slot.values() == written[REMOTE_TOPIC]
    assert slot.values(RENAMED) == written[RENAMED]


def remote_of(slot: SlotInMemory) -> str | None:
    copy = slot.task._context.roster.copies.get(ORDERS)
    return None if copy is None else copy.planned.remote_topic


def test_a_topic_that_is_held_and_released_continues_where_it_was_held(slot: SlotInMemory) -> None:
    store(slot, b"v1")
    slot.run_until_committed(1)
    slot.spec = replace(slot.spec, holds=(Hold(topic=ORDERS.topic),))
    slot.plan(*slot.spec.partitions)
    slot.run_until(lambda: slot.task.live["states"].get("paused") == 1)
    store(slot, b"v2")

    slot.spec = replace(slot.spec, holds=())
    slot.plan(*slot.spec.partitions)
    slot.run_until_committed(2)

    assert slot.values() == [b"v1", b"v2"]


def test_a_topic_that_moves_to_another_slot_and_back_is_copied_once(slot: SlotInMemory) -> None:
    for turn, number in enumerate((0, 1, 0)):
        slot.close()
        slot.restart(slot=number, generation=turn + 1)
        store(slot, f"{turn}".encode())
        slot.run_until_committed(turn + 1)

    assert slot.values() == [b"0", b"1", b"2"]


def test_a_renamed_topic_leaves_its_former_name_although_that_is_gone(slot: SlotInMemory) -> None:
    orders = slot.spec.partitions[0]
    store(slot, b"v1")
    slot.run_until_committed(1)
    slot.target.delete(REMOTE_TOPIC)
    store(slot, b"v2")
    slot.run_until(lambda: slot.task.live["states"].get("stalled") == 1)

    slot.plan(replace(orders, remote_topic=RENAMED))
    slot.run_until_committed(2)

    assert slot.values(RENAMED) == [b"v2"]
