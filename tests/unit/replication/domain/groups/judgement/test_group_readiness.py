"""The judgement of a group."""

from collections.abc import Sequence
from typing import Any

from replication.domain.groups.consumer_group import GroupDescription
from replication.domain.groups.judgement.group_partition import CheckpointPlace, GroupPartitionFacts
from replication.domain.groups.judgement.group_readiness import GroupFacts, GroupReadiness, group_readiness
from replication.domain.groups.readiness import cause
from replication.domain.groups.translation import LogRange
from replication.domain.identifiers import TopicPartition
from tests.unit.replication.domain.groups.judgement.facts import NAMES, facts, place

NOW_MS = 1_000_000


def judged(partitions: Sequence[GroupPartitionFacts] = (), **changes: Any) -> GroupReadiness:
    usual: dict[str, Any] = {"name": "g", "type": "classic", "partitions": partitions or [facts()]}
    return group_readiness(GroupFacts(**{"translated_ms": NOW_MS, **usual, **changes}), NAMES, NOW_MS)


def described(members: int) -> GroupDescription:
    return GroupDescription(name="g", type="classic", state="active" if members else "empty", members=members)


def codes(found: GroupReadiness) -> list[str]:
    return [each.code for each in found.causes]


def at(partition: int, **changes: Any) -> GroupPartitionFacts:
    return facts(upstream=TopicPartition("t", partition), remote=TopicPartition("a.t", partition), **changes)


def test_a_group_whose_partitions_are_exact_is_ready_also_without_the_source() -> None:
    found = judged([at(0), at(1)], target=described(0))

    assert (found.readiness, found.causes) == ("ready", ())
    assert (found.partitions, found.exact, found.bounded, found.impossible, found.uncommitted) == (2, 2, 0, 0, 0)
    assert (found.lag, found.rereads, found.reread_bytes, found.reread_ms) == (40, 0, 0, 0)
    assert found.if_source_gone.readiness == "ready"
    assert found.checkpoint_ms == 1_000


def test_partitions_are_counted_by_kind_and_the_worst_decides() -> None:
    parts = [
        at(0),
        at(1, translation=place("bounded", "sync_only", 40, latest=60, rereads=20)),
        at(2, translation=place("impossible", "no_evidence")),
        at(3, commit=None, translation=None),
        facts(upstream=TopicPartition("u", 4), remote=None),
    ]

    found = judged(parts)

    assert (found.exact, found.bounded, found.impossible, found.uncommitted) == (1, 1, 2, 1)
    assert found.readiness == "blocked"
    assert codes(found) == ["not_replicated", "no_evidence", "no_commit", "bounded_only"]
    assert found.rereads is None


def test_at_most_five_causes_are_named_the_blocking_ones_first() -> None:
    parts = [at(number, commit=None, translation=None) for number in range(6)]

    found = judged([*parts, at(9, translation=None)])

    assert codes(found) == ["no_evidence", *["no_commit"] * 4]


def test_a_cause_of_a_partition_counts_the_other_partitions_that_have_it() -> None:
    parts = [at(number, commit=None, translation=None) for number in range(6)]

    found = judged([*parts, at(9, translation=None)], target=described(2))

    assert [(each.code, each.more_partitions) for each in found.causes] == [
        ("no_evidence", 0),
        ("active_on_target", 0),
        *[("no_commit", 5)] * 3,
    ]
    assert found.if_source_gone.causes[-1].more_partitions == 5


def test_records_to_read_again_cost_bytes_and_time_where_sizes_and_rates_are_known() -> None:
    bounded = place("bounded", "sync_only", 40, latest=60, rereads=20)
    again = [at(0), at(1, translation=bounded)]
    sizes = {TopicPartition("a.t", 1): 100.0}

    known = judged(again, record_bytes=sizes, records_per_second=40.0)
    unknown = judged(again, record_bytes={TopicPartition("a.t", 0): 100.0})

    assert (known.rereads, known.reread_bytes, known.reread_ms) == (20, 2_000, 500)
    assert (unknown.rereads, unknown.reread_bytes, unknown.reread_ms) == (20, None, None)


