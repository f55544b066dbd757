"""The state and the reason of a partition that several obstructions hold back."""

import pytest

from replication.domain.control.throttle import Throttle
from replication.domain.errors import Cause
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.positions import Position
from replication.domain.plan.slot import PlannedPartition
from replication.tasks.control.slot_pace import SlotPace
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.obstructions import SpecialState
from replication.tasks.partition.partition_copy import PartitionCopy


def cause(code: str) -> Cause:
    return Cause(code=code, text=code, topic="t", partition=0, since_ms=0)


def a_copy(pace: SlotPace | None = None) -> PartitionCopy:
    planned = PlannedPartition(upstream=TopicPartition("t", 0), remote_topic="a.t", topic_id=bytes(16))
    copy = PartitionCopy(planned, Position(next_offset=5), offset_lag_max=100, pace=pace)
    copy.cursor.note_ends(0, 9, 9)
    return copy


@pytest.mark.parametrize(
    ("special", "held", "waits", "throttled", "state", "why"),
    [
        (None, False, False, False, "replicating", None),
        (None, False, False, True, "throttled", "throttle"),
        (None, False, True, True, "stalled", "waits"),
        ("stalled", False, False, True, "stalled", "special"),
        ("stalled", True, True, True, "paused", "held"),
        (None, True, False, True, "paused", "held"),
        ("gap", True, True, True, "gap", "special"),
        ("failed", True, False, False, "failed", "special"),
    ],
)
def test_what_only_a_person_can_mend_shows_first_then_what_a_person_ordered(
    special: SpecialState | None, held: bool, waits: bool, throttled: bool, state: str, why: str | None
) -> None:
    pace = SlotPace()
    pace.cause = cause("throttle") if throttled else None
    copy = a_copy(pace)
    if held:
        copy.obstructions.set("hold", cause("held"))
    if waits:
        copy.obstructions.set("source", cause("waits"))
    if special is not None:
        copy.obstructions.stop_for(special, cause("special"))

    assert copy.state == state
    assert (copy.reason.code if copy.reason is not None else None) == why


def test_a_throttle_does_not_show_on_a_partition_that_is_level() -> None:
    pace = SlotPace()
    pace.cause = cause("throttle")
    copy = a_copy(pace)
    copy.cursor.note_ends(0, 5, 5)

    assert copy.state == "caught_up"


def test_a_position_is_not_committed_again_unless_a_reset_came_with_it() -> None:
    copy = a_copy()
    copy.progress.note_committed(copy.progress.position)
    assert copy.progress.is_committed

    copy.progress.advance(Entry(5, 5, -1, restart_topic_id=bytes(16), reset_ids=("r-1",)))

    assert not copy.progress.is_committed


def test_a_partition_with_an_unknown_position_has_nothing_to_commit() -> None:
    copy = a_copy()
    copy.progress.mark_unknown()

    assert copy.progress.is_committed


def test_a_slot_counts_the_time_it_is_held_back_once() -> None:
    pace = SlotPace()
    pace.adopt(Throttle(bytes_per_second=1_000), 0, 0)
    pace.note_read(21_000, 0)

    assert pace.wait_s(0, 0) == pytest.approx(21.0, abs=0.1)
    pace.wait_s(1_000, 1)
    pace.note_quota("east", 500, 2_000, 2)

    assert pace.throttled_ms == pytest.approx(21_000, abs=200)


def test_a_slot_that_waits_no_more_is_not_throttled_after_a_moment() -> None:
    pace = SlotPace()
    pace.note_quota("east", 100, 0, 0)
    assert pace.cause is not None
    assert "east" in pace.cause.text

    pace.adopt(Throttle(), 2_050, 2.05)
    assert pace.cause is not None
    pace.adopt(Throttle(), 2_200, 2.2)

    assert pace.cause is None
