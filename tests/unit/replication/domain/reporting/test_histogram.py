import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.domain.reporting.histogram import Histogram

BUCKET_ERROR = 2 ** (1 / 4)


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
    assert true / BUCKET_ERROR <= found <= true * BUCKET_ERROR
    assert min(values) <= found <= max(values)


def test_quantiles_within_one_bucket_differ_as_their_records_do() -> None:
    """`[215, 256)` ms is one bucket: its middle would be every quantile of every topic with such latencies."""
    quick, slow = histogram([*range(215, 256), 900]), histogram([10, *[230] * 5, *range(215, 256), 900])

    for found in (quick, slow):
        quantiles = [found.quantile(q) or 0 for q in (0.25, 0.5, 0.75, 0.95)]
        assert quantiles == sorted(set(quantiles))
        assert all(215 <= each < 256 for each in quantiles)
    assert quick.quantile(0.5) == pytest.approx(235, abs=1)
    assert quick.quantile(0.25) == pytest.approx(225, abs=1)
    assert quick.quantile(0.5) != slow.quantile(0.5)


@given(st.integers(0, 10_000_000), st.integers(1, 1_000))
def test_equal_values_have_no_other_quantile(value: int, count: int) -> None:
    found = histogram([value] * count)

    assert {found.quantile(q) for q in (0.01, 0.5, 0.95, 1.0)} == {value}


@pytest.mark.parametrize("value", range(1, 6))
def test_a_bucket_with_one_whole_millisecond_is_exact(value: int) -> None:
    assert histogram([0, *[value] * 9, 1_000]).quantile(0.5) == value


@given(st.lists(st.integers(0, 10_000_000), min_size=1, max_size=100))
def test_the_extremes_are_exact(values: list[int]) -> None:
    found = histogram(values)

    assert found.quantile(1.0) == max(values)
    assert len(values) == 1 or found.quantile(0.0) == min(values)


@given(st.lists(st.integers(0, 100_000), min_size=1, max_size=200))
def test_quantiles_do_not_fall(values: list[int]) -> None:
    found = histogram(values)
    quantiles = [found.quantile(n / 20) or 0 for n in range(21)]

    assert quantiles == sorted(quantiles)


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
