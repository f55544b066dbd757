"""Cases that a real cluster cannot produce on request: re-created topics, rejections, other programs, outages."""

from dataclasses import replace

import pytest

from replication.codecs.producer_registry import encode_producer
from replication.connectors.plan.source_connector import SourceConnector
from replication.connectors.registered_slots import UsedGenerations
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns, PolicyChoice
from replication.domain.errors import (
    AuthorizationError,
    ClusterUnreachableError,
    ConfigurationError,
    InvalidPatternError,
    InvalidPolicyError,
    OriginalDriverActiveError,
    PreflightError,
)
from replication.domain.identifiers import FlowId
from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.domain.produce.producer_registry import RegisteredProducer
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryProducer, MemoryRecordLog
from tests.support.engine.planning import ALL, codes, connect, flow


def test_a_topic_re_created_gets_its_new_id_into_the_plan(east: MemoryCluster, west: MemoryCluster) -> None:
    old = east.create("orders").topic_id
    connector = connect(east, west)
    first = connector.run_once(None, 0)
    new = east.create("orders").topic_id

    second = connector.run_once(first, 1)

    assert (first.topics[0].topic_id, second.topics[0].topic_id) == (old, new)
    assert (second.generation, second.version) == (1, 2)
    assert second.slots == first.slots


