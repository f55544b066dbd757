"""The replication manager's own files and the operator's connectors."""

from collections.abc import Callable
from pathlib import Path

import pytest

from replication.config import ConfigError, ConfigFinding, FlowDefinition, ReplicationConfig, load
from replication.config.settings.global_keys import GLOBAL_CONNECTOR_KEYS, GLOBAL_WORKER_FAMILIES, works_globally

Read = Callable[[str, str], ReplicationConfig]
TWO = """
clusters = east, west
east.bootstrap.servers = e1:9092
west.bootstrap.servers = w1:9092
east->west.enabled = true
"""
SOURCE = """
kind: KafkaConnector
metadata: {name: my-source}
spec:
  class: org.apache.kafka.connect.mirror.MirrorSourceConnector
  tasksMax: 2
  config:
    topics: orders.*
    source.cluster.alias: us-west
    source.cluster.bootstrap.servers: s:9092
    target.cluster.alias: us-east
    target.cluster.bootstrap.servers: t:9092
    refresh.topics.interval.seconds: 10
    source.cluster.client.rack: r1
    key.converter: org.apache.kafka.connect.converters.ByteArrayConverter
"""
HEARTBEAT = """
kind: KafkaConnector
metadata: {name: my-heartbeat}
spec:
  class: org.apache.kafka.connect.mirror.MirrorHeartbeatConnector
  tasksMax: 2
  config:
    source.cluster.alias: us-west
    target.cluster.alias: us-east
    target.cluster.bootstrap.servers: s:9092
    emit.heartbeats.interval.seconds: 3
"""
CHECKPOINT = """
kind: KafkaConnector
metadata: {name: my-checkpoint}
spec:
  class: org.apache.kafka.connect.mirror.MirrorCheckpointConnector
  config:
    topics: other
    groups: billing
    source.cluster.alias: us-east
    target.cluster.alias: us-west
"""


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def reader(text: str, dialect: str) -> ReplicationConfig:
        path = tmp_path / "config"
        path.write_text(text)
        return load(path, dialect)

    return reader


def flow_of(config: ReplicationConfig) -> FlowDefinition:
    return next(flow for flow in config.flows if flow.enabled)


def messages(findings: tuple[ConfigFinding, ...]) -> dict[str, str]:
    return {finding.key: finding.message for finding in findings}


def test_the_lists_are_those_of_the_documentation() -> None:
    assert (len(GLOBAL_CONNECTOR_KEYS), len(GLOBAL_WORKER_FAMILIES)) == (28, 9)


@pytest.mark.parametrize(
    ("name", "works"),
    [
        ("offset.storage.replication.factor", True),
        ("tasks.max", True),
        ("worker.sync.timeout.ms", True),
        ("errors.tolerance", True),
        ("offset.flush.timeout.ms", False),
        ("scheduled.rebalance.max.delay.ms", False),
        ("use.defaults.from", False),
        ("workersomething", False),
    ],
)
def test_a_key_without_prefix_works_only_when_it_is_listed(name: str, works: bool) -> None:
    assert works_globally(name) is works


def test_srm_replicates_nothing_until_topics_are_allowed(read: Read) -> None:
    flow = flow_of(read(TWO, "srm"))

    assert (flow.topics_allow, flow.groups_allow) == ((), ())


def test_the_levels_of_srm_beat_each_other_in_their_order(read: Read) -> None:
    lines = [
        "offset.storage.partitions = 1",
        "workers.offset.storage.partitions = 2",
        "west.offset.storage.partitions = 3",
        "east->west.worker.offset.storage.partitions = 4",
    ]
    seen = []
    for count in range(1, 5):
        flow = flow_of(read(TWO + "\n".join(lines[:count]), "srm"))
        effective = flow.effective["offset.storage.partitions"]
        seen.append((flow.connectors["source"]["offset.storage.partitions"], effective.level, len(effective.beaten)))

    assert seen == [("1", "global", 0), ("2", "workers", 1), ("3", "cluster", 2), ("4", "flow", 3)]


def test_connectors_reach_all_flows_and_their_clients(read: Read) -> None:
    flow = flow_of(
        read(
            TWO + "connectors.use.defaults.from = source\nconnectors.consumer.fetch.max.bytes = 5\n"
            "east->west.replication.factor = 1\nconnectors.replication.factor = 3",
            "srm",
        )
    )

    assert flow.connectors["source"]["use.defaults.from"] == "source"
    assert flow.connectors["source"]["consumer.fetch.max.bytes"] == "5"
    assert flow.connectors["source"]["replication.factor"] == "1"


