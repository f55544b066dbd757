"""The leader epochs of a partition, while it reads ahead, commits, returns to its position and continues elsewhere."""

from replication.domain.offsets.leader_epochs import EpochStart
from replication.domain.offsets.positions import Position
from replication.domain.plan.slot import PlannedPartition
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy
from tests.unit.replication.tasks.intake import ORDERS, TOPIC_ID

OTHER_TOPIC = bytes([9] * 16)


def a_copy() -> PartitionCopy:
    """At offset 50 of epoch 3."""
    position = Position(next_offset=50, topic_id=TOPIC_ID, leader_epoch=3, epochs=(EpochStart(0, 0), EpochStart(3, 20)))
    planned = PlannedPartition(upstream=ORDERS, remote_topic="a.orders", topic_id=TOPIC_ID)
    return PartitionCopy(planned, position, offset_lag_max=100)


def read(copy: PartitionCopy, epoch: int, end: int) -> Entry:
    entry = Entry(copy.cursor.offset, end, epoch, memoryview(bytearray(61)), records=end - copy.cursor.offset)
    copy.queue.append(entry)
    return entry


def test_the_position_names_an_epoch_when_its_first_batch_is_done() -> None:
    copy = a_copy()
    entries = [read(copy, 3, 60), read(copy, 5, 70), read(copy, 5, 80)]
    assert list(copy.cursor.epochs) == [EpochStart(0, 0), EpochStart(3, 20), EpochStart(5, 60)]

    copy.progress.advance(entries[0])
    assert list(copy.progress.position.epochs) == [EpochStart(0, 0), EpochStart(3, 20)]
    copy.progress.advance(entries[1])
    copy.progress.advance(entries[2])

    assert copy.progress.position.epochs == copy.cursor.epochs


def test_the_position_of_an_open_transaction_names_its_epochs_too() -> None:
    copy = a_copy()
    copy.progress.hold(read(copy, 5, 70))

    assert copy.progress.position_in_transaction.epochs[-1] == EpochStart(5, 50)
    assert copy.progress.position.epochs[-1] == EpochStart(3, 20)


def test_a_rewound_partition_forgets_epochs_that_are_not_committed() -> None:
    copy = a_copy()
    read(copy, 5, 70)

    copy.rewind()

    assert (copy.cursor.offset, copy.cursor.epochs) == (50, (EpochStart(0, 0), EpochStart(3, 20)))


def test_what_is_dropped_unsent_is_forgotten_with_its_epochs() -> None:
    copy = a_copy()
    read(copy, 3, 60)
    read(copy, 5, 70)

    assert copy.forget_unsent()

    assert (copy.cursor.offset, copy.cursor.epoch) == (60, 3)
    assert copy.cursor.epochs == (EpochStart(0, 0), EpochStart(3, 20))


def test_at_another_place_only_earlier_epochs_of_the_same_topic_are_known() -> None:
    for topic_id, offset, known in ((TOPIC_ID, 10, (EpochStart(0, 0),)), (OTHER_TOPIC, 10, ())):
        copy = a_copy()

        copy.restart_at(topic_id, offset)
        for entry in copy.queue.take_finished():
            copy.progress.advance(entry)

        assert (copy.cursor.epochs, copy.progress.position.epochs) == (known, known)
