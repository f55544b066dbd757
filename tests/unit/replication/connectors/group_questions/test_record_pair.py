"""A record and its copy: found by runs or by comparison, and the reason where one of both is missing."""

from typing import Any

import pytest

from replication.domain.errors import ConfigurationError
from replication.domain.questions.groups import Direction, PlaceToTranslate
from replication.domain.questions.records import RecordPair
from replication.memory.records import MemoryProducer
from tests.unit.replication.connectors.group_questions.copied_flow import CopiedFlow


@pytest.fixture
def flow() -> CopiedFlow:
    return CopiedFlow()


def pair(
    flow: CopiedFlow,
    offset: int,
    *,
    partition: int = 0,
    topic: str = "orders",
    direction: Direction = "to_target",
    with_value: bool = False,
) -> RecordPair:
    place = PlaceToTranslate(topic=topic, partition=partition, offset=offset, direction=direction)
    answer: Any = flow.ask("record", places=(place,), with_value=with_value)
    assert isinstance(answer, RecordPair)
    return answer


def states(found: RecordPair) -> tuple[str, str]:
    return found.original.state, found.copy.state


def test_a_record_and_its_copy_are_shown_without_values(flow: CopiedFlow) -> None:
    found = pair(flow, 80)

    assert states(found) == ("found", "found")
    assert found.original.record is not None
    assert found.copy.record is not None
    assert (found.original.record.offset, found.copy.record.offset) == (80, 61)
    assert found.original.record.timestamp_ms == found.copy.record.timestamp_ms == 1_080
    assert (found.copy.record.value_size, found.copy.record.value) == (2, None)
    assert found.differences == ()
    assert "an offset run has east 80 at west 61" in found.evidence
    assert (found.copy.topic, found.copy.log_start, found.copy.log_end) == ("east.orders", 0, 81)


def test_values_are_there_if_asked_for(flow: CopiedFlow) -> None:
    found = pair(flow, 80, with_value=True)

    for side in (found.original, found.copy):
        assert side.record is not None
        assert side.record.value is not None
        assert side.record.value.text == "80"


def test_an_offset_of_the_target_finds_the_original(flow: CopiedFlow) -> None:
    found = pair(flow, 61, topic="east.orders", direction="to_source")

    assert found.original.record is not None
    assert (states(found), found.original.record.offset) == (("found", "found"), 80)


def test_a_record_of_others_on_the_target_has_no_original(flow: CopiedFlow) -> None:
    found = pair(flow, 50, topic="east.orders", direction="to_source")

    assert states(found) == ("not_copied", "found")
    assert found.differences is None


def test_records_that_were_not_copied_say_so(flow: CopiedFlow) -> None:
    found = pair(flow, 10)

    assert states(found) == ("found", "not_copied")
    assert found.copy.text


def test_a_place_within_bounds_is_found_by_comparison(flow: CopiedFlow) -> None:
    found = pair(flow, 40, partition=1)

    assert states(found) == ("found", "found")
    assert found.copy.record is not None
    assert found.copy.record.offset == 40


def test_an_offset_behind_the_end_is_not_there_yet(flow: CopiedFlow) -> None:
    found = pair(flow, 500)

    assert states(found) == ("beyond_end", "not_copied_yet")
    assert "ends at 100" in found.original.text


def test_a_record_behind_the_copy_is_not_copied_yet(flow: CopiedFlow) -> None:
    producer = MemoryProducer(flow.east)
    producer.send("orders", key=b"k", value=b"new", partition=0, timestamp_ms=9_000)
    producer.flush()

    assert states(pair(flow, 100)) == ("found", "not_copied_yet")


def test_a_deleted_record_shows_its_copy(flow: CopiedFlow) -> None:
    flow.east.topics["orders"].partitions[0].delete_before(90)

    found = pair(flow, 80)

    assert states(found) == ("before_start", "found")
    assert "starts at 90" in found.original.text


def test_a_copy_that_the_target_has_deleted_is_named(flow: CopiedFlow) -> None:
    flow.west.topics["east.orders"].partitions[0].delete_before(70)

    found = pair(flow, 80)

    assert states(found) == ("found", "before_start")


def test_an_unreachable_source_leaves_the_copy(flow: CopiedFlow) -> None:
    flow.east.is_up = False

    found = pair(flow, 80)

    assert states(found) == ("unreachable", "found")
    assert "east" in found.original.text


def test_a_partition_that_is_not_copied_is_refused(flow: CopiedFlow) -> None:
    with pytest.raises(ConfigurationError, match="does not copy partition 7 of orders"):
        pair(flow, 1, partition=7)
