"""The most that a reset would copy again or skip."""

import pytest

from replication.domain.control.orders import ResetTo, ToOffset, ToTimestamp
from replication.domain.control.reset_reach import Amount, KnownPartition, ResetReach, reset_reach, reset_total


def _known(*, copied_to: int | None = None, source_end: int | None = None) -> KnownPartition:
    """A partition of records of 100 bytes."""
    return KnownPartition(copied_to=copied_to, source_end=source_end, records_per_second=50.0, bytes_per_second=5_000.0)


def _amounts(reach: ResetReach) -> tuple[tuple[int | None, int | None], tuple[int | None, int | None]]:
    return (reach.again.records, reach.again.bytes), (reach.skipped.records, reach.skipped.bytes)


@pytest.mark.parametrize(
    ("to", "again", "skipped"),
    [
        ("earliest", 60, 0),
        ("latest", 0, 40),
        (ToOffset(offset=20), 40, 0),
        (ToOffset(offset=60), 0, 0),
        (ToOffset(offset=75), 0, 15),
        (ToOffset(offset=500), 0, 40),
        (ToTimestamp(timestamp_ms=1), 60, 40),
    ],
)
def test_a_reset_covers_the_offsets_between_both_positions(to: ResetTo, again: int, skipped: int) -> None:
    reach = reset_reach(to, _known(copied_to=60, source_end=100))

    assert _amounts(reach) == ((again, again * 100), (skipped, skipped * 100))


@pytest.mark.parametrize("to", ["earliest", ToOffset(offset=20), ToTimestamp(timestamp_ms=1)])
def test_without_a_position_the_records_are_unknown(to: ResetTo) -> None:
    assert reset_reach(to, _known(source_end=100)).again == Amount(records=None, bytes=None)


def test_a_rewind_skips_nothing_even_if_the_end_is_unknown() -> None:
    reach = reset_reach(ToOffset(offset=20), _known(copied_to=60))

    assert _amounts(reach) == ((40, 4_000), (0, 0))


def test_a_skip_towards_an_unknown_end_is_unknown() -> None:
    known = KnownPartition(copied_to=60)

    assert reset_reach(ToOffset(offset=90), known).skipped.records is None
    assert reset_reach("latest", known).skipped.records is None


@pytest.mark.parametrize("rate", [None, 0.0])
def test_without_a_recent_rate_the_bytes_are_unknown(rate: float | None) -> None:
    known = KnownPartition(copied_to=60, source_end=100, records_per_second=rate, bytes_per_second=0.0)

    assert _amounts(reset_reach("earliest", known)) == ((60, None), (0, 0))


def test_one_unknown_partition_makes_the_sum_unknown() -> None:
    known = reset_reach("latest", _known(copied_to=60, source_end=100))
    unknown = reset_reach("latest", KnownPartition())

    assert reset_total([known, known]).skipped == Amount(records=80, bytes=8_000)
    assert reset_total([known, unknown]).skipped == Amount(records=None, bytes=None)
    assert reset_total([known, unknown]).again == Amount(records=0, bytes=0)
