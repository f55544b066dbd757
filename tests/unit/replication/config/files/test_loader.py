"""Whole files: what comes out, and what is told about them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from replication.config import ConfigError, ConfigFinding, FlowDefinition, ReplicationConfig, load

Read = Callable[..., ReplicationConfig]
TWO = """
clusters = east, west
east.bootstrap.servers = e1:9092, e2:9092
west.bootstrap.servers = w1:9092
"""


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def reader(text: str, base: str = TWO) -> ReplicationConfig:
        path = tmp_path / "mm2.properties"
        path.write_text(base + text)
        return load(path)

    return reader


def flow_of(config: ReplicationConfig, source: str = "east", target: str = "west") -> FlowDefinition:
    return next(flow for flow in config.flows if (flow.source, flow.target) == (source, target))


def finding_of(config: ReplicationConfig, key: str) -> ConfigFinding:
    return next(finding for finding in config.findings if finding.key == key)


def errors_of(caught: pytest.ExceptionInfo[ConfigError]) -> dict[str, str]:
    return {finding.key: finding.message for finding in caught.value.findings}


def test_clusters_have_their_servers(read: Read) -> None:
    config = read("")

    assert [(cluster.alias, cluster.bootstrap) for cluster in config.clusters] == [
        ("east", ("e1:9092", "e2:9092")),
        ("west", ("w1:9092",)),
    ]


def test_a_value_from_elsewhere_is_a_secret_under_any_name(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRM_TEST_STORE", "/stores/west.p12")
    config = read("west.ssl.keystore.location = ${env:SRM_TEST_STORE}\nwest.ssl.keystore.type = PKCS12")

    west = config.clusters[1]
    assert west.secrets == {"ssl.keystore.location": "/stores/west.p12"}
    assert west.client == {"ssl.keystore.type": "PKCS12"}


def test_a_flow_has_mirrormakers_defaults(read: Read) -> None:
    flow = flow_of(read("east->west.enabled = true"))

    assert (flow.enabled, flow.heartbeats, flow.tasks_max, flow.delivery) == (True, True, 1, "at_least_once")
    assert flow.topics_allow == (".*",)
    assert "__.*" in flow.topics_deny
    assert (flow.start, flow.policy.kind, flow.policy.separator) == ("earliest", "default", ".")


def test_a_pair_exists_only_where_it_copies_or_beats(read: Read) -> None:
    config = read("east->west.enabled = true\nemit.heartbeats.enabled = false")

    assert [(flow.source, flow.target) for flow in config.flows] == [("east", "west")]


def test_the_flows_own_value_beats_the_global_one_and_says_so(read: Read) -> None:
    config = read("tasks.max = 2\neast->west.tasks.max = 8\neast->west.enabled = true")

    assert flow_of(config).tasks_max == 8
    assert flow_of(config, "west", "east").tasks_max == 2
    effective = flow_of(config).effective["tasks.max"]
    assert effective.level == "flow"
    assert [prop.key for prop in effective.beaten] == ["tasks.max"]


def test_worker_keys_are_read_from_the_target_clusters_level(read: Read) -> None:
    config = read("west.exactly.once.source.support = enabled\neast->west.enabled = true")

    flow = flow_of(config)
    assert flow.delivery == "exactly_once"
    assert flow.connectors["source"]["consumer.isolation.level"] == "read_committed"
    assert flow_of(config, "west", "east").delivery == "at_least_once"


def test_connector_settings_keep_their_names(read: Read) -> None:
    flow = flow_of(
        read(
            "replication.factor = 3\neast->west.offset.lag.max = 0005\neast.consumer.isolation.level = read_committed\n"
            "emit.heartbeats.interval.seconds = 2\nwest.offset.storage.replication.factor = 1\n"
            "east->west.consumer.auto.offset.reset = latest"
        )
    )

    assert flow.connectors["source"]["replication.factor"] == "3"
    assert flow.connectors["source"]["consumer.isolation.level"] == "read_committed"
    assert flow.connectors["source"]["offset.storage.replication.factor"] == "1"
    assert flow.connectors["heartbeat"] == {"emit.heartbeats.interval.seconds": "2"}
    assert flow.start == "latest"


def test_secrets_are_kept_apart_and_out_of_the_text_of_a_cluster(read: Read) -> None:
    jaas = 'x.PlainLoginModule required username="u" password="p";'
    config = read(
        f"security.protocol = SASL_PLAINTEXT\neast.sasl.mechanism = PLAIN\neast.sasl.jaas.config = {jaas}\n"
        "west.security.protocol = PLAINTEXT"
    )

    east, west = config.clusters
    assert east.client == {"sasl.mechanism": "PLAIN", "security.protocol": "SASL_PLAINTEXT"}
    assert east.secrets == {"sasl.jaas.config": jaas}
    assert west.client == {"security.protocol": "PLAINTEXT"}
    assert jaas not in repr(east)


def test_values_come_from_files_folders_and_the_environment(
    read: Read,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "east.properties").write_text("servers = e9:1\n")
    (tmp_path / "lag").write_text("7")
    monkeypatch.setenv("SRM_TEST_TASKS", "4")

    config = read(
        f"east.bootstrap.servers = ${{file:{tmp_path}/east.properties:servers}}\n"
        f"tasks.max = ${{env:SRM_TEST_TASKS}}\noffset.lag.max = ${{dir:{tmp_path}:lag}}"
    )

    assert config.clusters[0].bootstrap == ("e9:1",)
    assert flow_of(config).tasks_max == 4
    assert flow_of(config).connectors["source"]["offset.lag.max"] == "7"


@pytest.mark.parametrize(
    ("line", "key", "part"),
    [
        ("task.max = 2", "task.max", "did you mean tasks.max?"),
        ("group.filter.class = x", "group.filter.class", "allow and deny lists"),
        ("east.producer.linger.ms = 5", "east.producer.linger.ms", "see srm.linger.ms"),
        ("east.producer.acks = 1", "east.producer.acks", "always all"),
        ("east.consumer.client.rack = r1", "east.consumer.client.rack", "write it as <alias>.client.rack"),
        ("east->west.consumer.fetch.min.bytes = 9", "east->west.consumer.fetch.min.bytes", "first byte"),
        ("east->west.request.timeout.ms = 9", "east->west.request.timeout.ms", "write it below <alias>."),
        ("offset.flush.interval.ms = 5", "offset.flush.interval.ms", "no effect here"),
        ("east.tasks.max = 2", "east.tasks.max", "write tasks.max or"),
        ("enabled = true", "enabled", "<source>-><target>.enabled"),
        ("topics.blacklist = x", "topics.blacklist", "old spelling of topics.exclude"),
        ("admin.timeout.ms = 5", "admin.timeout.ms", "no effect here"),
        ("workers.tasks.max = 5", "workers.tasks.max", "not part of mm2"),
        ("tasks.max = 1\ntasks.max = 2", "tasks.max", "is set twice"),
        ("consumer.isolation.level = read_committed", "consumer.isolation.level", "without a prefix"),
        ("client.id = me", "client.id", "no effect here"),
        ("east.consumer.fetch.max.byte = 9", "east.consumer.fetch.max.byte", "did you mean fetch.max.bytes?"),
        ("east->west.producer.compresion.type = lz4", "east->west.producer.compresion.type", "mean compression.type?"),
        ("producer.override.batch.siz = 1", "producer.override.batch.siz", "did you mean batch.size?"),
        ("admin.request.timout.ms = 1", "admin.request.timout.ms", "did you mean request.timeout.ms?"),
        ("east->west.consumer.of.a.plug.in = 1", "east->west.consumer.of.a.plug.in", "copied as they are"),
    ],
)
def test_a_key_that_does_nothing_is_told(read: Read, line: str, key: str, part: str) -> None:
    assert part in finding_of(read(line), key).message


def test_keys_of_connections_reach_the_cluster_and_those_of_fetches_the_flow(read: Read) -> None:
    config = read(
        "reconnect.backoff.ms = 70\neast.request.timeout.ms = 9000\neast.client.rack = r1\n"
        "east.consumer.fetch.max.wait.ms = 50\neast->west.consumer.fetch.max.bytes = 1000000"
    )

    assert config.clusters[0].client == {
        "client.rack": "r1",
        "reconnect.backoff.ms": "70",
        "request.timeout.ms": "9000",
    }
    settings = flow_of(config).connectors["source"]
    assert settings["consumer.fetch.max.wait.ms"] == "50"
    assert settings["consumer.fetch.max.bytes"] == "1000000"
    assert config.findings == read("").findings


def test_kafka_4s_rule_for_internal_topics_brings_its_exclude_list(read: Read) -> None:
    assert r"mm2.*.internal" in flow_of(read("srm.internal.topics.rule = kafka4")).topics_deny[0].replace("\\", "")
    assert flow_of(read("srm.internal.topics.rule = kafka4\ntopics.exclude = x")).topics_deny == ("x",)


def test_two_unprotected_flows_that_keep_names_are_refused(read: Read) -> None:
    both = (
        "replication.policy.class = IdentityReplicationPolicy\neast->west.enabled = true\nwest->east.enabled = true\n"
    )

    assert read(both).flows[0].policy.kind == "identity"
    with pytest.raises(ConfigError, match="go in circles"):
        read(both + "srm.loop.protection = off")


@pytest.mark.parametrize(
    ("lines", "key", "part"),
    [
        (
            "offset.storage.partitions = 1\nwest.offset.storage.partitions = 2",
            "west.offset.storage.partitions",
            "the one without prefix wins",
        ),
        (
            "east.consumer.isolation.level = read_committed\neast->west.consumer.isolation.level = read_uncommitted",
            "east->west.consumer.isolation.level",
            "in MirrorMaker that one wins",
        ),
    ],
)
def test_where_mirrormaker_decides_otherwise_it_is_told(read: Read, lines: str, key: str, part: str) -> None:
    assert part in finding_of(read(lines), key).message


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("replication.policy.class = com.example.Mine", "srm.replication_policies"),
        ("replication.policy.class = com.x.LegacyReplicationPolicy", "cannot be loaded"),
        ("replication.policy.class = LegacyReplicationPolicy", "which IdentityReplicationPolicy does"),
        ("srm.replication.policy = nowhere", "no installed package offers a policy 'nowhere'"),
        ("srm.internal.topics.rule = kafka5", "must be one of srm, kafka3, kafka4"),
        ("east.request.timeout.ms = soon", "must be a whole number"),
        ("east.request.timeout.ms = 1_000", "must be a whole number"),
        ("east.srm.protocol.version = latest", "must be a Kafka version from 2.8 on"),
        ("east->west.consumer.fetch.max.bytes = big", "must be a whole number"),
        ("use.defaults.from = middle", "must be source or target"),
    ],
)
def test_what_cannot_be_honoured_names_the_remedy(read: Read, line: str, part: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(line)
    assert part in str(caught.value)


def test_a_sound_file_has_no_findings(read: Read) -> None:
    config = read(
        "east->west.enabled = true\neast->west.topics = orders.*\nreplication.factor = 1\ntasks.max = 2\n"
        "security.protocol = PLAINTEXT\neast->west.emit.heartbeats.enabled = true"
    )

    assert config.findings == ()


def test_no_enabled_flow_is_told(read: Read) -> None:
    assert "no flow is enabled" in finding_of(read(""), "clusters").message


def test_all_errors_come_at_once_with_their_lines(read: Read) -> None:
    with pytest.raises(ConfigError) as caught:
        read(
            "east->west.enabled = perhaps\neast->west.topics = (x\neast->wets.enabled = true\ntasks.max = 0\n"
            "replication.policy.class = com.example.Mine\neats.bootstrap.servers = e:1\n"
            "west.bootstrap.servers = nowhere\nkey.converter = JsonConverter\nsrm.gap.policy = ignore\n"
            "west.security.protocol = SASL_SSL\noffset-syncs.topic.location = moon\n"
            "replication.policy.separator = /\neast.security.protocol = TELNET\ngroups = ${env:SRM_NOT_SET_ANYWHERE}"
        )

    errors = errors_of(caught)
    assert set(errors) == {
        "east->west.enabled",
        "east->west.topics",
        "east->wets.enabled",
        "tasks.max",
        "replication.policy.class",
        "eats.bootstrap.servers",
        "west.bootstrap.servers",
        "key.converter",
        "srm.gap.policy",
        "west.security.protocol",
        "offset-syncs.topic.location",
        "replication.policy.separator",
        "east.security.protocol",
        "groups",
    }
    assert "did you mean west?" in errors["east->wets.enabled"]
    assert "did you mean east?" in errors["eats.bootstrap.servers"]
    assert "line 5: east->west.enabled" in str(caught.value)


@pytest.mark.parametrize(
    ("base", "part"),
    [
        ("", "clusters: is missing"),
        ("clusters = a", "at least two"),
        ("clusters = a, source", "cannot be an alias"),
        ("clusters = a, b/c", "may hold letters"),
        ("clusters = a, b", "a.bootstrap.servers: is missing"),
        ("clusters = a, b\na.bootstrap.servers = x:1\nb.bootstrap.servers = x:99999", "'x:99999' is not host:port"),
        ("x = \\u12", "four hex digits"),
    ],
)
def test_a_file_without_usable_clusters_is_refused(read: Read, base: str, part: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read("", base=base)
    assert part in str(caught.value)


def test_a_missing_or_binary_file_is_one_clear_error(tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for path, part in ((tmp_path / "none", "cannot be read"), (binary, "not UTF-8"), (tmp_path, "cannot be read")):
        with pytest.raises(ConfigError, match=part):
            load(path)


def test_an_unknown_dialect_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="mm2"):
        load(tmp_path / "x", dialect="srm9")
