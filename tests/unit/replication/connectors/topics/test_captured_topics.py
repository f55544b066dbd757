"""Planning the two flows of a real MirrorMaker 2 makes the topics it made, as it made them."""

import json
from pathlib import Path
from typing import Any

import pytest

from replication.connectors.plan.source_connector import SourceConnector
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster

CLUSTERS: dict[str, dict[str, dict[str, Any]]] = json.loads(
    (Path(__file__).parents[4] / "fixtures/mm2/topics.json").read_text()
)["clusters"]
TOPICS = {"east": ".*", "west": "inventory"}
DENIED = {"notmirrored", "odd-skip"}  # what the captured flow denied
OWN = ("srm-",)


def made_by_mirrormaker(cluster: str) -> dict[str, dict[str, Any]]:
    return {name: topic for name, topic in CLUSTERS[cluster].items() if topic["created_by"] == "MM2"}


def plan(source: str, target: str, clusters: dict[str, MemoryCluster]) -> None:
    flow = DesiredFlow(
        source=source,
        topics=NamePatterns(allow=(TOPICS[source],), deny=tuple(DENIED)),
        connectors=ConnectorSettings(source={"replication.factor": "1"}),
    )
    SourceConnector(flow, target, MemoryAdmin(clusters[source]), MemoryAdmin(clusters[target])).run_once(None, 0)


@pytest.fixture
def clusters() -> dict[str, MemoryCluster]:
    made = {alias: MemoryCluster(alias) for alias in CLUSTERS}
    for alias, topics in CLUSTERS.items():
        for name, topic in topics.items():
            if topic["created_by"] == "lab":
                made[alias].create(name, partitions=topic["partitions"], configs=topic["topic_level_configs"])
    for source, target in (("east", "west"), ("west", "east"), ("east", "west"), ("west", "east")):
        plan(source, target, made)  # twice: the first round makes the heartbeats topics that the second one copies
    return made


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_the_same_topics_with_the_same_partitions_and_configs(cluster: str, clusters: dict[str, MemoryCluster]) -> None:
    lab = {name for name, topic in CLUSTERS[cluster].items() if topic["created_by"] == "lab"}
    ours = {name: topic for name, topic in clusters[cluster].topics.items() if name not in lab}
    expected = made_by_mirrormaker(cluster)

    assert {name for name in ours if not name.startswith(OWN)} == set(expected)
    for name, topic in expected.items():
        assert len(ours[name].partitions) == topic["partitions"], name
        wanted = topic["topic_level_configs"]
        if not name.startswith("mm2-offsets."):  # ours is compacted more often, so that slots start quickly
            assert ours[name].configs == wanted, name
        assert wanted.items() <= ours[name].configs.items(), name
