"""The replication manager's own files and the operator's connectors."""

from collections.abc import Callable
from pathlib import Path

import pytest

from replication.config import ConfigError, ConfigFinding, FlowDefinition, ReplicationConfig, load
from replication.config.settings.global_keys import GLOBAL_CONNECTOR_KEYS, GLOBAL_WORKER_FAMILIES, works_globally
from replication.domain.assignment.flow_rules import FlowRules

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


def test_the_rebalance_delay_of_the_workers_reaches_the_flows(read: Read) -> None:
    flow = flow_of(read(TWO + "workers.scheduled.rebalance.max.delay.ms = 5000", "srm"))

    rules = FlowRules.of(flow.connectors["source"])
    assert (rules.announced_ms, rules.departed_ms) == (5_000, 5_000)


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
        ("workers.rebalance.timeout.ms = 1", "workers.rebalance.timeout.ms", "no Kafka Connect workers"),
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
    back = next(each for each in config.flows if not each.enabled)
    assert back.connectors["heartbeat"] == {"emit.heartbeats.interval.seconds": "3", "srm.heartbeats.key": "opposite"}
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
        ("", "no MirrorMaker connector"),
        ("just text", "no MirrorMaker connector"),
        (CHECKPOINT, "us-east.bootstrap.servers: is missing"),
        (SOURCE.replace("source.cluster.alias: us-west", "x: y"), "must both be set"),
    ],
)
def test_a_file_without_a_flow_is_one_clear_error(read: Read, text: str, part: str) -> None:
    with pytest.raises(ConfigError, match=part):
        read(text, "operator")


@pytest.mark.parametrize(
    ("text", "read_as", "looks_like"),
    [
        (SOURCE, "mm2", "operator"),
        (SOURCE, "srm", "operator"),
        (TWO + "connectors.use.defaults.from = source", "mm2", "srm"),
        (TWO + "east->west.worker.offset.storage.partitions = 4", "mm2", "srm"),
        (TWO + "use.defaults.from = source", "srm", "mm2"),
        (TWO + "use.defaults.from = source", "operator", "mm2"),
    ],
)
def test_a_wrong_dialect_is_named(read: Read, text: str, read_as: str, looks_like: str) -> None:
    try:
        findings = read(text, read_as).findings
    except ConfigError as error:
        findings = error.findings

    assert f"use --dialect {looks_like}" in messages(findings)["dialect"]


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (TWO, "mm2"),
        (TWO, "srm"),
        (TWO + "use.defaults.from = source", "mm2"),
        (TWO + "connectors.use.defaults.from = source", "srm"),
        (SOURCE, "operator"),
    ],
)
def test_the_right_dialect_gives_no_hint(read: Read, text: str, dialect: str) -> None:
    assert "dialect" not in messages(read(text, dialect).findings)


def with_lines(resource: str, *lines: str) -> str:
    return resource + "".join(f"    {line}\n" for line in lines)


def test_a_prefix_of_a_cluster_reaches_the_client_that_handles_its_records(read: Read) -> None:
    text = with_lines(
        SOURCE,
        "source.cluster.max.poll.records: 100",
        "source.cluster.fetch.max.bytes: 7",
        "target.cluster.compression.type: gzip",
    )

    config = read(text, "operator")

    settings = flow_of(config).connectors["source"]
    assert settings["consumer.fetch.max.bytes"] == "7"
    assert flow_of(config).effective["producer.compression.type"].value == "gzip"
    told = [str(finding) for finding in config.findings if "source.cluster.max.poll.records" in finding.key]
    assert any("copied as they are" in text for text in told)
    assert any("MirrorMaker ignores" in text for text in told)


def test_a_prefix_of_a_client_beats_the_prefix_of_its_cluster(read: Read) -> None:
    text = with_lines(SOURCE, "source.admin.bootstrap.servers: a:1", "target.producer.bootstrap.servers: p:1")

    config = read(text, "operator")

    assert [(each.alias, each.bootstrap) for each in config.clusters] == [("us-west", ("a:1",)), ("us-east", ("p:1",))]
    told = messages(config.findings)
    assert "source.admin.bootstrap.servers counts" in told["my-source: source.cluster.bootstrap.servers"]
    assert "target.producer.bootstrap.servers counts" in told["my-source: target.cluster.bootstrap.servers"]


@pytest.mark.parametrize("prefix", ["admin", "consumer", "source.consumer"])
def test_a_prefix_of_a_client_alone_is_the_address_of_its_cluster(read: Read, prefix: str) -> None:
    text = SOURCE.replace("source.cluster.bootstrap.servers", f"{prefix}.bootstrap.servers")

    config = read(text, "operator")

    assert [each.bootstrap for each in config.clusters] == [("s:9092",), ("t:9092",)]


def test_heartbeats_at_the_source_keep_the_key_of_their_flow(read: Read) -> None:
    flows = {flow.source: flow for flow in read(SOURCE + "---" + HEARTBEAT, "operator").flows}

    assert flows["us-east"].connectors["heartbeat"]["srm.heartbeats.key"] == "opposite"
    assert flows["us-east"].connectors["heartbeat"]["emit.heartbeats.interval.seconds"] == "3"


def test_the_producer_override_says_where_heartbeats_are_written(read: Read) -> None:
    override = with_lines(HEARTBEAT.replace("s:9092", "t:9092"), "producer.override.bootstrap.servers: s:9092")

    flows = {(flow.source, flow.heartbeats) for flow in read(SOURCE + "---" + override, "operator").flows}

    assert flows == {("us-west", False), ("us-east", True)}


def test_two_flows_with_heartbeats_at_their_sources_both_have_them(read: Read) -> None:
    def turned(resource: str) -> str:
        swapped = resource.replace("us-west", "x").replace("us-east", "us-west").replace("x", "us-east")
        return swapped.replace("s:9092", "x").replace("t:9092", "s:9092").replace("x", "t:9092")

    text = "---".join([SOURCE, HEARTBEAT, turned(SOURCE.replace("rack: r1", "rack: r2")), turned(HEARTBEAT)])

    flows = read(text, "operator").flows

    assert [(flow.source, flow.heartbeats) for flow in flows] == [("us-west", True), ("us-east", True)]
    assert all(flow.connectors["heartbeat"]["srm.heartbeats.key"] == "opposite" for flow in flows)


def test_a_heartbeat_resource_alone_is_imported(read: Read) -> None:
    config = read(HEARTBEAT, "operator")

    assert [(flow.source, flow.enabled, flow.heartbeats) for flow in config.flows] == [("us-west", False, True)]
    assert [each.bootstrap for each in config.clusters] == [("s:9092",), ("s:9092",)]
    told = messages(config.findings)
    assert "no MirrorSourceConnector of us-west->us-east" in told["my-heartbeat: spec.class"]
    assert "us-east is taken" in told["my-heartbeat: source.cluster.bootstrap.servers"]


def test_a_checkpoint_resource_alone_is_imported(read: Read) -> None:
    text = with_lines(
        CHECKPOINT, "source.cluster.bootstrap.servers: t:9092", "target.cluster.bootstrap.servers: s:9092"
    )

    config = read(text, "operator")

    flow = config.flows[0]
    assert (len(config.flows), flow.source, flow.enabled, flow.heartbeats) == (1, "us-east", False, False)
    assert (flow.groups_allow, flow.topics_allow) == (("billing",), ("other",))
    assert flow.connectors["checkpoint"]["emit.checkpoints.enabled"] == "true"
