"""Bounded places are compared in turns: a budget of reads per group, and of comparisons per round."""

import pytest

from replication.domain.groups.translation import Translation, bounded
from replication.domain.identifiers import TopicPartition
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryRecordLog
from replication.tasks.groups.bounds_closer import MOST_COMPARISONS, BoundsCloser
from replication.tasks.groups.bounds_comparison import MOST_READS, BoundsComparison
from tests.unit.replication.tasks.groups.test_bounds_comparison import filled

COUNT = MOST_READS // 2
UP, REMOTE = TopicPartition("t", 0), TopicPartition("a.t", 0)
WIDE = bounded("sync_only", 0, COUNT // 2, COUNT // 2)  # two of them are too much for one group and round


class Stage:
    """A target that holds the records from 5 on: offset 0 there is offset 5 here."""

    def __init__(self) -> None:
        self.source, self.target = filled("a", "t", range(COUNT)), filled("b", "a.t", range(5, COUNT))
        self.closer = BoundsCloser(BoundsComparison(MemoryRecordLog(self.source), MemoryRecordLog(self.target)))
        self.closer.begin_round()

    def group(self, *offsets: int, place: Translation = WIDE) -> list[str]:
        """The kinds of the places of one group."""
        self.closer.begin_group()
        return [self.closer.close_in(UP, REMOTE, offset, place).kind for offset in offsets]


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_what_is_too_much_for_a_group_in_one_round_is_compared_in_the_next_one(stage: Stage) -> None:
    first = [stage.group(100, 200), stage.group(300)]
    stage.closer.begin_round()
    second = [stage.group(100, 200), stage.group(300)]

    assert first == [["exact", "bounded"], ["exact"]]
    assert second == [["exact", "exact"], ["exact"]]


def test_comparisons_of_a_round_are_limited(stage: Stage) -> None:
    place, offsets = bounded("sync_only", 0, 40, 40), range(10, 10 + MOST_COMPARISONS + 1)

    first = [kind for offset in offsets for kind in stage.group(offset, place=place)]
    stage.closer.begin_round()
    second = [kind for offset in offsets for kind in stage.group(offset, place=place)]

    assert first == ["exact"] * MOST_COMPARISONS + ["bounded"]
    assert second == ["exact"] * (MOST_COMPARISONS + 1)


@pytest.mark.parametrize(
    "place",
    [bounded("copy_behind", 0, 40, 40), bounded("sync_only", 0, MOST_READS, MOST_READS)],
    ids=["not comparable", "too wide for any group"],
)
def test_places_that_are_not_compared_use_up_nothing(stage: Stage, place: Translation) -> None:
    for offset in range(MOST_COMPARISONS):
        assert stage.group(offset, place=place) == ["bounded"]

    assert stage.group(100) == ["exact"]


def test_a_cluster_that_does_not_answer_leaves_bounds_until_the_next_round(stage: Stage) -> None:
    def answers(cluster: MemoryCluster, *, is_up: bool) -> list[str]:
        cluster.is_up = is_up
        return stage.group(100)

    assert answers(stage.target, is_up=False) == ["bounded"]
    assert answers(stage.target, is_up=True) == ["bounded"]
    stage.closer.begin_round()
    assert stage.group(100) == ["exact"]
