"""Comparing records of both clusters within bounds."""

import pytest

from replication.domain.groups.translation import Translation
from replication.domain.identifiers import TopicPartition
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryProducer, MemoryRecordLog
from replication.tasks.groups.bounds_comparison import BoundsComparison, ReadBudget

UP, REMOTE = TopicPartition("t", 0), TopicPartition("a.t", 0)
BOUNDED = Translation(kind="bounded", reason="sync_only", downstream=2, latest=18, rereads=16)


def filled(alias: str, topic: str, values: range) -> MemoryCluster:
    cluster = MemoryCluster(alias)
    cluster.create(topic, partitions=1)
    producer = MemoryProducer(cluster)
    for value in values:
        producer.send(topic, key=b"k", value=b"%d" % value, partition=0, timestamp_ms=value)
    producer.flush()
    return cluster


@pytest.fixture
def comparison() -> BoundsComparison:
    """The target holds the records from 5 on: offset 0 there is offset 5 here."""
    source, target = filled("a", "t", range(30)), filled("b", "a.t", range(5, 30))
    return BoundsComparison(MemoryRecordLog(source), MemoryRecordLog(target))


def test_the_place_between_bounds_is_found(comparison: BoundsComparison) -> None:
    found = comparison.compare(UP, REMOTE, 12, BOUNDED, ReadBudget())

    assert found == Translation(kind="exact", reason="sync_only", downstream=7, rereads=0)


def test_a_place_at_the_end_of_the_source_is_behind_the_last_copy(comparison: BoundsComparison) -> None:
    at_end = Translation(kind="bounded", reason="missing_runs", downstream=2, latest=25, rereads=23)

    found = comparison.compare(UP, REMOTE, 30, at_end, ReadBudget())

    assert found is not None
    assert (found.kind, found.downstream) == ("exact", 25)


def test_bounds_that_are_too_far_apart_for_the_budget_are_not_compared(comparison: BoundsComparison) -> None:
    budget = ReadBudget(left=133)

    assert comparison.compare(UP, REMOTE, 12, BOUNDED, budget) is None
    assert budget.left == 133
    found = comparison.compare(UP, REMOTE, 12, BOUNDED, ReadBudget(left=134))
    assert found is not None
    assert found.kind == "exact"


@pytest.mark.parametrize(
    "kept",
    [
        Translation(kind="bounded", reason="copy_behind", downstream=2, latest=18, rereads=16),
        Translation(kind="bounded", reason="sync_only", downstream=2, latest=None, rereads=None),
        Translation(kind="exact", reason="inside_run", downstream=2),
    ],
)
def test_other_places_are_not_compared(comparison: BoundsComparison, kept: Translation) -> None:
    assert comparison.compare(UP, REMOTE, 12, kept, ReadBudget()) == kept
