"""Fetch offsets that the source rejects: out of range in the log, other epochs, and hundreds at once."""

from collections.abc import Mapping

import pytest

from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.leader_epochs import EpochEnd, Epochs, EpochStart
from replication.domain.offsets.positions import Position
from replication.domain.settings.choices import GapPolicy
from replication.memory.broker import MemoryCluster
from replication.memory.metadata import MemoryLink
from replication.ports.fetch.metadata import OffsetAt
from replication.tasks.fetch.rejected_offsets import PATIENCE_S, RejectedOffsets
from replication.tasks.offsets.gap_handler import GapHandler
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.wire.batches.record_codec import Record, build_batch
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import TOPIC_ID, a_context, planned
from tests.unit.replication.tasks.noted_events import NotedEvents

ROUND_TRIP_S = 0.1


class WatchedLink(MemoryLink):
    """Counts the questions."""

    questions = 0
    unanswered = 0  # the next questions for epochs that get no answer

    async def offsets(self, at: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        self.questions += 1
        return await super().offsets(at)

    async def epoch_ends(self, epochs: Mapping[TopicPartition, int]) -> dict[TopicPartition, EpochEnd]:
        self.questions += 1
        if self.unanswered > 0:
            self.unanswered -= 1
            return {}
        return await super().epoch_ends(epochs)


class Slot(NotedEvents):
    """Partitions of `orders`, each with records of epoch 0 at the source."""

    def __init__(self, partitions: int = 1, policy: GapPolicy = "record_and_continue", records: int = 160) -> None:
        super().__init__()
        self.loop = VirtualLoop()
        self.source = MemoryCluster("a")
        self.topic = self.source.create("orders", partitions=partitions)
        for number in range(partitions):
            self.append(records, number)
        self.link = WatchedLink(self.loop, self.source, round_trip_s=ROUND_TRIP_S)
        self.context = a_context(self.loop, {"source": self.link}, gap_policy=policy)
        self.gap_log = GapLog()
        self.rejected = RejectedOffsets(self.context, self, GapHandler(self.context, self.gap_log))
        self.loop.spawn(self.rejected.run())

    def append(self, records: int, partition: int = 0) -> None:
        for _ in range(records):
            assert self.topic.append(partition, bytes(build_batch([Record(0, 1, b"k", b"v", ())]))).error_code == 0

    def copy(self, offset: int, epoch: int, epochs: Epochs = (), partition: int = 0) -> PartitionCopy:
        position = Position(next_offset=offset, topic_id=TOPIC_ID, leader_epoch=epoch, epochs=epochs)
        copy = PartitionCopy(planned("orders", partition), position, offset_lag_max=100)
        copy.cursor.set_leader(1)
        self.context.roster.add(copy)
        return copy

    def gaps(self) -> list[tuple[str, int, int | None]]:
        gaps: list[Gap] = [gap for _copy, gap in self.gap_log.take_pending()]
        return [(gap.cause, gap.from_offset, gap.to_offset) for gap in gaps]


def test_an_offset_in_the_log_whose_epoch_is_unknown_waits_with_a_cause_and_then_is_a_gap() -> None:
    slot = Slot()
    copy = slot.copy(100, epoch=7)

    slot.rejected.note(copy)
    slot.loop.run_for(1)

    assert copy.reason is not None
    assert (copy.state, copy.reason.code) == ("stalled", "offset_rejected")
    assert "no leader epoch up to 7" in copy.reason.text
    assert (slot.gaps(), slot.made_ready) == ([], [])  # it is not fetched again before the leaders are refreshed

    slot.loop.run_for(PATIENCE_S)
    copy.obstructions.recover()
    slot.rejected.note(copy)
    slot.loop.run_for(1)

    assert slot.gaps() == [("epoch_divergence", 100, None)]
    assert slot.made_ready == [copy]
    assert (copy.cursor.offset, copy.cursor.epoch) == (100, -1)


@pytest.mark.parametrize(("policy", "offset"), [("restart_generation", 0), ("stop", 100)])
def test_the_gap_policy_decides_what_an_unknown_epoch_means(policy: GapPolicy, offset: int) -> None:
    slot = Slot(policy=policy)
    copy = slot.copy(100, epoch=7)

    slot.rejected.note(copy)
    slot.loop.run_for(PATIENCE_S + 1)
    slot.rejected.note(copy)
    slot.loop.run_for(1)

    assert copy.cursor.offset == offset
    assert (copy.obstructions.special == "gap") == (policy == "stop")
    assert slot.gaps() == [("epoch_divergence", 100, None)]


def test_an_older_epoch_of_the_position_shows_where_the_logs_part() -> None:
    slot = Slot()
    log = slot.source.log("orders")
    log.truncate(90)
    copy = slot.copy(100, epoch=7, epochs=(EpochStart(0, 0), EpochStart(7, 95)))

    slot.rejected.note(copy)
    slot.loop.run_for(1)

    assert slot.gaps() == [("epoch_divergence", 90, 100)]
    assert copy.cursor.offset == 90


@pytest.mark.parametrize("diverging", [None, EpochEnd(4, 100)])
def test_a_log_is_not_copied_again_before_its_leader_has_answered_for_the_epochs(diverging: EpochEnd | None) -> None:
    slot = Slot()
    log = slot.source.log("orders")
    log.truncate(100)
    copy = slot.copy(150, epoch=5, epochs=(EpochStart(0, 0), EpochStart(5, 120)))
    slot.link.unanswered = 1

    slot.rejected.note(copy, diverging)
    slot.loop.run_for(1)

    assert copy.reason is not None
    assert (copy.state, copy.reason.code) == ("stalled", "leader_not_available")
    assert (slot.gaps(), slot.made_ready, copy.cursor.offset) == ([], [], 150)

    copy.obstructions.recover()
    slot.rejected.note(copy, diverging)
    slot.loop.run_for(1)

    assert slot.gaps() == [("epoch_divergence", 100, 150)]
    assert (copy.cursor.offset, slot.made_ready) == (100, [copy])


def test_an_offset_below_the_log_needs_no_answer_for_its_epoch() -> None:
    slot = Slot()
    slot.source.log("orders").delete_before(60)
    copy = slot.copy(10, epoch=0)
    slot.link.unanswered = 9

    slot.rejected.note(copy)
    slot.loop.run_for(1)

    assert (copy.cursor.offset, slot.made_ready) == (60, [copy])


def test_a_rejection_that_nothing_explains_is_never_a_gap() -> None:
    slot = Slot()
    copy = slot.copy(100, epoch=0)

    for _ in range(3):
        slot.rejected.note(copy)
        slot.loop.run_for(PATIENCE_S)

    assert copy.reason is not None
    assert (copy.reason.code, slot.gaps(), copy.cursor.offset) == ("offset_rejected", [], 100)


def test_a_divergence_never_moves_the_partition_beyond_its_position() -> None:
    slot = Slot()
    slot.source.log("orders").elect(1)
    slot.append(20)
    copy = slot.copy(40, epoch=0)

    slot.rejected.note(copy, EpochEnd(0, 160))
    slot.loop.run_for(1)

    assert copy.cursor.offset == 40
    assert slot.gaps() == [("epoch_divergence", 40, None)]


def test_a_divergence_goes_back_to_the_last_epoch_that_both_have() -> None:
    slot = Slot(records=50)
    for epochs, records in ((3, 70), (1, 40), (2, 10)):
        for _ in range(epochs):
            slot.source.log("orders").elect(1)
        slot.append(records)
    copy = slot.copy(100, epoch=5, epochs=(EpochStart(0, 0), EpochStart(3, 50), EpochStart(5, 80)))

    slot.rejected.note(copy, EpochEnd(4, 160))
    slot.loop.run_for(1)

    assert copy.cursor.offset == 80
    assert slot.gaps() == [("epoch_divergence", 80, 100)]


def test_five_hundred_overtaken_partitions_are_asked_about_together() -> None:
    slot = Slot(partitions=500)
    copies = [slot.copy(10, epoch=0, partition=number) for number in range(500)]
    for number, copy in enumerate(copies):
        slot.source.log("orders", number).delete_before(60)
        slot.rejected.note(copy)

    slot.loop.run_for(4 * ROUND_TRIP_S)

    assert slot.gaps() == [("retention", 10, 60)] * 500
    assert slot.link.questions == 2
    assert slot.made_ready == copies


def test_a_partition_that_was_moved_meanwhile_is_judged_at_its_new_place() -> None:
    slot = Slot()
    slot.source.log("orders").delete_before(60)
    copy = slot.copy(10, epoch=0)
    slot.rejected.note(copy)
    slot.loop.run_for(ROUND_TRIP_S / 2)

    copy.restart_at(TOPIC_ID, 150, reset_ids=("r",))
    slot.loop.run_for(1)

    assert (slot.gaps(), copy.cursor.offset, slot.made_ready) == ([], 150, [copy])


def test_while_the_source_does_not_answer_its_partitions_say_so() -> None:
    slot = Slot()
    copy = slot.copy(100, epoch=7)
    slot.source.is_up = False

    slot.rejected.note(copy)
    slot.loop.run_for(1)

    assert copy.reason is not None
    assert (copy.state, copy.reason.code) == ("stalled", "cluster_unreachable")