def test_a_refused_remote_topic_is_skipped_with_the_reason_and_the_others_continue(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    east.create("good")
    east.create("bad", configs={"only.known.here": "1"})

    plan = connect(east, west).run_once(None, 0)

    assert [topic.upstream for topic in plan.topics] == ["good"]
    assert [skipped.topic for skipped in plan.skipped] == ["bad"]
    assert "INVALID_CONFIG" in plan.skipped[0].reason


def test_excluded_configs_are_not_copied(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("t", configs={"retention.ms": "5", "min.insync.replicas": "2"})

    connect(east, west).run_once(None, 0)

    assert west.topics["east.t"].configs == {"retention.ms": "5"}
    assert west.topics["east.t"].replication_factor == 2


def test_a_remote_topic_that_stays_narrow_is_copied_as_far_as_it_goes(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("t", partitions=3)
    west.create("east.t", partitions=1)
    admin = MemoryAdmin(west)
    admin.create_partitions = lambda counts: ()  # type: ignore[method-assign]  # a cluster that does not grow topics

    plan = SourceConnector(DesiredFlow(source="east", topics=ALL), "west", MemoryAdmin(east), admin).run_once(None, 0)

    assert plan.topics[0].partitions == 1
    assert [warning.code for warning in plan.warnings] == ["remote_topic_narrow"]


def test_a_running_mirrormaker_blocks_the_start_and_is_a_warning_later(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    connector = connect(east, west)
    plan = connector.run_once(None, 0)
    west.group("east-mm2").members = 1

    with pytest.raises(OriginalDriverActiveError, match="east-mm2"):
        connector.run_once(None, 1)
    assert [warning.code for warning in connector.run_once(plan, 2).warnings] == ["original_driver_active"]


def test_the_check_for_a_running_mirrormaker_can_be_switched_off(east: MemoryCluster, west: MemoryCluster) -> None:
    west.group("east-mm2").members = 1
    settings = ConnectorSettings(source={"srm.original.driver.check.enabled": "false"})

    plan = connect(east, west, DesiredFlow(source="east", topics=ALL, connectors=settings)).run_once(None, 0)

    assert plan.warnings == ()


def test_the_group_of_the_original_driver_can_be_named(east: MemoryCluster, west: MemoryCluster) -> None:
    west.group("my-mm2").members = 2

    with pytest.raises(OriginalDriverActiveError, match="my-mm2"):
        connect(east, west, flow(group_id="my-mm2")).run_once(None, 0)


def test_a_compacted_remote_topic_holds_its_topic_back_and_no_other(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("logs")
    east.create("good")
    west.create("east.logs", configs={"cleanup.policy": "compact"})
    connector = connect(east, west)

    plan = connector.run_once(None, 0)

    assert [topic.upstream for topic in plan.topics] == ["good"]
    assert [skipped.topic for skipped in plan.skipped] == ["logs"]
    assert "set cleanup.policy=delete on east.logs" in plan.skipped[0].reason
    west.topics["east.logs"].configs["cleanup.policy"] = "delete"
    assert [topic.upstream for topic in connector.run_once(plan, 10_000).topics] == ["good", "logs"]


def test_a_topic_that_is_copied_already_is_never_held_back(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("logs")
    plan = connect(east, west).run_once(None, 0)
    west.topics["east.logs"].configs["cleanup.policy"] = "compact"

    later = connect(east, west).run_once(plan, 10_000)

    assert [topic.upstream for topic in later.topics] == ["logs"]
    assert "remote_topic_compacted" in codes(later)


def test_a_topic_we_may_not_read_is_held_back_with_the_command_that_helps(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    east.create("secret")
    east.create("open")
    east.topic_operations["secret"] = frozenset({"describe", "describe_configs"})

    plan = connect(east, west).run_once(None, 0)

    assert [topic.upstream for topic in plan.topics] == ["open"]
    assert "kafka-acls" in plan.skipped[0].reason
    assert "--operation Read --topic secret" in plan.skipped[0].reason


def test_names_kept_both_ways_without_protection_block_the_start(east: MemoryCluster, west: MemoryCluster) -> None:
    identity = PolicyChoice(kind="identity")
    east.create("mm2-offsets.west.internal", partitions=25)

    with pytest.raises(PreflightError, match=r"srm\.loop\.protection=auto"):
        connect(east, west, flow(identity, srm_loop_protection="off")).run_once(None, 0)
    assert connect(east, west, flow(identity)).run_once(None, 0).generation == 1


def test_a_cluster_is_not_copied_into_itself_under_the_same_names(east: MemoryCluster) -> None:
    with pytest.raises(PreflightError, match="same cluster"):
        connect(east, east, flow(PolicyChoice(kind="identity"))).run_once(None, 0)


def test_records_that_were_there_before_are_told(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("t")
    west.create("east.t")
    producer = MemoryProducer(west)
    producer.send("east.t", key=None, value=b"old", partition=0)
    producer.flush()

    plan = connect(east, west).run_once(None, 0)

    assert codes(plan) == ["remote_topic_not_empty"]
    assert "holds 1 records" in plan.warnings[0].text


def test_a_topic_deleted_upstream_keeps_its_copy_and_is_told(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("t")
    connector = connect(east, west)
    first = connector.run_once(None, 0)
    east.delete("t")

    second = connector.run_once(first, 1)
    third = connector.run_once(second, 2)

    assert (second.topics, third is second) == ((), True)
    assert codes(second) == ["upstream_topic_deleted"]
    assert "east.t" in west.topics


def test_a_remote_topic_deleted_on_the_target_comes_back(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("t", partitions=2)
    connector = connect(east, west)
    first = connector.run_once(None, 0)
    west.delete("east.t")

    assert connector.run_once(first, 1) is first
    assert len(west.topics["east.t"].partitions) == 2


def test_without_refresh_topics_stay_those_of_the_start(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("early")
    connector = connect(east, west, flow(refresh_topics_enabled="false"))
    first = connector.run_once(None, 0)
    east.create("late")

    assert [topic.upstream for topic in connector.run_once(first, 1).topics] == ["early"]


def test_a_target_without_the_right_to_create_uses_what_was_made_for_it(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    east.create("made")
    east.create("unmade")
    connect(east, west, DesiredFlow(source="east")).run_once(None, 0)  # somebody makes the flow's own topics
    west.create("east.made")
    west.cluster_operations = frozenset({"describe"})

    plan = connect(east, west).run_once(None, 0)

    assert [topic.upstream for topic in plan.topics] == ["made"]
    assert [skipped.topic for skipped in plan.skipped] == ["unmade"]
    assert "create the topic, or grant the rights: kafka-acls" in plan.skipped[0].reason


def test_missing_internal_topics_without_the_right_to_create_them_name_the_command(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    west.cluster_operations = frozenset({"describe"})

    with pytest.raises(AuthorizationError, match=r"--operation Create .*--topic mm2-offsets\.east"):
        connect(east, west).run_once(None, 0)


def test_heartbeats_in_a_cycle_name_the_foreign_aliases(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("westlab.east.heartbeats")

    plan = connect(east, west).run_once(None, 0)

    assert plan.topics == ()
    assert codes(plan) == ["foreign_aliases"]
    assert "westlab" in plan.warnings[0].text


def test_offset_syncs_can_be_skipped(east: MemoryCluster, west: MemoryCluster) -> None:
    connect(east, west, flow(emit_offset__syncs_enabled="false")).run_once(None, 0)

    assert not any(name.startswith("mm2-offset-syncs") for name in (*east.topics, *west.topics))


def test_internal_names_follow_the_separator_unless_told_otherwise(east: MemoryCluster, west: MemoryCluster) -> None:
    policy = PolicyChoice(separator="__")
    connect(east, west, flow(policy)).run_once(None, 0)
    assert "mm2-offset-syncs__west__internal" in east.topics

    connect(east, west, flow(policy, replication_policy_internal_topic_separator_enabled="false")).run_once(None, 0)
    assert "mm2-offset-syncs.west.internal" in east.topics


def test_many_warnings_of_one_kind_are_counted(east: MemoryCluster, west: MemoryCluster) -> None:
    for number in range(30):
        east.create(f"t{number:02}")
        west.create(f"east.t{number:02}", partitions=2)

    plan = connect(east, west).run_once(None, 0)

    assert codes(plan) == ["remote_topic_wider"] * 21
    assert plan.warnings[-1].text == "10 more topics are alike."


@pytest.mark.parametrize("dead", ["east", "west"])
def test_a_dead_cluster_is_named_and_the_plan_continues_when_it_is_back(
    east: MemoryCluster, west: MemoryCluster, dead: str
) -> None:
    east.create("t")
    connector = connect(east, west)
    plan = connector.run_once(None, 0)
    cluster = east if dead == "east" else west
    cluster.is_up = False

    with pytest.raises(ClusterUnreachableError) as caught:
        connector.run_once(plan, 1)

    assert caught.value.cluster == dead
    cluster.is_up = True
    assert connector.run_once(plan, 2) is plan


@pytest.mark.parametrize(
    ("flow", "error"),
    [
        (DesiredFlow(source="east", topics=NamePatterns(allow=("(",))), InvalidPatternError),
        (DesiredFlow(source="east", policy=PolicyChoice(kind="template", template="x")), InvalidPolicyError),
        (
            DesiredFlow(source="east", connectors=ConnectorSettings(source={"replication.factor": "many"})),
            ConfigurationError,
        ),
        (
            DesiredFlow(source="east", connectors=ConnectorSettings(source={"refresh.topics.interval.seconds": "0"})),
            ConfigurationError,
        ),
    ],
)
def test_a_flow_that_cannot_run_is_rejected_at_once(
    east: MemoryCluster, west: MemoryCluster, flow: DesiredFlow, error: type[Exception]
) -> None:
    with pytest.raises(error):
        connect(east, west, flow)


def test_every_flow_has_a_registry_of_producers(east: MemoryCluster, west: MemoryCluster) -> None:
    connect(east, west).run_once(None, 0)

    assert "srm-producers.internal" in MemoryAdmin(west).list_topics()


def used(west: MemoryCluster, generation: int) -> UsedGenerations:
    """The registry as slots of this generation leave it."""
    flow_id = FlowId("east", "west")
    west.create(PRODUCERS_TOPIC, configs={"cleanup.policy": "compact"})
    for number, source in enumerate(("east", "other")):
        newest = generation if source == "east" else generation + 10
        entry = RegisteredProducer(
            producer_id=number, source=source, target="west", slot=0, since_ms=1, generation=newest
        )
        key, value = encode_producer(entry)
        producer = MemoryProducer(west)
        producer.send(PRODUCERS_TOPIC, key=key, value=value, partition=0)
        producer.flush()
    return UsedGenerations(flow_id, open_log=lambda: MemoryRecordLog(west))


def test_a_plan_that_was_lost_gets_a_newer_generation_than_its_slots_had(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    east.create("orders", partitions=2)
    admins = MemoryAdmin(east), MemoryAdmin(west)
    connector = SourceConnector(flow(), "west", *admins, used=used(west, 7))

    lost = connector.run_once(None, 0)
    restored = connector.run_once(replace(lost, generation=3), 1)

    assert (lost.generation, lost.version) == (8, 1)
    assert (restored.generation, restored.version) == (8, 1)
    assert connector.run_once(lost, 2) == lost


def test_a_restarted_planner_keeps_the_generation_that_runs(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("orders", partitions=2)
    first = connect(east, west).run_once(None, 0)
    again = SourceConnector(flow(), "west", MemoryAdmin(east), MemoryAdmin(west), used=used(west, first.generation))

    assert again.run_once(first, 1) == first
