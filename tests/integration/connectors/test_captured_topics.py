"""Two real clusters with the topics of a captured MirrorMaker 2: we make what it made."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from replication.connectors.plan.source_connector import SourceConnector
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.ports.admin import ClusterAdmin, NewTopic
from tests.integration.connectors.conftest import Planning

pytestmark = pytest.mark.kafka

CLUSTERS: dict[str, dict[str, dict[str, Any]]] = json.loads(
    (Path(__file__).parents[2] / "fixtures/mm2/topics.json").read_text()
)["clusters"]
DENIED = {"notmirrored", "odd-skip"}  # what the captured flow denied


def chosen(admin: ClusterAdmin, topic: str) -> dict[str, str | None]:
    configs = admin.topic_configs([topic])[topic]
    return {name: config.value for name, config in configs.items() if config.source == "topic"}


def test_both_flows_make_the_topics_mirrormaker_made_as_it_made_them(planning: Planning) -> None:
    admins = {"east": planning.source, "west": planning.target}
    lab = {
        alias: {name: topic for name, topic in topics.items() if topic["created_by"] == "lab"}
        for alias, topics in CLUSTERS.items()
    }
    for alias, topics in lab.items():
        for name, topic in topics.items():
            new = NewTopic(
                name=name, partitions=topic["partitions"], replication_factor=1, configs=topic["topic_level_configs"]
            )
            assert admins[alias].create_topics([new]) == ()

    for source, target in (("east", "west"), ("west", "east")) * 2:  # heartbeats topics are copied in the second round
        flow = DesiredFlow(
            source=source,
            topics=NamePatterns(allow=tuple(map(re.escape, lab[source])), deny=tuple(DENIED)),
            connectors=ConnectorSettings(source={"replication.factor": "1"}),
        )
        SourceConnector(flow, target, admins[source], admins[target]).run_once(None, 0)

    for alias, topics in CLUSTERS.items():
        made = {name for name, topic in topics.items() if topic["created_by"] == "MM2"}
        found = admins[alias].list_topics()
        for name in made:
            assert found[name] == topics[name]["partitions"], name
            wanted, got = topics[name]["topic_level_configs"], chosen(admins[alias], name)
            # positions are compacted more often here, so that slots start quickly
            assert wanted.items() <= got.items() if name.startswith("mm2-offsets.") else wanted == got, name
        assert not [name for name in found if name.removeprefix("east.") in DENIED and name.startswith("east.")]
