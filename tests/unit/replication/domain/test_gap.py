from replication.domain.gap import Resume, resume_out_of_range
from replication.domain.positions import NO_TOPIC_ID, Position, belongs_to

ONE, OTHER = bytes([1] * 16), bytes([2] * 16)


def test_a_position_overtaken_by_retention_goes_on_at_the_log_start() -> None:
    assert resume_out_of_range(50, 90, 200) == Resume("retention", 90, 50, 90)


def test_a_position_beyond_the_log_end_begins_at_the_log_start() -> None:
    assert resume_out_of_range(500, 90, 200) == Resume("out_of_range", 90, 200, 500)


def test_a_position_that_is_in_range_again_is_no_gap() -> None:
    resume = resume_out_of_range(100, 90, 200)

    assert resume.offset == 100
    assert resume.gap_from == resume.gap_to


def test_a_position_belongs_to_its_topic_id_unless_one_is_unknown() -> None:
    assert belongs_to(Position(next_offset=1, topic_id=ONE), ONE)
    assert not belongs_to(Position(next_offset=1, topic_id=ONE), OTHER)
    assert belongs_to(Position(next_offset=1), OTHER)
    assert belongs_to(Position(next_offset=1, topic_id=ONE), NO_TOPIC_ID)
