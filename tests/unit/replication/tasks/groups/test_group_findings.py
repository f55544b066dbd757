"""Findings about the applications of groups, with clusters in memory."""

import pytest

from replication.domain.groups.consumer_group import GroupDescription
from replication.domain.plan.acl import AclEntry, GroupAcl, TopicAcl
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.tasks.groups.group_findings import LOOK_EVERY_MS, GroupFindings

READ = AclEntry(principal="User:ann", host="*", operation="read", permission="allow")
WRITE = AclEntry(principal="User:bob", host="*", operation="read", permission="allow")
MEMBERS = GroupDescription(
    name="g", type="consumer", state="active", members=1, topics=frozenset(), patterns=("orders",)
)
REMOTE = {"orders": "a.orders"}


class Stage:
    def __init__(self) -> None:
        self.source, self.target = MemoryCluster("a"), MemoryCluster("b")
        for cluster in (self.source, self.target):
            cluster.acls = set()
        self.source.create("orders", partitions=1)
        self.findings = GroupFindings(MemoryAdmin(self.source), MemoryAdmin(self.target))

    def codes(self, described: GroupDescription | None = None, *, at_ms: int = 0) -> list[str]:
        self.findings.refresh(at_ms)
        return [each.code for each in self.findings.of("g", described, ["orders", "other"], REMOTE)]


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_a_group_without_obstacles_has_no_findings(stage: Stage) -> None:
    assert stage.codes() == []


def test_subscriptions_streams_and_rights_are_found(stage: Stage) -> None:
    stage.source.create("g-store-changelog", partitions=1)
    assert stage.source.acls is not None
    assert stage.target.acls is not None
    stage.source.acls.add(TopicAcl(topic="orders", entry=READ))
    stage.source.group_acls.add(GroupAcl(group="g", entry=READ))
    stage.target.acls.add(TopicAcl(topic="something", entry=WRITE))

    assert stage.codes(MEMBERS) == ["streams_internal_topics", "missing_rights", "subscription_misses_remote"]


def test_clusters_are_looked_at_from_time_to_time_only(stage: Stage) -> None:
    stage.codes()
    stage.source.create("g-store-changelog", partitions=1)

    assert stage.codes(at_ms=LOOK_EVERY_MS - 1) == []
    assert stage.codes(at_ms=LOOK_EVERY_MS) == ["streams_internal_topics"]


def test_a_cluster_that_does_not_answer_or_show_its_acls_hides_no_other_finding(stage: Stage) -> None:
    stage.source.create("g-store-changelog", partitions=1)
    stage.codes()
    stage.source.is_up = False
    stage.target.cluster_operations = frozenset()

    assert stage.codes(MEMBERS, at_ms=LOOK_EVERY_MS) == ["streams_internal_topics", "subscription_misses_remote"]
