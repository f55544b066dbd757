"""Group offset sync on order never sets a place that the clusters disprove, however many groups are asked for."""

from dataclasses import replace

import pytest

from replication.codecs.offset_runs import encode_key, encode_value
from replication.connectors.group_questions import sync_now as module
from replication.domain.groups.consumer_group import Commit
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from tests.unit.replication.connectors.group_questions.copied_flow import REMOTE, CopiedFlow
from tests.unit.replication.connectors.group_questions.test_sync_now import asked

NEW_ID = bytes([9] * 16)


@pytest.fixture
def flow() -> CopiedFlow:
    return CopiedFlow()


def create_again(flow: CopiedFlow) -> None:
    """The source topic gets another id, and its first 60 records are copied to 81 and behind."""
    flow.east.topics["orders"].topic_id = NEW_ID
    flow.plan = replace(flow.plan, topics=tuple(replace(each, topic_id=NEW_ID) for each in flow.plan.topics))
    segment = RunSegment("orders", 0, NEW_ID, (OffsetRun(0, 81, 60),))
    flow._write(flow.west, "east.orders", 0, range(60))
    flow.tell(flow.west, flow.topics.runs, encode_key(segment), encode_value(segment))


def test_without_the_source_an_old_checkpoint_is_not_translated_by_the_new_topic(flow: CopiedFlow) -> None:
    flow.checkpoint("g", 0, 30, 10)
    create_again(flow)
    flow.east.is_up = False

    answer = asked(flow, "g")

    assert flow.on_target("g") == [10, None]
    assert [(each.state, each.after) for each in answer.items] == [("written", 10)]


def test_a_checkpoint_of_a_remote_topic_that_was_created_again_is_refused(flow: CopiedFlow) -> None:
    flow.commit("g", 80)
    flow.checkpoint("g", 0, 80, 61)
    del flow.west.topics["east.orders"]
    flow.west.create("east.orders", partitions=2)
    flow._write(flow.west, "east.orders", 0, range(70))

    (receipt,) = asked(flow, "g").items

    assert (receipt.state, receipt.before, receipt.after) == ("refused", None, None)
    assert "shorter than what was copied" in receipt.text
    assert flow.on_target("g") == [None, None]


def test_every_portion_of_groups_knows_the_account_and_the_checkpoints(
    flow: CopiedFlow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "GROUPS_AT_ONCE", 1)
    flow.commit("a", 80)
    flow.commit("b", 80)
    flow.commit("c", 30)
    flow.checkpoint("c", 0, 80, 61)
    flow.west.group("c").commits[REMOTE[0]] = Commit(61)

    answer = asked(flow, "a", "b", "c")

    assert [flow.on_target(name)[0] for name in "abc"] == [61, 61, 61]
    assert answer.counts == {"written": 2, "unchanged": 1}


def test_portions_without_the_source_name_it_once(flow: CopiedFlow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GROUPS_AT_ONCE", 1)
    flow.checkpoint("a", 0, 30, 10)
    flow.checkpoint("b", 0, 40, 20)
    flow.east.is_up = False

    answer = asked(flow, "a", "b")

    assert [flow.on_target(name)[0] for name in "ab"] == [10, 20]
    assert [each.part for each in answer.unlooked] == ["source"]


@pytest.mark.parametrize(
    ("checkpoint", "text"),
    [((80, 61), "was rewound on the source to the place 10"), ((30, 10), "or the group was rewound on the source")],
)
def test_the_receipt_of_a_rewound_group_says_so(flow: CopiedFlow, checkpoint: tuple[int, int], text: str) -> None:
    flow.commit("g", 30)
    flow.checkpoint("g", 0, *checkpoint)
    flow.west.group("g").commits[REMOTE[0]] = Commit(61)

    (receipt,) = asked(flow, "g").items

    assert (receipt.state, receipt.skips) == ("unchanged", 51)
    assert text in receipt.text
