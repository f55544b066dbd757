import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.domain.reporting.histogram import Histogram

BUCKET_ERROR = 2 ** (1 / 8)


def histogram(values: list[int]) -> Histogram:
    found = Histogram()
    for value in values:
        found.add(value)
    return found


@given(st.lists(st.integers(0, 10_000_000), min_size=1, max_size=200), st.sampled_from([0.5, 0.95, 0.99]))
def test_a_quantile_is_within_one_bucket_of_the_true_value(values: list[int], q: float) -> None:
    rank = max(1, -(-int(q * 100) * len(values) // 100))
    true = sorted(values)[rank - 1]

    found = histogram(values).quantile(q)

    assert found is not None
    assert true / BUCKET_ERROR - 1 <= found <= true * BUCKET_ERROR + 1


@given(st.lists(st.integers(-5, 5_000)), st.lists(st.integers(-5, 5_000)))
def test_merging_equals_counting_together(left: list[int], right: list[int]) -> None:
    merged = histogram(left)
    merged.merge(histogram(right))

    assert merged.to_list() == histogram(left + right).to_list()
    assert Histogram.from_list(merged.to_list()).to_list() == merged.to_list()


def test_nothing_counted_has_no_quantile() -> None:
    assert Histogram().quantile(0.5) is None
    assert Histogram().mean_ms is None


def test_negative_latencies_are_counted_apart() -> None:
    found = histogram([-3, 8])

    assert (found.count, found.negative_count, found.min_ms) == (1, 1, 8)


@pytest.mark.parametrize("nonsense", [[], [1, 2], "text", [1, 2, 3, 4, 5, {"x": 1}], [1, 2, 3, 4, 5, None]])
def test_what_is_no_histogram_is_refused(nonsense: list[object]) -> None:
    with pytest.raises(ValueError, match="not a histogram"):
        Histogram.from_list(nonsense)