@pytest.mark.parametrize(
    ("line", "key", "part"),
    [
        ("use.defaults.from = source", "use.defaults.from", "write connectors.use.defaults.from"),
        ("offset.flush.timeout.ms = 1", "offset.flush.timeout.ms", "write workers.offset.flush.timeout.ms"),
        ("sync.group.offsets = true", "sync.group.offsets", "did you mean sync.group.offsets.enabled"),
        ("workers.offset.lag.max = 1", "workers.offset.lag.max", "write connectors.offset.lag.max"),
        ("connectors.offset.storage.partitions = 1", "connectors.offset.storage.partitions", "write workers."),
        (
            "workers.scheduled.rebalance.max.delay.ms = 1",
            "workers.scheduled.rebalance.max.delay.ms",
            "no Kafka Connect workers",
        ),
        ("connectors.producer.override.buffer.memory = 1", "connectors.producer.override.buffer.memory", "a pool"),
        ("east->west.consumer.max.poll.records = 1", "east->west.consumer.max.poll.records", "copied as they are"),
        ("mm.rest.protocol = https", "mm.rest.protocol", "REST is served by the service"),
    ],
)
def test_srm_tells_where_a_key_would_work(read: Read, line: str, key: str, part: str) -> None:
    config = read(TWO + line, "srm")

    assert part in messages(config.findings)[key]


def test_a_key_without_its_prefix_is_not_applied(read: Read) -> None:
    flow = flow_of(read(TWO + "use.defaults.from = source", "srm"))

    assert "use.defaults.from" not in flow.connectors["source"]


def test_three_connectors_are_one_flow(read: Read) -> None:
    config = read("---".join([SOURCE, HEARTBEAT, CHECKPOINT]), "operator")

    flow = flow_of(config)
    assert (flow.source, flow.target, flow.tasks_max, flow.topics_allow) == ("us-west", "us-east", 2, ("orders.*",))
    assert [(each.alias, each.bootstrap) for each in config.clusters] == [
        ("us-west", ("s:9092",)),
        ("us-east", ("t:9092",)),
    ]
    assert config.clusters[0].client == {"client.rack": "r1"}
    assert flow.connectors["source"]["refresh.topics.interval.seconds"] == "10"
    assert flow.connectors["heartbeat"] == {"emit.heartbeats.interval.seconds": "3"}
    assert flow.connectors["checkpoint"]["sync.group.offsets.enabled"] == "true"
    assert flow.groups_allow == ("billing",)


def test_heartbeats_stay_where_the_operator_writes_them(read: Read) -> None:
    at_source = {(flow.source, flow.heartbeats) for flow in read(SOURCE + "---" + HEARTBEAT, "operator").flows}
    at_target = read(SOURCE + "---" + HEARTBEAT.replace("s:9092", "t:9092"), "operator").flows
    nowhere = read(SOURCE, "operator").flows

    assert at_source == {("us-west", False), ("us-east", True)}
    assert [(flow.source, flow.heartbeats) for flow in at_target] == [("us-west", True)]
    assert [(flow.source, flow.heartbeats) for flow in nowhere] == [("us-west", False)]


def test_connectors_that_disagree_are_findings_with_their_lines(read: Read) -> None:
    config = read("---".join([SOURCE, HEARTBEAT, CHECKPOINT]), "operator")

    told = messages(config.findings)
    assert "taken as us-west->us-east" in told["my-checkpoint: source.cluster.alias"]
    assert "all three must agree" in told["my-checkpoint: topics"]
    assert "one heartbeat task" in told["my-heartbeat: tasksMax"]
    assert all(finding.line for finding in config.findings if finding.key.startswith("my-"))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a: [", "is not YAML"),
        ("", "no MirrorSourceConnector"),
        ("just text", "no MirrorSourceConnector"),
        (CHECKPOINT, "no MirrorSourceConnector"),
        (SOURCE.replace("source.cluster.alias: us-west", "x: y"), "must both be set"),
    ],
)
def test_a_file_without_a_flow_is_one_clear_error(read: Read, text: str, part: str) -> None:
    with pytest.raises(ConfigError, match=part):
        read(text, "operator")
