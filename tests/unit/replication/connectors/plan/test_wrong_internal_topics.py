"""An internal topic that cannot keep its records blocks or degrades the flow, with the command that mends it."""

import pytest

from replication.connectors.preflight import preflight
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.errors import PreflightError
from replication.domain.names.internal_topic import InternalTopic
from replication.domain.names.internal_topics import (
    CONTROL,
    DEAD_LETTERS,
    GAPS,
    INTERNAL_TOPICS,
    OFFSET_RUNS,
    OFFSET_SYNCS,
    POSITIONS,
    RAW_METRICS,
)
from replication.domain.plan.internal_topic_findings import CLEANUP_POLICY, MIN_ISR, PARTITIONS
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from tests.support.engine.planning import ALL, codes, connect, flow

BLOCKING = (POSITIONS, OFFSET_RUNS, GAPS)
DEGRADING = [topic for topic in INTERNAL_TOPICS if topic not in (*BLOCKING, OFFSET_SYNCS, DEAD_LETTERS)]


def command(cluster: MemoryCluster, topic: str, config: str) -> str:
    servers = MemoryAdmin(cluster).servers
    return (
        f"kafka-configs --bootstrap-server {servers} --alter --entity-type topics --entity-name {topic} "
        f"--add-config {config}"
    )


def wrong(topic: InternalTopic) -> str:
    return "compact" if topic.cleanup_policy == "delete" else "delete"


@pytest.fixture(autouse=True)
def orders(east: MemoryCluster) -> None:
    east.create("orders")


@pytest.mark.parametrize("policy", ["delete", "compact,delete"])
@pytest.mark.parametrize("topic", BLOCKING, ids=lambda topic: topic.template)
def test_a_topic_that_loses_what_cannot_be_made_again_blocks_the_flow(
    east: MemoryCluster, west: MemoryCluster, topic: InternalTopic, policy: str
) -> None:
    name = topic.name("east")
    west.create(name, partitions=topic.partitions, configs={"cleanup.policy": policy})
    connector = connect(east, west)

    with pytest.raises(PreflightError, match=r"cleanup\.policy") as refused:
        connector.run_once(None, 0)

    assert refused.value.text.endswith(command(west, name, "cleanup.policy=compact"))
    assert f"{name} has cleanup.policy={policy} instead of compact" in refused.value.text
    assert "east.orders" not in west.topics
    west.topics[name].configs["cleanup.policy"] = "compact"
    assert [planned.upstream for planned in connector.run_once(None, 1).topics] == ["orders"]


@pytest.mark.parametrize("topic", BLOCKING, ids=lambda topic: topic.template)
def test_a_running_flow_is_blocked_when_its_topic_changes(
    east: MemoryCluster, west: MemoryCluster, topic: InternalTopic
) -> None:
    connector = connect(east, west)
    plan = connector.run_once(None, 0)
    west.topics[topic.name("east")].configs["cleanup.policy"] = "delete"

    with pytest.raises(PreflightError, match=r"cleanup\.policy"):
        connector.run_once(plan, 1)


@pytest.mark.parametrize("topic", DEGRADING, ids=lambda topic: topic.template)
def test_every_other_topic_degrades_the_flow_until_it_is_mended(
    east: MemoryCluster, west: MemoryCluster, topic: InternalTopic
) -> None:
    name = topic.name("east")
    west.create(name, partitions=topic.partitions, configs={"cleanup.policy": wrong(topic)})
    connector = connect(east, west)

    plan = connector.run_once(None, 0)

    [warning] = [each for each in plan.warnings if each.code == CLEANUP_POLICY]
    assert warning.text.endswith(command(west, name, f"cleanup.policy={topic.cleanup_policy}"))
    west.topics[name].configs["cleanup.policy"] = topic.cleanup_policy
    assert CLEANUP_POLICY not in codes(connector.run_once(plan, 1))


def test_a_topic_of_dead_letters_must_not_be_compacted(east: MemoryCluster, west: MemoryCluster) -> None:
    west.create("letters", configs={"cleanup.policy": "compact"})
    keeps = flow(errors_deadletterqueue_topic_name="letters")

    assert CLEANUP_POLICY in codes(connect(east, west, keeps).run_once(None, 0))


@pytest.mark.parametrize("location", ["source", "target"])
def test_offset_syncs_are_checked_in_the_cluster_that_holds_them(
    east: MemoryCluster, west: MemoryCluster, location: str
) -> None:
    holder, name = (
        (west, "mm2-offset-syncs.east.internal")
        if location == "target"
        else (
            east,
            "mm2-offset-syncs.west.internal",
        )
    )
    holder.create(name, configs={"cleanup.policy": "delete"})

    plan = connect(east, west, flow(offset__syncs_topic_location=location)).run_once(None, 0)

    [warning] = [each for each in plan.warnings if each.code == CLEANUP_POLICY]
    assert warning.text.startswith(f"Cluster {holder.alias}: {name} has cleanup.policy=delete")


def test_configs_of_mirrormaker_in_several_partitions_are_named(east: MemoryCluster, west: MemoryCluster) -> None:
    west.create("mm2-configs.east.internal", partitions=7, configs={"cleanup.policy": "compact"})

    plan = connect(east, west).run_once(None, 0)

    [warning] = [each for each in plan.warnings if each.code == PARTITIONS]
    assert "has 7 partitions instead of 1" in warning.text
    assert "kafka-topics" in warning.text


@pytest.mark.parametrize("topic", [POSITIONS, OFFSET_RUNS, GAPS], ids=lambda topic: topic.template)
def test_fewer_replicas_than_writes_need_block_the_flow(
    east: MemoryCluster, west: MemoryCluster, topic: InternalTopic
) -> None:
    name = topic.name("east")
    west.create(
        name,
        partitions=topic.partitions,
        replication_factor=1,
        configs={"cleanup.policy": "compact", "min.insync.replicas": "2"},
    )

    with pytest.raises(PreflightError, match=r"replication factor 1 and min\.insync\.replicas=2"):
        connect(east, west).run_once(None, 0)


@pytest.mark.parametrize("topic", [RAW_METRICS, CONTROL], ids=lambda topic: topic.template)
def test_fewer_replicas_than_writes_need_degrade_the_flow_elsewhere(
    east: MemoryCluster, west: MemoryCluster, topic: InternalTopic
) -> None:
    configs = {"cleanup.policy": topic.cleanup_policy, "min.insync.replicas": "2"}
    west.create(topic.name("east"), partitions=topic.partitions, replication_factor=1, configs=configs)

    assert MIN_ISR in codes(connect(east, west).run_once(None, 0))


def test_topics_that_the_flow_has_just_created_are_checked_too(east: MemoryCluster, west: MemoryCluster) -> None:
    west.brokers = 1
    connector = connect(east, west)

    plan = connector.run_once(None, 0)

    assert not {CLEANUP_POLICY, PARTITIONS, MIN_ISR} & set(codes(plan))


@pytest.mark.parametrize(
    ("topic", "severity"), [(POSITIONS, "error"), (RAW_METRICS, "warning")], ids=lambda each: str(each)[:20]
)
def test_the_preflight_names_it_before_the_flow_exists(
    east: MemoryCluster, west: MemoryCluster, topic: InternalTopic, severity: str
) -> None:
    west.create(topic.name("east"), configs={"cleanup.policy": wrong(topic)})

    found = preflight(DesiredFlow(source="east", topics=ALL), "west", MemoryAdmin(east), MemoryAdmin(west))

    assert (severity, CLEANUP_POLICY) in [(finding.severity, finding.code) for finding in found]
