"""The partitions of groups as the clusters have them now."""

import pytest

from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.errors import ClusterUnreachableError
from replication.domain.groups.consumer_group import Commit, GroupProblem
from replication.domain.identifiers import TopicPartition
from replication.domain.questions.groups import GroupPartitions, GroupPlaces
from tests.unit.replication.connectors.group_questions.copied_flow import FLOW, NOW_MS, REMOTE, UNSYNCED, CopiedFlow


@pytest.fixture
def flow() -> CopiedFlow:
    return CopiedFlow()


def asked(flow: CopiedFlow, *groups: str, desired: DesiredFlow = FLOW) -> GroupPartitions:
    answer = flow.ask("group_partitions", desired=desired, groups=groups)
    assert isinstance(answer, GroupPartitions)
    return answer


def only(answer: GroupPartitions) -> GroupPlaces:
    (group,) = answer.groups
    return group


def codes(group: GroupPlaces) -> list[str]:
    return [each.code for each in group.causes]


def test_a_partition_has_both_sides_the_translation_and_what_others_compute(flow: CopiedFlow) -> None:
    flow.commit("g", 30, 40)
    flow.checkpoint("g", 0, 25, 5)
    flow.west.group("g").commits[REMOTE[0]] = Commit(3)

    group = only(asked(flow, "g"))

    first, second = group.partitions
    assert (first.topic, first.partition, first.remote) == ("orders", 0, "east.orders")
    assert (first.committed, first.metadata, first.log_start, first.log_end) == (30, "m", 0, 100)
    assert (first.kind, first.reason, first.downstream, first.rereads) == ("exact", "inside_run", 10, 0)
    assert (first.remote_start, first.remote_end, first.mm2_downstream) == (0, 81, None)
    assert (first.checkpoint, first.checkpoint_upstream, first.checkpoint_ms) == (5, 25, NOW_MS - 5_000)
    assert first.target_committed == 3
    assert (second.kind, second.downstream, second.mm2_downstream) == ("exact", 40, 11)
    assert (group.readiness, codes(group)) == ("ready", [])


def test_several_groups_are_answered_once_each(flow: CopiedFlow) -> None:
    flow.commit("g", 30)
    flow.commit("h", 40)

    answer = asked(flow, "g", "h", "g")

    assert [group.group for group in answer.groups] == ["g", "h"]


def test_a_partition_without_commit_is_named(flow: CopiedFlow) -> None:
    flow.commit("g", 30)

    group = only(asked(flow, "g"))

    assert (group.readiness, codes(group)) == ("approximate", ["no_commit"])
    assert group.partitions[1].committed is None
    assert group.partitions[1].evidence == "the group has committed no offset of this partition"


def test_a_topic_that_the_flow_does_not_copy_is_named(flow: CopiedFlow) -> None:
    flow.east.create("other")
    flow.commit("g", 30, 40)
    flow.east.group("g").commits[TopicPartition("other", 0)] = Commit(0)

    group = only(asked(flow, "g"))

    assert (group.readiness, codes(group)) == ("blocked", ["not_replicated"])
    [absence] = [each.evidence for each in group.partitions if each.remote is None]
    assert group.causes[0].text.endswith(f": {absence}.")


def test_a_group_that_does_not_exist_is_shown_with_its_checkpoints(flow: CopiedFlow) -> None:
    group = only(asked(flow, "nothing"))

    assert (group.state, codes(group), group.partitions) == ("dead", ["group_deleted_at_source"], ())


def test_without_the_source_the_checkpoints_are_the_last_known_places(flow: CopiedFlow) -> None:
    flow.commit("g", 50, 50)
    flow.checkpoint("g", 0, 30, 10)
    flow.east.is_up = False

    answer = asked(flow, "g")

    group = only(answer)
    assert [each.part for each in answer.unlooked] == ["source"]
    assert "no_commit" not in codes(group)
    (unreachable,) = [each for each in group.causes if each.code == "source_unreachable"]
    assert "commits after 5 s ago are not known" in unreachable.text
    first, second = group.partitions
    assert (first.is_read, first.committed, first.kind, first.downstream, first.rereads) == (False, *[None] * 4)
    assert (first.checkpoint, first.checkpoint_upstream, first.checkpoint_ms) == (10, 30, NOW_MS - 5_000)
    assert first.evidence == (
        "the group's offset is not known: east does not answer; the checkpoint of 5 s ago has east 30 at 10"
    )
    assert second.evidence.endswith("there is no checkpoint")


def test_a_group_without_offset_on_the_target_is_blocked_while_the_sync_is_off(flow: CopiedFlow) -> None:
    flow.commit("g", 30, 40)
    flow.west.group("g").commits[REMOTE[0]] = Commit(10)

    group = only(asked(flow, "g", desired=UNSYNCED))

    assert (group.readiness, codes(group)) == ("blocked", ["not_set_on_target"])
    assert group.causes[0].partition == 1


def test_a_target_that_does_not_answer_is_the_problem_of_the_flow(flow: CopiedFlow) -> None:
    flow.commit("g", 30)
    flow.west.is_up = False

    with pytest.raises(ClusterUnreachableError):
        asked(flow, "g")


def test_a_group_that_a_coordinator_refuses_hides_no_other(flow: CopiedFlow) -> None:
    flow.commit("g", 30, 40)
    flow.commit("h", 30, 40)
    flow.east.group("h").problem = GroupProblem("GROUP_AUTHORIZATION_FAILED", "no right on h")

    groups = {group.group: group for group in asked(flow, "g", "h").groups}

    assert groups["g"].readiness == "ready"
    assert (groups["h"].readiness, codes(groups["h"])) == ("blocked", ["missing_rights"])
    assert all(place.is_read for place in groups["g"].partitions)


def test_the_records_without_a_copy_are_named(flow: CopiedFlow) -> None:
    flow.commit("g", 10, 40)

    group = only(asked(flow, "g"))

    assert codes(group) == ["not_copied"]
    assert "orders-0: the records 10 to 19 have no copy; later records are on west from 0 on" in group.causes[0].text
