"""Translations of topics that two flows share: equal names, copies in both directions."""

from dataclasses import replace

import pytest

from replication.domain.groups.copy_account import CopyAccount
from replication.domain.groups.translation import LogRange
from replication.domain.identifiers import TopicPartition
from replication.domain.names.filters import NameFilter
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.domain.plan.plan_document import PlanTopic
from replication.tasks.groups.group_round import RoundView
from replication.tasks.groups.topic_places import TopicPlaces
from tests.unit.replication.tasks.groups.checkpoint_lab import Lab

SHARED = TopicPartition("t", 0)
HERE_ID, THERE_ID = bytes([1] * 16), bytes([2] * 16)


def account(topic_id: bytes, run: OffsetRun) -> CopyAccount:
    made = CopyAccount()
    made.add_segment(b"key", RunSegment("t", 0, topic_id, (run,)))
    return made


def places(remote: str = "t") -> TopicPlaces:
    topic = PlanTopic(
        upstream="t",
        remote=remote,
        topic_id=HERE_ID,
        partitions=1,
        max_message_bytes=1,
        timestamp_type="CreateTime",
    )
    return TopicPlaces(
        topics={"t": topic},
        remote_of={"t": remote},
        upstream_of={remote: "t"},
        skipped={},
        accepted=NameFilter.of([".*"]),
    )


@pytest.fixture
def view() -> RoundView:
    """Each side has five own records, then the copies of the other side's five."""
    return RoundView(
        places=places(),
        account=account(HERE_ID, OffsetRun(0, 5, 5)),
        source={SHARED: LogRange(start=0, end=10)},
        remote={SHARED: LogRange(start=0, end=10, topic_id=THERE_ID)},
        now_ms=1,
        reverse=account(THERE_ID, OffsetRun(0, 5, 5)),
    )


@pytest.mark.parametrize(
    ("committed", "place"),
    [
        (0, 0),  # nothing read: both begin
        (3, 0),  # three records of here, none of there
        (5, 0),  # all records of here; those of there begin at 0 there
        (8, 3),  # and three of there
        (10, 5),  # all: what is copied behind it is read again
    ],
)
def test_unread_records_of_the_other_side_are_not_passed(view: RoundView, committed: int, place: int) -> None:
    found = view.translate(SHARED, SHARED, committed)

    assert found.downstream == place


def test_without_a_flow_the_other_way_the_forward_place_counts(view: RoundView) -> None:
    assert replace(view, reverse=CopyAccount()).translate(SHARED, SHARED, 5).downstream == 10


def test_while_the_other_flow_is_not_known_there_is_no_place(view: RoundView) -> None:
    found = replace(view, is_reverse_read=False).translate(SHARED, SHARED, 5)

    assert (found.kind, found.downstream) == ("impossible", None)


def test_while_the_source_does_not_answer_there_is_no_place(view: RoundView) -> None:
    assert replace(view, source={}).translate(SHARED, SHARED, 5).kind == "impossible"


def test_other_names_are_not_shared(view: RoundView) -> None:
    remote = TopicPartition("a.t", 0)
    prefixed = replace(view, places=places("a.t"), remote={remote: LogRange(start=0, end=10)}, is_reverse_read=False)

    assert prefixed.translate(SHARED, remote, 5).downstream == 10
    assert view.places.keeps_names
    assert not prefixed.places.keeps_names


def test_groups_that_another_flow_has_are_reported_as_blocked_by_the_first_slot() -> None:
    lab = Lab(groups=())
    task = lab.task()
    plan = lab.plan(())
    taken = replace(plan.groups, slots=((),), taken=(("app", "north", ("east.orders",)),))
    task.apply_order(replace(lab.order(()), plan=replace(plan, groups=taken)))

    report = lab.round(task)

    assert [(each.group, each.readiness) for each in report.summary.groups] == [("app", "blocked")]
    assert report.counts.blocked == 1


@pytest.mark.parametrize(("committed", "place"), [(0, 0), (5, 0), (8, 3), (10, 5)])
def test_the_way_back_does_not_pass_unread_records_either(view: RoundView, committed: int, place: int) -> None:
    """The view is the same from both sides."""
    assert view.translate_back(SHARED, SHARED, committed).downstream == place


def test_the_way_back_counts_local_records_of_the_other_side(view: RoundView) -> None:
    """There the copies come first: of 7 records read, two are local, which are copied here behind five own ones."""
    other = replace(view, account=account(HERE_ID, OffsetRun(0, 0, 5)), reverse=account(THERE_ID, OffsetRun(5, 5, 5)))

    assert other.translate_back(SHARED, SHARED, 5).downstream == 5
    before = other.translate_back(SHARED, SHARED, 2)
    assert (before.downstream, before.latest) == (0, 2)


def test_the_way_back_waits_for_the_flow_the_other_way(view: RoundView) -> None:
    assert replace(view, is_reverse_read=False).translate_back(SHARED, SHARED, 5).kind == "impossible"
