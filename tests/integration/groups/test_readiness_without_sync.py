"""Readiness on real brokers while group offset sync is off, and the size of what a group reads again."""

import uuid
from collections.abc import Iterator
from contextlib import closing

import pytest

from replication.domain.groups.group_summary import GroupSummary
from replication.domain.identifiers import TopicPartition
from replication.domain.questions.groups import SyncReceipts
from replication.tasks.groups.record_sizes import ASK_EVERY_MS
from replication.wire.inquiries.log_sizes import WireLogSizes
from tests.integration.groups.outcome_lab import DELETED, OutcomeLab
from tests.support.engine.slots import SlotLab

pytestmark = pytest.mark.kafka

RECORDS, COMMITTED = 100, 40


@pytest.fixture
def unsynced(lab: SlotLab) -> Iterator[OutcomeLab]:
    """All records are copied; record n is at n - 3."""
    name = uuid.uuid4().hex[:6]
    made = OutcomeLab(slots=lab, topic=f"unsynced-{name}", group=f"group-{name}")
    made.work.settings = {"sync.group.offsets.enabled": "false"}
    made.fill(RECORDS)
    made.copy()
    yield made
    made.close()


def codes(group: GroupSummary) -> list[str]:
    return [each.code for each in group.causes]


def test_a_group_is_blocked_until_it_is_synced_on_order(unsynced: OutcomeLab) -> None:
    unsynced.commit(COMMITTED)
    before = unsynced.round()
    unsynced.commit_on_target(COMMITTED - DELETED - 7)
    behind = unsynced.round()
    receipts = unsynced.ask("sync_groups", groups=(unsynced.group,))
    after = unsynced.round()

    assert (before.readiness, before.synced, codes(before)) == ("blocked", "off", ["not_set_on_target"])
    assert "auto.offset.reset" in before.causes[0].text
    assert (behind.readiness, codes(behind)) == ("approximate", ["not_set_on_target"])
    assert "7 offsets before the group's place" in behind.causes[0].text
    assert isinstance(receipts, SyncReceipts)
    assert [(each.state, each.after, each.skips) for each in receipts.items] == [("written", COMMITTED - DELETED, 0)]
    assert (after.readiness, codes(after)) == ("ready", [])


def test_records_that_come_again_have_the_average_size_of_the_remote_log(unsynced: OutcomeLab) -> None:
    unsynced.fill(20)
    unsynced.commit(DELETED + RECORDS + 10)  # 10 more than are copied

    group = unsynced.round(after_ms=ASK_EVERY_MS)

    remote = TopicPartition(unsynced.remote, 0)
    with closing(WireLogSizes(unsynced.slots.target)) as sizes:
        average = sizes.bytes_of([remote])[remote] / RECORDS
    assert (group.rereads, group.readiness) == (10, "blocked")
    assert average > 1
    assert group.reread_bytes == round(10 * average)
    assert group.reread_ms is None  # it has never been seen reading
