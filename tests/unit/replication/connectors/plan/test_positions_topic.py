"""A positions topic from which the broker deletes records is refused: positions would be lost."""

import pytest

from replication.connectors.preflight import preflight
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.errors import PreflightError
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from tests.support.engine.planning import ALL, connect

POSITIONS = "mm2-offsets.east.internal"
COMMAND = (
    "kafka-configs --bootstrap-server west:9092 --alter --entity-type topics --entity-name mm2-offsets.east.internal "
    "--add-config cleanup.policy=compact"
)


@pytest.fixture
def orders(east: MemoryCluster) -> None:
    east.create("orders")


@pytest.mark.usefixtures("orders")
@pytest.mark.parametrize("policy", ["delete", "compact,delete"])
def test_a_positions_topic_that_loses_records_is_refused_with_the_command_that_mends_it(
    east: MemoryCluster, west: MemoryCluster, policy: str
) -> None:
    west.create(POSITIONS, partitions=25, configs={"cleanup.policy": policy})
    connector = connect(east, west)

    with pytest.raises(PreflightError, match=r"cleanup\.policy") as refused:
        connector.run_once(None, 0)

    command = COMMAND.replace("west:9092", MemoryAdmin(west).servers)
    assert refused.value.text.endswith(command)
    assert "east.orders" not in west.topics
    west.topics[POSITIONS].configs["cleanup.policy"] = "compact"
    assert [topic.upstream for topic in connector.run_once(None, 1).topics] == ["orders"]


@pytest.mark.usefixtures("orders")
def test_a_flow_that_runs_is_refused_too_when_somebody_changes_its_positions_topic(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    connector = connect(east, west)
    plan = connector.run_once(None, 0)
    west.topics[POSITIONS].configs["cleanup.policy"] = "delete"

    with pytest.raises(PreflightError, match=r"cleanup\.policy"):
        connector.run_once(plan, 1)


@pytest.mark.usefixtures("orders")
def test_the_preflight_names_it_before_the_flow_exists(east: MemoryCluster, west: MemoryCluster) -> None:
    west.create(POSITIONS, partitions=25)

    found = preflight(DesiredFlow(source="east", topics=ALL), "west", MemoryAdmin(east), MemoryAdmin(west))

    assert ("error", "positions_not_compacted") in [(finding.severity, finding.code) for finding in found]
