"""Configs and ACLs of remote topics: what is carried over, when, and what is left alone."""

from collections.abc import Collection, Mapping

from replication.connectors.plan.source_connector import SourceConnector
from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.domain.plan.acl import AclEntry, TopicAcl
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.topic_config import ConfigValue
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryProducer, MemoryRecordLog
from tests.support.engine.planning import codes, connect, flow


def test_configs_follow_the_source_and_leave_what_others_set(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("t", configs={"retention.ms": "5"})
    connector = connect(east, west, flow(sync_topic_configs_interval_seconds="5"))
    first = connector.run_once(None, 0)
    west.topics["east.t"].configs["min.insync.replicas"] = "2"
    east.topics["t"].configs = {"max.message.bytes": "2000"}

    second = connector.run_once(first, 10_000)

    assert west.topics["east.t"].configs == {"max.message.bytes": "2000", "min.insync.replicas": "2"}
    assert second.topics[0].max_message_bytes == 2000
    assert second.version == 2


def test_configs_are_not_looked_at_before_it_is_time(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("t")
    connector = connect(east, west)
    first = connector.run_once(None, 0)
    east.topics["t"].configs["retention.ms"] = "5"

    assert connector.run_once(first, 599_000) is first
    assert west.topics["east.t"].configs == {}
    connector.run_once(first, 600_000)
    assert west.topics["east.t"].configs == {"retention.ms": "5"}


def test_configs_stay_alone_when_the_sync_is_off(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("t")
    connector = connect(east, west, flow(sync_topic_configs_enabled="false"))
    first = connector.run_once(None, 0)
    east.topics["t"].configs["retention.ms"] = "5"

    connector.run_once(first, 700_000)

    assert west.topics["east.t"].configs == {}


def test_one_config_the_target_refuses_does_not_stop_the_others(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("t")
    connector = connect(east, west)
    first = connector.run_once(None, 0)
    east.topics["t"].configs = {"retention.ms": "5", "only.known.here": "1"}

    second = connector.run_once(first, 700_000)

    assert west.topics["east.t"].configs == {"retention.ms": "5"}
    assert codes(second) == ["configs_refused"]
    assert "only.known.here=1" in second.warnings[0].text


def test_what_was_set_is_remembered_over_a_restart_of_the_driver(east: MemoryCluster, west: MemoryCluster) -> None:
    def ledger() -> AppliedLedger:
        return AppliedLedger(
            "srm-applied.east.internal",
            open_log=lambda: MemoryRecordLog(west),
            open_producer=lambda: MemoryProducer(west),
        )

    def run(previous: PlanDocument | None) -> PlanDocument:
        admins = MemoryAdmin(east), MemoryAdmin(west)
        return SourceConnector(flow(), "west", *admins, ledger=ledger()).run_once(previous, 0)

    east.create("t", configs={"retention.ms": "5"})
    plan = run(None)
    west.topics["east.t"].configs["cleanup.policy"] = "compact"
    east.topics["t"].configs = {}

    run(plan)

    assert west.topics["east.t"].configs == {"cleanup.policy": "compact"}


def entry(principal: str, operation: str = "read") -> AclEntry:
    return AclEntry(principal=principal, host="*", operation=operation, permission="allow")


def test_acls_are_carried_over_and_only_ours_are_pruned_when_asked_for(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    east.create("t")
    theirs = TopicAcl(topic="east.t", entry=entry("User:bob"))
    east.acls, west.acls = {TopicAcl(topic="t", entry=entry("User:ann"))}, {theirs}
    connector = connect(east, west, flow(srm_acl_prune="true", sync_topic_acls_interval_seconds="5"))

    plan = connector.run_once(None, 0)
    assert west.acls == {theirs, TopicAcl(topic="east.t", entry=entry("User:ann"))}
    east.acls = set()
    connector.run_once(plan, 10_000)

    assert west.acls == {theirs}


def test_a_target_without_authorizer_is_told_once_and_the_flow_continues(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    east.create("t")
    east.acls = {TopicAcl(topic="t", entry=entry("User:ann"))}
    connector = connect(east, west)

    plan = connector.run_once(None, 0)

    assert codes(plan) == ["acls_not_synced"]
    assert connector.run_once(plan, 700_000) is plan


def test_acls_of_all_topics_are_not_carried_over_and_told(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("t")
    east.acls, west.acls = {TopicAcl(topic="*", entry=entry("User:ann"))}, set()

    plan = connect(east, west).run_once(None, 0)

    assert west.acls == set()
    assert codes(plan) == ["acls_of_all_topics"]


def test_configs_of_many_topics_are_looked_at_round_robin(east: MemoryCluster, west: MemoryCluster) -> None:
    for number in range(1_200):
        east.create(f"t{number}", partitions=1)
    connector = connect(east, west)
    plan = connector.run_once(None, 0)
    asked: list[int] = []
    admin = MemoryAdmin(east)

    def counted(names: Collection[str]) -> Mapping[str, Mapping[str, ConfigValue]]:
        asked.append(len(names))
        return MemoryAdmin.topic_configs(admin, names)

    connector._source.topic_configs = counted  # type: ignore[method-assign]  # what is asked of the source
    for now_ms in range(10_000, 1_200_000, 10_000):
        assert connector.run_once(plan, now_ms) is plan

    assert [count for count in asked if count > 1] == [500, 500, 200]  # each topic once in ten minutes
