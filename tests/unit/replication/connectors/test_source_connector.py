"""What a real cluster does not do on request: re-created topics, refusals, other programs, dead clusters."""

import pytest

from replication.connectors.source_connector import SourceConnector
from replication.domain.desired import ConnectorSettings, DesiredFlow, NamePatterns, PolicyChoice
from replication.domain.errors import (
    ClusterUnreachableError,
    ConfigurationError,
    InvalidPatternError,
    InvalidPolicyError,
    OriginalDriverActiveError,
)
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster

ALL = NamePatterns(allow=(".*",))


@pytest.fixture
def east() -> MemoryCluster:
    return MemoryCluster("east", brokers=3)


@pytest.fixture
def west() -> MemoryCluster:
    return MemoryCluster("west", brokers=3)


def connect(east: MemoryCluster, west: MemoryCluster, flow: DesiredFlow | None = None) -> SourceConnector:
    return SourceConnector(flow or DesiredFlow(source="east", topics=ALL), "west", MemoryAdmin(east), MemoryAdmin(west))


def test_a_topic_made_anew_gets_its_new_id_into_the_plan(east: MemoryCluster, west: MemoryCluster) -> None:
    old = east.create("orders").topic_id
    connector = connect(east, west)
    first = connector.run_once(None, 0)
    new = east.create("orders").topic_id

    second = connector.run_once(first, 1)

    assert (first.topics[0].topic_id, second.topics[0].topic_id) == (old, new)
    assert (second.generation, second.version) == (1, 2)
    assert second.slots == first.slots


def test_a_refused_remote_topic_is_skipped_with_the_reason_and_the_others_go_on(
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
    west.group_members["east-mm2"] = 1

    with pytest.raises(OriginalDriverActiveError, match="east-mm2"):
        connector.run_once(None, 1)
    assert [warning.code for warning in connector.run_once(plan, 2).warnings] == ["original_driver_active"]


def test_the_check_for_a_running_mirrormaker_can_be_switched_off(east: MemoryCluster, west: MemoryCluster) -> None:
    west.group_members["east-mm2"] = 1
    settings = ConnectorSettings(source={"srm.original.driver.check.enabled": "false"})

    plan = connect(east, west, DesiredFlow(source="east", topics=ALL, connectors=settings)).run_once(None, 0)

    assert plan.warnings == ()


@pytest.mark.parametrize("dead", ["east", "west"])
def test_a_dead_cluster_is_named_and_the_plan_goes_on_when_it_is_back(
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
def test_a_flow_nobody_could_run_is_refused_at_once(
    east: MemoryCluster, west: MemoryCluster, flow: DesiredFlow, error: type[Exception]
) -> None:
    with pytest.raises(error):
        connect(east, west, flow)
