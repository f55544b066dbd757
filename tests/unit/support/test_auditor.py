"""The auditor finds what was planted, and nothing in a faithful copy."""

from typing import Any

import pytest

from tests.support.engine.auditor import Findings, Record, audit, excuses


def record(number: int, *, offset: int | None = None, value: bytes | None = None, **changes: Any) -> Record:
    made = Record(number if offset is None else offset, str(number).encode(), value or b"v", (), 1_000 + number)
    return made._replace(**changes)


SOURCE = {0: [record(number) for number in range(10)], 1: [record(number) for number in range(100, 105)]}


def copy_of(source: dict[int, list[Record]]) -> dict[int, list[Record]]:
    """A faithful copy at other offsets."""
    return {
        number: [each._replace(offset=place + 50) for place, each in enumerate(records)]
        for number, records in source.items()
    }


def test_a_faithful_copy_has_no_findings() -> None:
    findings = audit(SOURCE, copy_of(SOURCE)).check()
    assert (findings.source_records, findings.target_records) == (15, 15)


def test_a_missing_record_is_lost_with_its_source_offset() -> None:
    target = copy_of(SOURCE)
    del target[0][4]
    assert audit(SOURCE, target).lost == [(0, 4)]


def test_a_partition_that_is_not_there_at_all_is_lost() -> None:
    target = copy_of(SOURCE)
    del target[1]
    assert len(audit(SOURCE, target).lost) == 5


def test_a_block_sent_twice_is_duplicated_and_not_reordered() -> None:
    target = copy_of(SOURCE)
    target[0][7:7] = [record(number, offset=900 + number) for number in (4, 5, 6)]
    findings = audit(SOURCE, target)
    assert findings.duplicated == [(0, 904), (0, 905), (0, 906)]
    assert not findings.reordered


def test_swapped_records_are_reordered() -> None:
    target = copy_of(SOURCE)
    target[0][2], target[0][3] = target[0][3], target[0][2]
    assert audit(SOURCE, target).reordered == [(0, 52)]


@pytest.mark.parametrize(
    "changed",
    [
        {"value": b"other"},
        {"key": None},
        {"headers": (("added", b"1"),)},
        {"timestamp_ms": 7},
    ],
)
def test_a_changed_record_is_lost_and_foreign(changed: dict[str, Any]) -> None:
    target = copy_of(SOURCE)
    target[0][6] = target[0][6]._replace(**changed)
    findings = audit(SOURCE, target)
    assert (findings.lost, findings.foreign) == ([(0, 6)], [(0, 56)])


def test_a_record_in_another_partition_is_lost_here_and_foreign_there() -> None:
    target = copy_of(SOURCE)
    target[1].append(target[0].pop())
    findings = audit(SOURCE, target)
    assert findings.lost == [(0, 9)]
    assert findings.foreign == [(1, 59)]


def test_an_aborted_record_is_told_from_a_foreign_one() -> None:
    aborted, foreign = record(70), record(71)
    target = copy_of(SOURCE)
    target[0] += [aborted, foreign]
    findings = audit(SOURCE, target, uncommitted={0: [*SOURCE[0], aborted]})
    assert (findings.aborted, findings.foreign) == ([(0, 70)], [(0, 71)])


def test_equal_records_of_the_source_may_come_as_often_as_they_are_there() -> None:
    twice = [record(1, offset=0), record(1, offset=1)]
    audit({0: twice}, {0: twice}).check()
    assert len(audit({0: twice}, {0: [*twice, record(1, offset=2)]}).duplicated) == 1
    assert audit({0: twice}, {0: twice[:1]}).lost == [(0, 1)]


def test_records_behind_the_watermark_need_not_be_there_yet() -> None:
    target = copy_of(SOURCE)
    del target[0][5]
    del target[0][8]  # the last one, after the deletion before
    assert audit(SOURCE, target, until={0: 9}).lost == [(0, 5)]


def test_a_recorded_gap_excuses_what_it_names_and_no_more() -> None:
    target = copy_of(SOURCE)
    del target[0][2:5]
    excused, untrue = excuses([gap(2, 4)], "t", {0: 4})
    findings = audit(SOURCE, target, excused=excused)
    assert (findings.lost, findings.excused, untrue) == ([(0, 4)], [(0, 2), (0, 3)], [])


@pytest.mark.parametrize("cause", ["epoch_divergence", "out_of_range", "topic_recreated", "positions_lost", "skipped"])
def test_only_retention_excuses_a_missing_record(cause: str) -> None:
    """An epoch divergence names what the target has too many: the new log's records at these offsets are needed."""
    target = copy_of(SOURCE)
    del target[0][2:5]
    excused, _ = excuses([gap(2, 5, cause)], "t", {0: 10})
    assert audit(SOURCE, target, excused=excused).lost == [(0, 2), (0, 3), (0, 4)]


def test_a_gap_that_the_source_does_not_bear_out_excuses_nothing_and_is_named() -> None:
    target = copy_of(SOURCE)
    del target[0][2:5]
    excused, untrue = excuses([gap(2, 5), gap(7, 9)], "t", {0: 3})
    findings = audit(SOURCE, target, excused=excused)
    assert (findings.lost, findings.excused, untrue) == ([(0, 3), (0, 4)], [(0, 2)], [(0, 3), (0, 7)])


def test_a_gap_of_another_topic_excuses_nothing() -> None:
    assert excuses([gap(2, 5)], "other", {0: 10}) == ({}, [])


def gap(first: int, end: int, cause: str = "retention") -> dict[str, Any]:
    return {"topic": "t", "partition": 0, "cause": cause, "from_offset": first, "to_offset": end}


def test_a_check_names_what_it_found() -> None:
    with pytest.raises(AssertionError, match=r"1 lost, first \[\(0, 3\)\]"):
        Findings(source_records=9, lost=[(0, 3)]).check()


def test_duplicates_are_counted_against_their_bound() -> None:
    findings = Findings(duplicated=[(0, 1), (0, 2)])
    findings.check(duplicates_at_most=2)
    with pytest.raises(AssertionError, match="at most 1 may come twice"):
        findings.check(duplicates_at_most=1)
