"""The outcomes for groups that are moved, deleted, denied or active, as docs/groups.md states them, on real brokers."""

import time
import uuid
from collections.abc import Iterator

import pytest

from replication.domain.groups.group_summary import GroupSummary
from replication.domain.questions.groups import GroupPartitions, PlaceToTranslate, SyncReceipts, Translations
from replication.tasks.groups.group_offset_sync import LOOK_AGAIN_MS
from tests.integration.groups.outcome_lab import DELETED, OutcomeLab, committed, joined
from tests.support.engine.slots import SlotLab
from tests.support.eventually import eventually
from tests.support.groups.checkpointing import ROUND_MS
from tests.support.kafka.clusters import StartCluster, TwoClusters
from tests.support.kafka.kafka_records import create_topic, delete_topic

pytestmark = pytest.mark.kafka

SHIFT = -DELETED
EXPIRES_AFTER_S = 60.0


@pytest.fixture
def outcome(lab: SlotLab) -> Iterator[OutcomeLab]:
    """100 records are copied, from offset 3 on; record n is at n - 3."""
    made = _made(lab)
    yield made
    made.close()


def _made(lab: SlotLab) -> OutcomeLab:
    name = uuid.uuid4().hex[:6]
    made = OutcomeLab(slots=lab, topic=f"outcome-{name}", group=f"group-{name}")
    made.fill(100)
    made.copy()
    return made


def codes(group: GroupSummary) -> list[str]:
    return [each.code for each in group.causes]


def test_a_group_without_members_on_the_target_gets_its_offset(outcome: OutcomeLab) -> None:
    outcome.commit(40)

    group = outcome.round()

    assert outcome.on_target() == 40 + SHIFT
    assert (group.readiness, group.synced, group.rereads, codes(group)) == ("ready", "written", 0, [])
    assert group.if_source_gone is not None
    assert group.if_source_gone.readiness == "ready"


def test_an_active_group_on_the_target_is_left_alone_and_catches_up_one_period_after_its_last_member(
    outcome: OutcomeLab,
) -> None:
    outcome.commit(40)
    member = joined(outcome.slots.target_bootstrap, outcome.group, outcome.remote)
    try:
        waiting = outcome.round()
        during = outcome.on_target()
    finally:
        member.close()
    done = outcome.round()

    assert (waiting.readiness, waiting.synced, waiting.target_members) == ("blocked", "waits_for_members", 1)
    assert "active_on_target" in codes(waiting)
    assert during is None
    assert (done.readiness, done.synced, outcome.on_target()) == ("ready", "written", 40 + SHIFT)


def test_a_group_rewound_on_the_source_gets_a_smaller_checkpoint_and_does_not_move_back_on_the_target(
    outcome: OutcomeLab,
) -> None:
    outcome.commit(80)
    outcome.round()
    outcome.commit(30)

    group = outcome.round()

    assert [(each.upstream_offset, each.downstream_offset) for each in outcome.checkpoints()] == [(80, 77), (30, 27)]
    assert outcome.on_target() == 77
    assert (group.synced, codes(group)) == ("ahead", ["ahead_on_target"])
    assert "50 offsets ahead" in group.causes[0].text


def test_a_group_deleted_on_the_source_is_shown_and_its_copy_stays(outcome: OutcomeLab) -> None:
    outcome.commit(40)
    outcome.round()
    assert outcome.on_target() == 40 + SHIFT
    outcome.delete_group(outcome.slots.source_bootstrap)

    group = outcome.round()
    assert outcome.on_target() == 40 + SHIFT
    outcome.delete_group(outcome.slots.target_bootstrap)
    later = outcome.round(after_ms=LOOK_AGAIN_MS + ROUND_MS)

    assert (group.state, group.readiness, codes(group)) == ("dead", "approximate", ["group_deleted_at_source"])
    assert len(outcome.checkpoints()) == 1
    assert outcome.on_target() is None  # deleted on both sides, it stays deleted
    assert codes(later) == ["group_deleted_at_source"]


def test_a_group_deleted_on_the_target_comes_back(outcome: OutcomeLab) -> None:
    outcome.commit(40)
    outcome.round()
    outcome.delete_group(outcome.slots.target_bootstrap)

    outcome.round(after_ms=LOOK_AGAIN_MS)

    assert outcome.on_target() == 40 + SHIFT


def test_a_group_created_again_at_the_beginning_counts_as_rewound(outcome: OutcomeLab) -> None:
    outcome.commit(80)
    outcome.round()
    outcome.delete_group(outcome.slots.source_bootstrap)
    outcome.round()
    outcome.commit(10)

    again = outcome.round()
    outcome.commit(90)
    further = outcome.round()

    assert [each.upstream_offset for each in outcome.checkpoints()] == [80, 10, 90]
    assert (again.synced, codes(again)) == ("ahead", ["ahead_on_target"])
    assert (further.synced, outcome.on_target()) == ("written", 90 + SHIFT)


