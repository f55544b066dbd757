"""Both implementations of the histograms of tiles give the same answers."""

import copy
import importlib
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.counting.sums.tile_histogram import (
    MOST_AMOUNT,
    MOST_BIGINT,
    MOST_SUM_MS,
    PythonHistogram,
    check_amounts,
    unpacked_histogram,
)
from replication.domain.reporting.histogram import MAX_BUCKET, ZERO_BUCKET

_INVALID = (ValueError, TypeError, KeyError, AttributeError)
_amounts = st.integers(0, MOST_AMOUNT)
_buckets = st.dictionaries(st.integers(ZERO_BUCKET, MAX_BUCKET).map(str), _amounts, max_size=30)
_sound = st.tuples(_amounts, _amounts, _amounts, st.integers(0, MOST_SUM_MS), _amounts, _buckets).map(list)
_hostile = st.one_of(st.none(), st.booleans(), st.floats(), st.text(max_size=3), st.integers(-2, 1 << 70))


@pytest.fixture(scope="module")
def compiled() -> ModuleType:
    return importlib.import_module("metrics.counting.sums.compiled_histogram")


@settings(max_examples=300)
@given(st.lists(_sound, min_size=1, max_size=6))
def test_merged_histograms_have_the_same_columns(compiled: ModuleType, lists: list[list[Any]]) -> None:
    ours, theirs = PythonHistogram(), compiled.TileHistogram()
    for values in lists:
        ours.merge(PythonHistogram.read(values))
        theirs.merge(compiled.TileHistogram.read(values))

    assert theirs.to_columns() == ours.to_columns()
    assert theirs.buckets == ours.buckets


@settings(max_examples=200)
@given(_sound)
def test_each_reads_the_columns_and_bytes_of_the_other(compiled: ModuleType, values: list[Any]) -> None:
    ours, theirs = PythonHistogram.read(values), compiled.TileHistogram.read(values)

    assert compiled.TileHistogram.from_columns(ours.to_columns()).to_columns() == ours.to_columns()
    assert PythonHistogram.from_columns(theirs.to_columns()).to_columns() == ours.to_columns()
    assert compiled.TileHistogram.unpacked(ours.packed()).to_list() == ours.to_list()
    assert PythonHistogram.unpacked(theirs.packed()).to_list() == ours.to_list()
    assert copy.copy(theirs).to_list() == unpacked_histogram(ours.packed()).to_list()


@settings(max_examples=300)
@given(_sound, st.integers(0, 5), _hostile, st.booleans())
def test_both_refuse_the_same_values(
    compiled: ModuleType, values: list[Any], at: int, hostile: object, is_weight: bool
) -> None:
    if is_weight:
        values[5] = {**values[5], "7": hostile}
    else:
        values[at] = hostile

    assert _is_refused(PythonHistogram.read, values) == _is_refused(compiled.TileHistogram.read, values)


@pytest.mark.parametrize("name", ["", "161", "-2", "1.0", "x", "01", None, 4])
def test_a_bucket_of_another_name_is_refused(compiled: ModuleType, name: object) -> None:
    values = [1, 1, 1, 1, 0, {name: 1}]

    assert _is_refused(PythonHistogram.read, values)
    assert _is_refused(compiled.TileHistogram.read, values)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(-3, 1 << 38), st.integers(1, 1 << 20)), max_size=12))
def test_added_values_are_the_same(compiled: ModuleType, added: list[tuple[int, int]]) -> None:
    ours, theirs = PythonHistogram(), compiled.TileHistogram()
    for ms, weight in added:
        ours.add(ms, weight)
        theirs.add(ms, weight)

    assert theirs.to_list() == ours.to_list()


def test_a_sum_stays_within_what_a_database_holds(compiled: ModuleType) -> None:
    for kind in (PythonHistogram, compiled.TileHistogram):
        total = kind.from_columns((1, 1, 1, MOST_BIGINT - 1, 0, "{}"))
        total.merge(kind.read([1, 1, 1, 5, 0, {}]))

        assert total.to_columns()[3] == MOST_BIGINT


@settings(max_examples=200)
@given(st.lists(_hostile, min_size=1, max_size=4))
def test_both_check_amounts_alike(compiled: ModuleType, values: list[Any]) -> None:
    amounts = tuple(values)

    assert _is_refused(lambda each: check_python(each), amounts) == _is_refused(
        lambda each: compiled.check_amounts(each, MOST_AMOUNT), amounts
    )
    assert _is_refused(lambda each: check_amounts(each, MOST_AMOUNT), amounts) == _is_refused(check_python, amounts)


def check_python(values: tuple[Any, ...]) -> None:
    if any(type(each) is not int or not 0 <= each <= MOST_AMOUNT for each in values):
        raise ValueError("out of bounds")


def _is_refused(read: Any, values: Any) -> bool:
    try:
        read(values)
    except _INVALID:
        return True
    return False
