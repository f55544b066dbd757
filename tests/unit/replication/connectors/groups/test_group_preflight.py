"""The rights on consumer groups that the preflight finds missing."""

import pytest

from replication.connectors.preflight import preflight
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.plan.preflight import PreflightFinding
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import ALL_TOPIC_OPERATIONS, MemoryCluster
from replication.memory.groups import MemoryGroupAdmin

CHECKPOINTS = "east.checkpoints.internal"
DESCRIBE_ONLY = frozenset({"describe"})


class Pair:
    """Two clusters and the flow between them."""

    def __init__(self) -> None:
        self.east, self.west = MemoryCluster("east"), MemoryCluster("west")
        for cluster, name in ((self.east, "orders"), (self.west, "east.orders")):
            cluster.create(name)

    def findings(self, *groups: str, **settings: str) -> list[PreflightFinding]:
        checkpoint = {key.replace("_", "."): value for key, value in settings.items()}
        flow = DesiredFlow(
            source="east",
            topics=NamePatterns(allow=("orders",)),
            groups=NamePatterns(allow=groups),
            connectors=ConnectorSettings(checkpoint=checkpoint),
        )
        admins = MemoryGroupAdmin(self.east), MemoryGroupAdmin(self.west)
        found = preflight(flow, "west", MemoryAdmin(self.east), MemoryAdmin(self.west), admins)
        return [each for each in found if each.code == "group_rights_missing"]


@pytest.fixture
def pair() -> Pair:
    return Pair()


def test_with_every_right_there_is_nothing_to_say(pair: Pair) -> None:
    pair.east.group("app")

    assert pair.findings(".*", sync_group_offsets_enabled="true") == []


def test_a_group_that_the_source_hides_is_named_with_the_command(pair: Pair) -> None:
    pair.east.group("app").operations = frozenset()
    pair.east.group("other")

    (found,) = pair.findings("app", "other")

    assert (found.severity, found.topic) == ("warning", None)
    assert "cluster east: User:ANONYMOUS lacks DESCRIBE on group app" in found.text
    assert "--operation Describe --group app" in found.remedy


def test_a_source_that_hides_all_groups_is_named_once(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replication.memory.groups.ALL_GROUP_OPERATIONS", frozenset())

    (found,) = pair.findings(".*", sync_group_offsets_enabled="false")

    assert "DESCRIBE on group *" in found.text
    assert "--group '*'" in found.remedy


def test_a_group_that_may_not_be_committed_for_is_named(pair: Pair) -> None:
    pair.east.group("app")
    pair.west.group("app").operations = DESCRIBE_ONLY

    (found,) = pair.findings(".*", sync_group_offsets_enabled="true")

    assert "cluster west: User:ANONYMOUS lacks READ on group app" in found.text
    assert "--operation Read --group app" in found.remedy


def test_rights_of_the_group_offset_sync_are_not_needed_without_it(pair: Pair) -> None:
    pair.east.group("app")
    pair.west.group("app").operations = DESCRIBE_ONLY
    pair.west.topic_operations["east.orders"] = ALL_TOPIC_OPERATIONS - {"read"}

    assert pair.findings(".*", sync_group_offsets_enabled="false") == []


def test_a_remote_topic_that_may_not_be_read_is_a_warning(pair: Pair) -> None:
    pair.east.group("app")
    pair.west.topic_operations["east.orders"] = ALL_TOPIC_OPERATIONS - {"read"}

    (found,) = pair.findings(".*", sync_group_offsets_enabled="true")

    assert (found.severity, found.topic) == ("warning", "orders")
    assert "READ on topic east.orders" in found.text


def test_a_checkpoints_topic_that_may_not_be_written_is_named(pair: Pair) -> None:
    pair.east.group("app")
    pair.west.create(CHECKPOINTS)
    pair.west.topic_operations[CHECKPOINTS] = DESCRIBE_ONLY

    (found,) = pair.findings(".*")

    assert f"READ on topic {CHECKPOINTS}, WRITE on topic {CHECKPOINTS}" in found.text


def test_a_checkpoints_topic_that_may_not_be_created_is_named(pair: Pair) -> None:
    pair.east.group("app")
    pair.west.cluster_operations = frozenset({"describe"})

    (found,) = pair.findings(".*")

    assert f"CREATE on topic {CHECKPOINTS}" in found.text
    assert f"--operation Create --operation Describe --operation Read --operation Write --topic {CHECKPOINTS}" in (
        found.remedy
    )


def test_a_flow_without_checkpoints_needs_no_rights_on_groups(pair: Pair) -> None:
    pair.east.group("app").operations = frozenset()

    assert pair.findings("app", emit_checkpoints_enabled="false") == []
    assert pair.findings() == []
