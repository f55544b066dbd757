"""A slot that dies without its last writes leaves no hole in the offset runs: its position carries the newest ones."""

from collections.abc import Iterator

import pytest

from replication.codecs import offset_runs
from replication.codecs.position_records import read_position
from replication.domain.batches.record import Record
from replication.domain.control.orders import Reset, ToOffset
from replication.domain.names.internal_topics import OFFSET_RUNS, POSITIONS
from replication.domain.offsets.offset_run import Runs
from replication.domain.settings.choices import Delivery
from replication.wire.batches.record_codec import build_batch
from tests.support.engine.slot_in_memory import ORDERS, REMOTE_TOPIC, SlotInMemory

DELIVERIES: tuple[Delivery, ...] = ("at_least_once", "exactly_once")
RUNS, OFFSETS = OFFSET_RUNS.name("a"), POSITIONS.name("a")


@pytest.fixture(params=DELIVERIES)
def slot(request: pytest.FixtureRequest) -> Iterator[SlotInMemory]:
    running = SlotInMemory(delivery=request.param)
    yield running
    running.close()


def copy(slot: SlotInMemory, numbers: range) -> None:
    """One by one: under exactly once each is a transaction, and so a separate run."""
    for number in numbers:
        slot.store(build_batch([Record(0, 1_000, b"k", str(number).encode(), ())]))
        slot.run_until_committed(number + 1)


def crash(slot: SlotInMemory) -> None:
    """End the task without its last writes: the target has no network for it any more."""
    slot.target.unwritable |= set(slot.target.topics)
    slot.close()
    slot.target.unwritable.clear()


def written(slot: SlotInMemory) -> list[Runs]:
    """The segments of the runs topic, of each key the newest."""
    newest: dict[bytes, Runs] = {}
    for log in slot.target.topics[RUNS].partitions:
        for record in log.records(committed=True):
            assert record.key is not None
            assert record.value is not None
            newest.pop(record.key, None)
            newest[record.key] = offset_runs.decode(record.key, record.value).runs
    return list(newest.values())


def carried(slot: SlotInMemory) -> Runs:
    """The runs in the newest position."""
    found: Runs = ()
    for record in slot.target.log(OFFSETS).records(committed=True):
        read = read_position(record, "a")
        if read is not None and read[1] is not None:
            found = read[1].runs
    return found


def truth(slot: SlotInMemory) -> dict[int, int]:
    """The newest copy's offset by source offset: values are the source's offsets."""
    return {int(record.value or b""): record.offset for record in slot.target.log(REMOTE_TOPIC).records(committed=True)}


def pairs(segments: list[Runs]) -> dict[int, int]:
    return {
        run.upstream + index: run.downstream + index for runs in segments for run in runs for index in range(run.length)
    }


def test_each_run_is_in_the_runs_topic_or_in_the_position(slot: SlotInMemory) -> None:
    copy(slot, range(8))

    crash(slot)

    assert pairs([*written(slot), carried(slot)]) == truth(slot)
    assert set(truth(slot)) == set(range(8))


def test_the_next_start_writes_what_is_missing_before_its_own_runs(slot: SlotInMemory) -> None:
    copy(slot, range(3))
    crash(slot)
    assert not pairs(written(slot))

    slot.restart()
    copy(slot, range(3, 5))
    crash(slot)
    slot.restart()
    slot.run_until(lambda: len(pairs(written(slot))) == 5)

    assert pairs(written(slot)) == truth(slot)


def test_a_reset_writes_its_runs_beside_those_of_before(slot: SlotInMemory) -> None:
    copy(slot, range(6))
    slot.change(resets=(Reset(id="r1", topic=ORDERS.topic, partition=0, to=ToOffset(offset=4)),))
    slot.run_until(lambda: len(slot.values()) == 8)
    slot.run_until(lambda: pairs(written(slot)).get(5) == truth(slot)[5])

    assert pairs(written(slot)) == truth(slot)