UNSET = {"syncs_offsets": False, "is_target_read": True}


def test_without_group_offset_sync_a_group_without_offset_on_the_target_is_blocked() -> None:
    found = judged([at(0), at(1, target_offset=None)], **UNSET)

    assert (found.readiness, codes(found)) == ("blocked", ["not_set_on_target"])
    assert (found.causes[0].topic, found.causes[0].partition) == ("t", 1)
    assert "auto.offset.reset decides where they start, and group offset sync is off" in found.causes[0].text
    assert "sync.group.offsets.enabled=true" in found.causes[0].remedy
    assert [each.code for each in found.if_source_gone.causes] == ["not_set_on_target"]


def test_without_group_offset_sync_an_offset_before_the_place_is_named() -> None:
    found = judged([at(0, target_offset=48)], **UNSET)

    assert (found.readiness, codes(found)) == ("approximate", ["not_set_on_target"])
    assert "the offset on b (48) is 2 offsets before the group's place (50)" in found.causes[0].text


def test_an_offset_that_is_not_set_is_no_cause_while_the_sync_sets_it_or_the_target_is_unknown() -> None:
    without = [at(0, target_offset=None)]

    assert judged(without, syncs_offsets=True, is_target_read=True).readiness == "ready"
    assert judged(without, syncs_offsets=False, is_target_read=False).readiness == "ready"
    assert codes(judged([at(0, target_offset=None, translation=place("impossible", "no_evidence"))], **UNSET)) == [
        "no_evidence"
    ]


def test_a_group_with_members_on_the_target_is_blocked() -> None:
    found = judged(target=described(2))

    assert (found.readiness, codes(found)) == ("blocked", ["active_on_target"])
    assert "2 member(s) on b" in found.causes[0].text
    assert found.if_source_gone.readiness == "blocked"


def test_a_share_group_is_blocked_with_the_reason() -> None:
    assert codes(judged(type="share")) == ["share_group"]


def test_a_source_that_does_not_answer_leaves_the_judgement_for_a_lost_source() -> None:
    behind = CheckpointPlace(upstream=90, downstream=45, written_ms=0)

    found = judged(
        [at(0, source=None, checkpoint=behind, target_offset=None)],
        is_source_reachable=False,
        translated_ms=NOW_MS - 90_000,
    )

    assert (found.readiness, codes(found)) == ("approximate", ["source_unreachable"])
    assert "90 s ago" in found.causes[0].text
    assert found.lag is None
    assert [each.code for each in found.if_source_gone.causes] == ["bounded_only"]
    assert found.if_source_gone.rereads == 5


def test_a_deleted_group_is_one_cause_and_not_one_per_partition() -> None:
    found = judged([at(0, commit=None), at(1, commit=None)], is_deleted_at_source=True)

    assert codes(found) == ["group_deleted_at_source"]
    assert found.readiness == "approximate"


def test_translations_of_long_ago_are_named() -> None:
    fresh = judged(translated_ms=NOW_MS - 60_000, interval_ms=5_000)
    old = judged(translated_ms=NOW_MS - 60_001, interval_ms=5_000)
    due = judged(translated_ms=NOW_MS - 180_000, interval_ms=60_000)

    assert codes(fresh) == []
    assert codes(old) == ["checkpoint_old"]
    assert codes(due) == []


def test_findings_of_others_count_now_and_without_the_source() -> None:
    finding = cause("missing_rights", detail="no READ", grant="grant it")

    found = judged(findings=(finding,))

    assert found.causes == (finding,)
    assert found.if_source_gone.causes == (finding,)


def test_an_empty_partition_without_commit_does_not_count_against_the_group() -> None:
    found = judged([at(0), at(1, commit=None, translation=None, source=LogRange(start=0, end=0))])

    assert (found.readiness, found.uncommitted, found.lag) == ("ready", 1, 20)
