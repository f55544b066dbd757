"""Offsets in ranges that the flow has skipped: the place is known, and the records without a copy are named."""

from typing import Any

import pytest

from replication.codecs.copy_records import note_gap
from replication.codecs.gap_records import encode_gap
from replication.domain.batches.record import Record
from replication.domain.groups.copy_account import CopyAccount
from replication.domain.groups.translation import LogRange, Translation
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.domain.offsets.positions import Position

ID, FORMER = bytes([1] * 16), bytes([2] * 16)
T = TopicPartition("t", 0)
SOURCE = LogRange(start=0, end=300)


def gap(**changes: Any) -> Gap:
    usual: dict[str, Any] = {
        "source": "a",
        "target": "b",
        "topic": T.topic,
        "topic_id": ID,
        "partition": T.partition,
        "cause": "skipped",
        "from_offset": 100,
        "to_offset": 200,
        "count": 100,
        "detected_ms": 1,
        "policy": "record_and_continue",
    }
    return Gap(**{**usual, **changes})


def account(
    *gaps: Gap, runs: tuple[tuple[int, int, int], ...] = ((0, 0, 100), (200, 100, 50)), end: int = 150
) -> CopyAccount:
    """By default the first 100 records and those from 200 to 249 are copied; `end` is that of the remote log."""
    made = CopyAccount()
    for run in runs:
        made.add_segment(b"key", RunSegment(T.topic, T.partition, ID, (OffsetRun(*run),)))
    made.add_position(T, Position(next_offset=250, topic_id=ID, downstream_next=end))
    for each in gaps:
        key, value = encode_gap(each)
        note_gap(Record(0, 1, key, value, ()), made)
    return made


def place(made: CopyAccount, offset: int, *, source: LogRange | None = SOURCE, end: int = 150) -> Translation:
    return made.translate(T, ID, offset, source, LogRange(start=0, end=end))


@pytest.mark.parametrize("offset", [100, 150, 199])
@pytest.mark.parametrize("source", [SOURCE, None], ids=["source answers", "source is away"])
def test_an_offset_that_was_skipped_is_in_a_gap_up_to_its_end(offset: int, source: LogRange | None) -> None:
    found = place(account(gap()), offset, source=source)

    assert (found.kind, found.reason, found.downstream, found.copied_from) == ("exact", "in_gap", 100, 200)


@pytest.mark.parametrize("offset", [99, 200, 249])
def test_offsets_beside_the_range_are_as_they_were(offset: int) -> None:
    assert place(account(gap()), offset) == place(account(), offset)


def test_without_a_gap_record_a_hole_costs_nothing() -> None:
    """Markers, compaction and filters leave holes without a record of them."""
    assert place(account(), 150).reason == "between_runs"


def test_an_offset_at_the_end_of_the_copy_is_in_the_gap_that_follows() -> None:
    made = account(gap(from_offset=250, to_offset=280))
    made.add_position(T, Position(next_offset=280, topic_id=ID, downstream_next=150))

    assert (place(made, 250).reason, place(made, 250).copied_from) == ("in_gap", 280)


def test_a_range_that_was_copied_after_a_rewind_is_none() -> None:
    made = account(gap(), runs=((0, 0, 100), (200, 100, 50), (100, 150, 150)), end=300)

    assert place(made, 150, end=300).reason == "inside_run"


def test_a_range_that_was_copied_in_part_ends_at_its_first_copy() -> None:
    made = account(gap(), runs=((0, 0, 100), (180, 100, 70)), end=170)

    assert [place(made, offset, end=170).copied_from for offset in (100, 150, 179)] == [180, 180, 180]


@pytest.mark.parametrize(
    "changes",
    [
        {"topic_id": FORMER},
        {"partition": 1},
        {"cause": "retention"},
        {"cause": "epoch_divergence"},
        {"to_offset": None, "count": None},
        {"to_offset": 100},
    ],
    ids=str,
)
def test_gaps_that_cost_no_record_of_this_partition_are_none(changes: dict[str, Any]) -> None:
    assert place(account(gap(**changes)), 150).reason == "between_runs"


def test_a_range_that_the_source_has_deleted_too_is_none() -> None:
    assert place(account(gap()), 150, source=LogRange(start=200, end=300)).reason == "between_runs"


def test_what_is_no_gap_record_says_nothing() -> None:
    made = account()
    note_gap(Record(0, 1, b"k", b"?", ()), made)
    note_gap(Record(0, 1, b"k", None, ()), made)

    assert place(made, 150).reason == "between_runs"
