"""Records and bytes to copy follow from log ends, sizes and the flow's start."""

import pytest

from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.start_position import StartAt
from replication.domain.questions.estimate import LogEnds, estimate_copy
from replication.domain.questions.flow_changes import Estimate

P0, P1 = TopicPartition("a", 0), TopicPartition("a", 1)
LOGS = LogEnds(starts={P0: 100, P1: 0}, ends={P0: 200, P1: 0})
SIZES = {P0: 1_000, P1: 0}


def _estimate(start: StartAt = "earliest", *, at: int | None = None, may_continue: bool = False) -> Estimate:
    offsets = {} if at is None else {P0: at}
    return estimate_copy([P0, P1], LOGS, SIZES, start=start, start_offsets=offsets, may_continue=may_continue)


def test_from_the_beginning_everything_counts() -> None:
    assert _estimate() == Estimate(partitions=2, records=100, bytes=1_000)


def test_from_the_end_nothing_does() -> None:
    assert _estimate("latest") == Estimate(partitions=2, records=0, bytes=0)


@pytest.mark.parametrize(("at", "records"), [(150, 50), (10, 100), (900, 0)])
def test_a_start_offset_shortens_its_partition(at: int, records: int) -> None:
    found = _estimate(at=at)

    assert (found.records, found.bytes) == (records, records * 10)


def test_a_time_and_earlier_positions_make_it_an_upper_bound() -> None:
    assert _estimate(1_700_000_000_000).is_upper_bound
    assert _estimate(may_continue=True).is_upper_bound


def test_unknown_sizes_stay_unknown() -> None:
    found = estimate_copy([P0], LOGS, None, start="earliest", start_offsets={}, may_continue=False)

    assert found.bytes is None
    assert found.records == 100
