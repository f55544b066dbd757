"""Group offset sync on order, with receipts."""

from dataclasses import replace

import pytest

from replication.domain.groups.consumer_group import Commit
from replication.domain.groups.group_summary import SkippedGroup
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.plan_document import PlanGroups
from replication.domain.questions.groups import SyncReceipt, SyncReceipts
from tests.unit.replication.connectors.group_questions.copied_flow import REMOTE, CopiedFlow


@pytest.fixture
def flow() -> CopiedFlow:
    return CopiedFlow()


def asked(flow: CopiedFlow, *groups: str, dry_run: bool = False, most_names: int = 100) -> SyncReceipts:
    answer = flow.ask("sync_groups", most_names=most_names, groups=groups, dry_run=dry_run)
    assert isinstance(answer, SyncReceipts)
    return answer


def numbers(each: SyncReceipt) -> tuple[str, int, int | None, int | None, int | None, int | None, str]:
    return each.topic, each.partition, each.before, each.after, each.rereads, each.skips, each.state


def test_offsets_are_set_and_each_partition_has_a_receipt(flow: CopiedFlow) -> None:
    flow.commit("g", 80, 40)
    flow.west.group("g").commits[REMOTE[0]] = Commit(3)

    answer = asked(flow, "g")

    assert flow.on_target("g") == [61, 40]
    assert flow.west.group("g").commits[REMOTE[0]].metadata == "m"
    assert [numbers(each) for each in answer.items] == [
        ("east.orders", 0, 3, 61, 0, 0, "written"),
        ("east.orders", 1, None, 40, 0, 0, "written"),
    ]
    assert answer.counts == {"written": 2}


def test_a_dry_run_sets_nothing(flow: CopiedFlow) -> None:
    flow.commit("g", 80, 40)

    answer = asked(flow, "g", dry_run=True)

    assert flow.on_target("g") == [None, None]
    assert [each.after for each in answer.items] == [61, 40]
    assert all(each.text.startswith("It would be set") for each in answer.items)
    assert answer.dry_run


def test_a_group_with_members_is_refused_with_the_remedy(flow: CopiedFlow) -> None:
    flow.commit("g", 80)
    flow.west.group("g").members = 1

    (receipt,) = asked(flow, "g").items

    assert (receipt.state, receipt.after) == ("refused", None)
    assert "stop them" in receipt.text


def test_the_receipt_names_the_records_without_a_copy(flow: CopiedFlow) -> None:
    flow.commit("g", 10)

    (receipt,) = asked(flow, "g").items

    assert numbers(receipt) == ("east.orders", 0, None, 0, 0, 10, "written")
    assert "the records 10 to 19 have no copy on west in orders-0" in receipt.text


def test_an_offset_that_is_ahead_stays_and_says_what_it_skips(flow: CopiedFlow) -> None:
    flow.commit("g", 80)
    flow.west.group("g").commits[REMOTE[0]] = Commit(70)

    (receipt,) = asked(flow, "g").items

    assert numbers(receipt) == ("east.orders", 0, 70, 70, 0, 9, "unchanged")


def test_a_partition_without_a_place_is_impossible_with_the_reason(flow: CopiedFlow) -> None:
    flow.east.create("other")
    flow.commit("g", 200)
    flow.east.group("g").commits[TopicPartition("other", 0)] = Commit(0)

    receipts = {each.topic: each for each in asked(flow, "g").items}

    assert {each.state for each in receipts.values()} == {"impossible"}
    assert "lists do not allow the topic" in receipts["other"].text
    assert "behind the end" in receipts["east.orders"].text


def test_without_a_name_all_groups_of_the_plan_are_set(flow: CopiedFlow) -> None:
    flow.commit("g", 80)
    flow.commit("h", 90)
    flow.commit("i", 90)
    flow.plan = replace(flow.plan, groups=PlanGroups(slots=(("g",), ("h",))))

    answer = asked(flow)

    assert [each.group for each in answer.items] == ["g", "h"]
    assert flow.on_target("i") == [None, None]


def test_groups_that_the_flow_does_not_translate_are_named_with_the_reason(flow: CopiedFlow) -> None:
    flow.commit("taken", 80)
    flow.commit("shared", 80)
    flow.east.group("shared").type = "share"
    skipped = (SkippedGroup(group="copies", reason="its offsets are of copies"),)
    taken = (("taken", "north", ("east.orders",)),)
    flow.plan = replace(flow.plan, groups=PlanGroups(skipped=skipped, taken=taken))

    answer = asked(flow, "taken", "shared", "copies", "unknown")

    reasons = {each.group: each.reason for each in answer.skipped}
    assert "north->west writes" in reasons["taken"]
    assert "share group" in reasons["shared"]
    assert reasons["copies"] == "its offsets are of copies"
    assert reasons["unknown"] == "the group does not exist on east; its copy stays as it is"
    assert answer.items == ()


def test_a_group_that_committed_after_the_plan_was_made_is_set(flow: CopiedFlow) -> None:
    skipped = (SkippedGroup(group="g", reason="it has no committed offset on a topic of the flow"),)
    flow.plan = replace(flow.plan, groups=PlanGroups(skipped=skipped))
    flow.commit("g", 80, 40)

    answer = asked(flow, "g")

    assert flow.on_target("g") == [61, 40]
    assert answer.skipped == ()


def test_a_group_that_committed_after_the_plan_was_made_stays_with_the_flow_that_has_it(flow: CopiedFlow) -> None:
    flow.commit("g", 80, 40)
    other = replace(flow.plan, source="north", groups=PlanGroups(slots=(("g",),)))
    flow.others = (other,)

    answer = asked(flow, "g")

    assert flow.on_target("g") == [None, None]
    assert ["north->west" in each.reason for each in answer.skipped] == [True]


def test_the_first_receipts_are_those_that_are_not_unchanged(flow: CopiedFlow) -> None:
    flow.commit("g", 80, 40)
    flow.west.group("g").commits[REMOTE[0]] = Commit(61)

    answer = asked(flow, "g", most_names=1)

    assert [(each.partition, each.state) for each in answer.items] == [(1, "written")]
    assert answer.counts == {"unchanged": 1, "written": 1}


def test_without_the_source_the_newest_checkpoints_are_set(flow: CopiedFlow) -> None:
    flow.commit("g", 80, 40)
    flow.checkpoint("g", 0, 30, 10)
    flow.east.is_up = False

    answer = asked(flow, "g")

    assert flow.on_target("g") == [10, None]
    assert [each.part for each in answer.unlooked] == ["source"]


def test_a_checkpoint_that_is_further_than_the_translation_counts(flow: CopiedFlow) -> None:
    flow.commit("g", 30)
    flow.checkpoint("g", 0, 30, 10)
    flow.west.topics[flow.topics.runs].partitions[0].truncate(0)
    flow.tell(flow.east, flow.topics.syncs, *_sync())

    asked(flow, "g")

    assert flow.on_target("g")[0] == 10


def _sync() -> tuple[bytes, bytes]:
    from replication.codecs.mm2_records import OffsetSync, encode_offset_sync

    return encode_offset_sync(OffsetSync(upstream=TopicPartition("orders", 0), upstream_offset=25, downstream_offset=5))
