from hypothesis import given
from hypothesis import strategies as st

from metrics.counting.coverage import Extension, Reach, extended


def test_a_range_that_continues_adds_neither_hole_nor_overlap() -> None:
    assert extended(Reach("a", 0, 10), "a", 10, 15) == (Reach("a", 0, 15), Extension(5, 0, 0))


def test_a_range_that_begins_later_leaves_a_hole() -> None:
    assert extended(Reach("a", 0, 10), "a", 13, 15) == (Reach("a", 0, 15), Extension(2, 3, 0))


def test_a_range_that_begins_earlier_overlaps_up_to_what_was_counted() -> None:
    assert extended(Reach("a", 0, 10), "a", 8, 15) == (Reach("a", 0, 15), Extension(7, 0, 2))


def test_a_range_that_is_known_altogether_moves_nothing() -> None:
    assert extended(Reach("a", 0, 10), "a", 2, 5) == (Reach("a", 0, 10), Extension(3, 0, 3))


def test_another_topic_id_begins_again_without_hole_or_overlap() -> None:
    assert extended(Reach("a", 0, 10), "b", 3, 5) == (Reach("b", 3, 5), Extension(2, 0, 0))


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 50)), min_size=1))
def test_covered_minus_overlaps_plus_holes_is_always_the_reach(ranges: list[tuple[int, int]]) -> None:
    reach: Reach | None = None
    total = 0
    for start, length in ranges:
        reach, extension = extended(reach, "a", start, start + length)
        total += extension.covered - extension.overlap + extension.hole

    assert reach is not None
    assert total == reach.next_offset - reach.first_offset
