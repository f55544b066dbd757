"""The rate at which a group reads."""

from replication.domain.groups.reading_rate import LEAST_SPAN_MS, ReadingRate


def test_the_fastest_rate_between_two_rounds_is_kept() -> None:
    rate = ReadingRate()

    for at_s, offsets in ((0, [100, 0]), (10, [150, 50]), (20, [400, 200]), (30, [401, 200])):
        rate.observe(offsets, at_s * 1_000, has_members=True)

    assert rate.records_per_second == 40.0


def test_a_group_that_has_been_seen_once_or_stands_still_has_no_rate() -> None:
    rate = ReadingRate()

    rate.observe([100], 0, has_members=True)
    assert rate.records_per_second is None
    rate.observe([100], 10_000, has_members=True)
    assert rate.records_per_second is None


def test_rounds_are_counted_together_until_members_have_committed() -> None:
    rate = ReadingRate()

    rate.observe([0], 0, has_members=True)
    rate.observe([500], LEAST_SPAN_MS // 2, has_members=True)
    assert rate.records_per_second is None
    rate.observe([500], LEAST_SPAN_MS, has_members=True)

    assert rate.records_per_second == 50.0


def test_offsets_that_a_tool_has_set_do_not_count() -> None:
    rate = ReadingRate()

    rate.observe([0], 0, has_members=True)
    rate.observe([0], 10_000, has_members=False)
    rate.observe([1_000_000], 20_000, has_members=True)
    rate.observe([1_000_100], 30_000, has_members=True)

    assert rate.records_per_second == 10.0


def test_new_partitions_and_rewinds_do_not_count_as_reading() -> None:
    rate = ReadingRate()

    rate.observe([100], 0, has_members=True)
    rate.observe([100, 5_000], 10_000, has_members=True)
    rate.observe([0, 5_000], 20_000, has_members=True)
    assert rate.records_per_second is None
    rate.observe([50, 5_000], 30_000, has_members=True)

    assert rate.records_per_second == 5.0
