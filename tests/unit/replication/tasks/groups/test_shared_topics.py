"""Translations of topics that two flows share: equal names, copies in both directions."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.config.flows.policies import shared_topics
from replication.domain.desired.desired_document import DesiredFlow, NamePatterns, PolicyChoice
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


BACK = DesiredFlow(source="b", policy=PolicyChoice(kind="identity"), topics=NamePatterns(allow=("t.*",)))


def places(remote: str = "t", reverse: DesiredFlow | None = None) -> TopicPlaces:
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
        shared=shared_topics(reverse, "a"),
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
        (10, 10),  # all: what is behind the records of there is copies of what was read here
    ],
)
def test_unread_records_of_the_other_side_are_not_passed(view: RoundView, committed: int, place: int) -> None:
    found = view.translate(SHARED, SHARED, committed)

    assert found.downstream == place


def runs_of(origin: str, source: list[str], target: list[str]) -> list[OffsetRun]:
    """The runs of the flow that copies the records of this origin; the rest of its source came from the target."""
    places = zip(*([at for at, each in enumerate(log) if each == origin] for log in (source, target)), strict=True)
    return [OffsetRun(upstream, downstream, 1) for upstream, downstream in places]


@given(st.permutations("aaaaaabbbbbb"), st.permutations("aaaaaabbbbbb"))
def test_both_flows_together_skip_nothing_and_say_what_comes_again(here: list[str], there: list[str]) -> None:
    accounts = CopyAccount(), CopyAccount()
    for made, topic_id, runs in (
        (accounts[0], HERE_ID, runs_of("a", here, there)),
        (accounts[1], THERE_ID, runs_of("b", there, here)),
    ):
        made.add_segment(b"key", RunSegment("t", 0, topic_id, tuple(runs)))
    logs = [LogRange(start=0, end=12, topic_id=each) for each in (HERE_ID, THERE_ID)]
    view = RoundView(
        places=places(reverse=BACK),
        account=accounts[0],
        source={SHARED: logs[0]},
        remote={SHARED: logs[1]},
        now_ms=1,
        reverse=accounts[1],
    )
    for committed in range(13):
        for found, read, log in (
            (view.translate(SHARED, SHARED, committed), here[:committed], there),
            (view.translate_back(SHARED, SHARED, committed), there[:committed], here),
        ):
            place, again = found.downstream, found.rereads
            assert place is not None
            assert again is not None
            for origin in "ab":
                before, known = log[:place].count(origin), read.count(origin)
                assert before <= known, f"{found} of {committed} passes unread records"
                again -= known - before
            assert again >= 0, f"{found} of {committed} says too little of what comes again"
    if view.translate(SHARED, SHARED, 12).kind == "exact":
        assert view.translate(SHARED, SHARED, 12).downstream == 12


def test_without_a_flow_the_other_way_the_forward_place_counts(view: RoundView) -> None:
    assert replace(view, reverse=CopyAccount()).translate(SHARED, SHARED, 5).downstream == 10


@pytest.mark.parametrize("committed", [0, 3, 5])
def test_before_the_other_flow_has_told_anything_local_records_count_as_unread(view: RoundView, committed: int) -> None:
    """On the target, five own records are before the copies; the group can have read none of them."""
    found = replace(view, places=places(reverse=BACK), reverse=CopyAccount()).translate(SHARED, SHARED, committed)

    assert (found.downstream, found.reason) == (0, "not_returned")
    assert found.latest == 5 + committed
    assert found.rereads is not None
    assert found.rereads >= committed


@given(st.lists(st.booleans(), max_size=30), st.data())
def test_before_the_other_flow_has_told_anything_no_own_record_is_passed(log: list[bool], data: st.DataObject) -> None:
    """True is a copy; of some copies no run tells."""
    copies = [at for at, is_copy in enumerate(log) if is_copy]
    told = data.draw(st.sets(st.sampled_from(range(len(copies))))) if copies else set()
    made = CopyAccount()
    for upstream in sorted(told):
        run = OffsetRun(upstream, copies[upstream], 1)
        made.add_segment(b"key", RunSegment("t", 0, HERE_ID, (run,)))
    view = RoundView(
        places=places(reverse=BACK),
        account=made,
        source={SHARED: LogRange(start=0, end=len(copies))},
        remote={SHARED: LogRange(start=0, end=len(log), topic_id=THERE_ID)},
        now_ms=1,
        reverse=CopyAccount(),
    )
    for committed in range(len(copies) + 1):
        unread = [at for at, is_copy in enumerate(log) if not is_copy] + copies[committed:]
        found = view.translate(SHARED, SHARED, committed)
        assert found.downstream is None or found.downstream <= min(unread, default=len(log))


def test_before_the_other_flow_has_told_anything_copies_before_the_first_local_record_are_passed(
    view: RoundView,
) -> None:
    """The copies are first: those that the group has read do not come again."""
    waiting = replace(
        view, account=account(HERE_ID, OffsetRun(0, 0, 5)), places=places(reverse=BACK), reverse=CopyAccount()
    )

    assert [waiting.translate(SHARED, SHARED, each).downstream for each in (0, 3, 5)] == [0, 3, 5]
    assert waiting.translate(SHARED, SHARED, 5).kind == "exact"


@pytest.mark.parametrize(
    "reverse",
    [
        replace(BACK, topics=NamePatterns(allow=("u",))),
        replace(BACK, policy=PolicyChoice()),
        replace(BACK, enabled=False),
    ],
    ids=["other topics", "other names", "disabled"],
)
def test_a_flow_the_other_way_that_does_not_copy_the_topic_back_does_not_count(
    view: RoundView, reverse: DesiredFlow
) -> None:
    alone = replace(view, places=places(reverse=reverse), reverse=CopyAccount())

    assert alone.translate(SHARED, SHARED, 5).downstream == 10


def test_a_paused_flow_the_other_way_counts(view: RoundView) -> None:
    paused = replace(view, places=places(reverse=replace(BACK, state="pause")), reverse=CopyAccount())

    assert paused.translate(SHARED, SHARED, 5).downstream == 0


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


@pytest.mark.parametrize(("committed", "place"), [(0, 0), (5, 0), (8, 3), (10, 10)])
def test_the_way_back_does_not_pass_unread_records_either(view: RoundView, committed: int, place: int) -> None:
    """The view is the same from both sides."""
    assert view.translate_back(SHARED, SHARED, committed).downstream == place


def test_the_way_back_counts_local_records_of_the_other_side(view: RoundView) -> None:
    """There the copies come first: of 7 records read, two are local, which are copied here behind five own ones."""
    other = replace(view, account=account(HERE_ID, OffsetRun(0, 0, 5)), reverse=account(THERE_ID, OffsetRun(5, 5, 5)))

    assert other.translate_back(SHARED, SHARED, 5).downstream == 5
    before = other.translate_back(SHARED, SHARED, 2)
    assert (before.kind, before.downstream) == ("exact", 2)


def test_the_way_back_waits_for_the_flow_the_other_way(view: RoundView) -> None:
    assert replace(view, is_reverse_read=False).translate_back(SHARED, SHARED, 5).kind == "impossible"