def test_offsets_set_ahead_by_hand_stay_until_the_group_has_passed_them(outcome: OutcomeLab) -> None:
    outcome.commit(40)
    outcome.round()
    outcome.commit_on_target(63)
    outcome.commit(45)

    ahead = outcome.round()
    stayed = outcome.on_target()
    outcome.commit(70)
    passed = outcome.round()

    assert (ahead.readiness, ahead.synced, codes(ahead)) == ("blocked", "ahead", ["ahead_on_target"])
    assert stayed == 63
    assert (passed.readiness, passed.synced, outcome.on_target()) == ("ready", "written", 70 + SHIFT)


def test_a_topic_created_again_under_the_group_gets_no_offset_until_it_is_copied(outcome: OutcomeLab) -> None:
    outcome.commit(40)
    outcome.round()
    delete_topic(outcome.slots.source_bootstrap, outcome.topic)
    create_topic(outcome.slots.source_bootstrap, outcome.topic)
    outcome.fill(20)
    outcome.commit(5)

    blocked = outcome.round()
    stayed = outcome.on_target()
    outcome.copy()
    exact = outcome.round()

    assert (blocked.readiness, codes(blocked)) == ("blocked", ["topic_recreated"])
    assert stayed == 40 + SHIFT
    assert (exact.readiness, exact.exact) == ("ready", 1)
    assert outcome.on_target() == 100 + 5


@pytest.mark.slow
@pytest.mark.large  # every day: test_group_offset_sync.py
def test_an_offset_that_expired_on_the_target_comes_back(
    two_clusters: TwoClusters, start_cluster: StartCluster
) -> None:
    forgetful = {"offsets.retention.minutes": "1", "offsets.retention.check.interval.ms": "1000"}
    slots = SlotLab(TwoClusters(source=two_clusters.source, target=start_cluster(extra=forgetful)))
    outcome = _made(slots)
    try:
        outcome.commit(40)
        outcome.round()
        began = time.monotonic()
        assert outcome.on_target() == 40 + SHIFT
        eventually(lambda: outcome.on_target() is None, EXPIRES_AFTER_S + 40, "the offset has expired")

        outcome.round(after_ms=LOOK_AGAIN_MS)

        assert time.monotonic() - began > EXPIRES_AFTER_S / 2
        assert outcome.on_target() == 40 + SHIFT
    finally:
        outcome.close()
        slots.close()


def test_offsets_are_set_at_the_longer_of_the_two_intervals(outcome: OutcomeLab) -> None:
    work = outcome.work
    work.settings = {**work.settings, **intervals(emit_s=60, sync_s=120)}
    outcome.commit(40)
    outcome.round()
    outcome.commit(50)

    outcome.round(after_ms=60_000)
    early = outcome.on_target()
    rarely = work.sync
    outcome.round(after_ms=60_000)
    due = outcome.on_target()
    work.settings = {**work.settings, **intervals(emit_s=60, sync_s=1)}
    outcome.commit(60)
    outcome.round(after_ms=30_000)
    between = outcome.on_target()
    outcome.round(after_ms=30_000)

    assert [each.downstream_offset for each in outcome.checkpoints()] == [37, 47, 57]
    assert (early, due, between, outcome.on_target()) == (37, 47, 47, 57)
    assert rarely is not None
    assert work.sync is not None
    assert (rarely.effective_interval_ms, work.sync.effective_interval_ms) == (120_000, 60_000)
    assert work.sync.interval_ms == 1_000


def intervals(*, emit_s: int, sync_s: int) -> dict[str, str]:
    return {"emit.checkpoints.interval.seconds": str(emit_s), "sync.group.offsets.interval.seconds": str(sync_s)}


def test_questions_are_answered_from_both_clusters(outcome: OutcomeLab) -> None:
    outcome.commit(40)

    partitions = outcome.ask("group_partitions", groups=(outcome.group,))
    dry = outcome.ask("sync_groups", groups=(outcome.group,), dry_run=True)
    before = outcome.on_target()
    done = outcome.ask("sync_groups", groups=())
    again = outcome.ask("sync_groups", groups=(outcome.group,))
    places = (
        PlaceToTranslate(topic=outcome.topic, partition=0, offset=70),
        PlaceToTranslate(topic=outcome.remote, partition=0, offset=67, direction="to_source"),
        PlaceToTranslate(topic=outcome.topic, partition=0, timestamp_ms=2**45),
    )
    translations = outcome.ask("translate", places=places)

    assert isinstance(partitions, GroupPartitions)
    (group,) = partitions.groups
    (place,) = group.partitions
    assert (group.readiness, place.kind, place.downstream, place.target_committed) == ("ready", "exact", 37, None)
    assert (place.log_start, place.log_end, place.remote_start, place.remote_end) == (3, 103, 0, 100)
    assert place.mm2_downstream is not None
    assert place.mm2_downstream <= 37
    assert isinstance(dry, SyncReceipts)
    assert before is None
    assert isinstance(done, SyncReceipts)
    assert [(each.before, each.after, each.state, each.skips) for each in done.items] == [(None, 37, "written", 0)]
    assert committed(outcome.slots.target_bootstrap, outcome.group, outcome.remote) == 37
    assert isinstance(again, SyncReceipts)
    assert again.counts == {"unchanged": 1}
    assert isinstance(translations, Translations)
    assert [each.offset for each in translations.items] == [67, 70, 100]
