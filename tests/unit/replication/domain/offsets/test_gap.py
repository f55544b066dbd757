from dataclasses import replace

import pytest

from replication.codecs.gap_records import decode_gap, encode_gap
from replication.domain.offsets.gap import Gap, Resume, resume_out_of_range
from replication.domain.offsets.positions import NO_TOPIC_ID, Position, belongs_to

ONE, OTHER = bytes([1] * 16), bytes([2] * 16)


def test_a_position_overtaken_by_retention_continues_at_the_log_start() -> None:
    assert resume_out_of_range(50, 90, 200) == Resume("retention", 90, 50, 90)


def test_a_position_beyond_the_log_end_begins_at_the_log_start() -> None:
    assert resume_out_of_range(500, 90, 200) == Resume("out_of_range", 90, 200, 500)


@pytest.mark.parametrize("position", [90, 100, 200])
def test_a_position_that_is_in_range_again_is_no_gap(position: int) -> None:
    resume = resume_out_of_range(position, 90, 200)

    assert resume.offset == position
    assert resume.gap_from == resume.gap_to


def test_a_position_belongs_to_its_topic_id_unless_one_is_unknown() -> None:
    assert belongs_to(Position(next_offset=1, topic_id=ONE), ONE)
    assert not belongs_to(Position(next_offset=1, topic_id=ONE), OTHER)
    assert belongs_to(Position(next_offset=1), OTHER)
    assert belongs_to(Position(next_offset=1, topic_id=ONE), NO_TOPIC_ID)


GAP = Gap(
    source="a",
    target="b",
    topic="orders",
    topic_id=ONE,
    partition=3,
    cause="retention",
    from_offset=20,
    to_offset=70,
    count=50,
    detected_ms=1_000,
    policy="stop",
)


def test_a_gap_is_read_as_it_was_written() -> None:
    _key, value = encode_gap(GAP)

    assert decode_gap(value) == GAP


@pytest.mark.parametrize("value", [b"", b"{}", b"[1]", b"\xff", b'{"v": 1, "topic": "orders"}'])
def test_what_is_no_gap_record_is_an_error(value: bytes) -> None:
    with pytest.raises(ValueError, match="not a gap record"):
        decode_gap(value)


@pytest.mark.parametrize(
    ("known", "found", "same"),
    [
        (GAP, replace(GAP, to_offset=90, count=70, detected_ms=2_000), True),
        (GAP, replace(GAP, from_offset=70), False),
        (GAP, replace(GAP, cause="positions_lost"), False),
        (GAP, replace(GAP, topic_id=OTHER), False),
        (
            replace(GAP, cause="out_of_range", from_offset=200, to_offset=500),
            replace(GAP, cause="out_of_range", from_offset=250, to_offset=500),
            True,
        ),
    ],
    ids=["retention took more", "another place", "another cause", "another topic", "the log grew"],
)
def test_a_gap_found_again_is_the_same_although_the_log_went_on(known: Gap, found: Gap, same: bool) -> None:
    assert known.is_same(found) is same
