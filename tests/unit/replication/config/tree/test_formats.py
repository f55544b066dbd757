"""Each format: what is read, what cannot be held, and what is said about it."""

from dataclasses import replace

import pytest
import yaml

from replication.config.files.providers import resolve
from replication.config.tree import (
    TREE_FORMATS,
    PropertyPlace,
    PropertyTree,
    TreeFormat,
    TreeProperty,
    WrittenTree,
    check_tree,
    convert_tree,
    effective_values,
    key_table,
    read_tree,
    resolve_tree,
    write_tree,
)
from replication.config.tree.files import FORMAT_DIALECTS
from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.all_settings import SETTINGS

TWO = "clusters = east, west\neast.bootstrap.servers = e:1\nwest.bootstrap.servers = w:1\neast->west.enabled = true\n"


def tree_of(lines: str, format: TreeFormat = "mm2") -> PropertyTree:
    file = read_tree(TWO + lines, format=format, name="f")
    assert file.errors == ()
    return file.tree


def messages(written: WrittenTree) -> dict[str, str]:
    return {finding.key: f"{finding.severity}: {finding.message}" for finding in written.findings}


def keys(tree: PropertyTree) -> dict[str, str]:
    return {each.place.key: each.value for each in tree.properties}


def test_comments_belong_to_the_property_below_them_and_expressions_are_kept() -> None:
    text = "# head\n\n! second\nclusters = a, b\na.x = \\\n  ${env:HOME} \\u00e9\n# at the end\n"

    file = read_tree(text, format="mm2", name="mm2.properties")

    assert [(each.place.key, each.value, each.comment, each.origin) for each in file.tree.properties] == [
        ("clusters", "a, b", "head\n\nsecond", "mm2.properties:4"),
        ("a.x", "${env:HOME} é", "at the end", "mm2.properties:5"),
    ]
    assert [finding.key for finding in file.findings] == ["a.x"]


def test_every_line_that_cannot_be_read_is_an_error_and_the_others_are_read() -> None:
    file = read_tree("a = \\u12\nclusters = x, y\nb = \\uzzzz", format="mm2", name="f")

    assert [finding.line for finding in file.errors] == [1, 3]
    assert keys(file.tree) == {"clusters": "x, y"}


@pytest.mark.parametrize(
    ("format", "separator"), [("replication-configs", "|"), ("replication-configs-semicolon", ";")]
)
def test_replication_configs_are_read_with_the_aliases_that_their_keys_name(format: TreeFormat, separator: str) -> None:
    text = separator.join(["east.bootstrap.servers=e:1", "east->west.enabled=true", "workers.x=1", "west.x=a=b"])

    file = read_tree(text, format=format, name="srm")

    assert [(each.place.level, each.place.name, each.value) for each in file.tree.properties] == [
        ("global", "clusters", "east, west"),
        ("cluster", "bootstrap.servers", "e:1"),
        ("flow", "enabled", "true"),
        ("workers", "x", "1"),
        ("cluster", "x", "a=b"),
    ]
    assert [finding.key for finding in file.findings] == ["clusters"]


def test_entries_that_are_no_properties_are_all_reported() -> None:
    file = read_tree("clusters=a,b|nonsense|# why|=x", format="replication-configs", name="srm")

    assert [(finding.severity, finding.line) for finding in file.findings] == [
        ("error", 2),
        ("warning", 3),
        ("error", 4),
    ]


@pytest.mark.parametrize(
    ("lines", "format", "key", "part"),
    [
        (
            "east->west.topics = a|b",
            "replication-configs",
            "east->west.topics",
            "error: is not written: its value holds",
        ),
        ("east.sasl.jaas.config = x y;", "replication-configs-semicolon", "east.sasl.jaas.config", "separator ';'"),
        ("# why\neast->west.topics = a", "replication-configs", "east->west.topics", "warning: loses its comment"),
        ("east->west.foo = a\\nb", "replication-configs", "east->west.foo", "a line break"),
        ("foo = 1", "operator", "foo", "error: is not written"),
        ("west.offset.storage.partitions = 1", "operator", "west.offset.storage.partitions", "error: is not written"),
    ],
)
def test_what_a_format_cannot_hold_is_a_finding(lines: str, format: TreeFormat, key: str, part: str) -> None:
    written = write_tree(tree_of(lines), format=format)

    assert part in messages(written)[key]


@pytest.mark.parametrize(
    ("lines", "key", "written_as"),
    [
        (
            "workers.offset.storage.partitions = 3",
            "workers.offset.storage.partitions",
            {"offset.storage.partitions": "3"},
        ),
        (
            "offset.storage.partitions = 1\nworkers.offset.storage.partitions = 3",
            "workers.offset.storage.partitions",
            {"offset.storage.partitions": "3"},
        ),
        ("connectors.use.defaults.from = source", "connectors.use.defaults.from", {"use.defaults.from": "source"}),
        (
            "workers.offset.flush.timeout.ms = 3\nwest.offset.flush.timeout.ms = 4",
            "workers.offset.flush.timeout.ms",
            {"east.offset.flush.timeout.ms": "3", "west.offset.flush.timeout.ms": "4"},
        ),
        (
            "connectors.consumer.fetch.max.bytes = 3",
            "connectors.consumer.fetch.max.bytes",
            {"east.consumer.fetch.max.bytes": "3", "west.consumer.fetch.max.bytes": "3"},
        ),
    ],
)
def test_levels_that_mm2_lacks_are_expressed_by_others(lines: str, key: str, written_as: dict[str, str]) -> None:
    written = write_tree(tree_of(lines, "srm"), format="mm2")

    assert "note: is written as" in messages(written)[key]
    found = keys(read_tree(written.text, format="mm2", name="f").tree)
    assert written_as.items() <= found.items()
    assert not [name for name in found if name.startswith(("workers.", "connectors."))]


def test_what_has_no_effect_in_srm_does_not_get_one_in_mm2() -> None:
    written = write_tree(tree_of("use.defaults.from = source", "srm"), format="mm2")

    assert "error: is not written" in messages(written)["use.defaults.from"]
    assert "use.defaults.from" not in written.text


@pytest.mark.parametrize("dialect", ["mm2", "srm"])
@pytest.mark.parametrize("target", ["mm2", "srm", "operator"])
def test_a_converted_tree_has_the_same_values_in_force(dialect: TreeFormat, target: str) -> None:
    lines = (
        "tasks.max = 3\neast->west.topics = orders.*\nreplication.factor = 1\neast.security.protocol = PLAINTEXT\n"
        "east.consumer.fetch.max.bytes = 7\nwest.producer.override.compression.type = lz4\n"
        "east->west.refresh.topics.interval.seconds = 30\nsync.topic.acls.enabled = false"
    )
    tree = tree_of(lines, dialect)

    converted = convert_tree(tree, dialect=target).tree if target != "operator" else operator_of(tree)

    before = resolve_tree(tree, expand=resolve)
    after = resolve_tree(converted, expand=resolve)
    assert after.clusters == before.clusters
    flow, same = (next(each for each in config.flows if each.enabled) for config in (before, after))
    assert (same.tasks_max, same.topics_allow, same.groups_allow, same.policy) == (
        flow.tasks_max,
        flow.topics_allow,
        flow.groups_allow,
        flow.policy,
    )
    chosen = {key: value for key, value in same.connectors["source"].items() if key in flow.connectors["source"]}
    assert chosen == flow.connectors["source"]


def operator_of(tree: PropertyTree) -> PropertyTree:
    written = write_tree(tree, format="operator")
    assert not [finding for finding in written.findings if finding.severity == "error"]
    file = read_tree(written.text, format="operator", name="k")
    assert file.findings == ()
    return file.tree


def test_an_exported_flow_has_three_connectors_and_its_heartbeats() -> None:
    tree = operator_of(tree_of("east->west.topics = a\ngroups = g"))

    names = {each.place.name for each in tree.properties if each.place.name.endswith("metadata.name")}
    assert names == {f"resource.{kind}.metadata.name" for kind in ("source", "checkpoint", "heartbeat")}
    flow = resolve_tree(tree, expand=resolve).flows[0]
    assert (flow.heartbeats, flow.groups_allow, flow.connectors["checkpoint"]["sync.group.offsets.enabled"]) == (
        True,
        ("g",),
        "false",
    )


def test_a_place_that_a_reader_would_take_for_another_is_not_written() -> None:
    stray = TreeProperty(place=PropertyPlace(level="global", name="east.tasks.max"), value="1")
    tree = tree_of("")

    written = write_tree(PropertyTree(dialect="mm2", properties=(*tree.properties, stray)), format="mm2")

    assert "the level cluster" in messages(written)["east.tasks.max"]
    assert "east.tasks.max" not in written.text


def test_two_connectors_of_one_kind_and_flow_are_an_error() -> None:
    source = (
        "kind: KafkaConnector\nmetadata: {name: %s}\nspec:\n  class: MirrorSourceConnector\n  config:\n"
        "    source.cluster.alias: a\n    target.cluster.alias: b\n    topics: [x]\n"
    )

    file = read_tree("---\n".join([source % "one", source % "two"]), format="operator", name="k")

    assert sorted(finding.message.partition(";")[0] for finding in file.errors) == [
        "must be one value, not a list or a mapping",
        "must be one value, not a list or a mapping",
        "one is a source connector of a->b too",
    ]


def test_a_tree_without_clusters_is_being_built() -> None:
    tree = PropertyTree(dialect="srm")

    assert check_tree(tree, expand=resolve, is_complete=False) == ()
    assert [finding.key for finding in check_tree(tree, expand=resolve)] == ["clusters"]
    assert resolve_tree(tree, expand=resolve, is_complete=False).clusters == ()


def test_drivers_copy_into_their_targets_only() -> None:
    tree = tree_of("streams.replication.manager.driver.target.cluster = east\nwest->east.enabled = true", "srm")

    config = resolve_tree(tree, expand=resolve)

    assert [(flow.source, flow.target) for flow in config.flows] == [("west", "east")]
    assert config.manager.driver_targets == ("east",)
    assert "east->west is not copied here" in config.findings[0].message
    enabled = {each.name: each for each in effective_values(tree, FlowId("east", "west"))}["enabled"]
    assert (enabled.value, enabled.key) == ("false", "streams.replication.manager.driver.target.cluster")


def test_a_target_that_is_no_cluster_names_the_nearest() -> None:
    tree = tree_of("streams.replication.manager.service.target.cluster = wets", "srm")

    found = check_tree(tree, expand=resolve)

    assert ["did you mean west?" in finding.message for finding in found if finding.severity == "error"] == [True]


@pytest.mark.parametrize("dialect", ["mm2", "srm", "operator"])
def test_the_key_table_has_every_setting_once_with_levels_and_a_text(dialect: str) -> None:
    rows = {row.key: row for row in key_table(dialect)}

    assert len(rows) == len(key_table(dialect))
    assert {setting.key for setting in SETTINGS} <= set(rows)
    assert all(row.description or row.why or row.effect == "connection" for row in rows.values())
    assert rows["enabled"].levels == ("flow",)
    assert rows["ssl.keystore.password"].is_secret
    assert rows["securestorage.password"].is_secret
    assert rows["tasks.max"].kind == "number"
    assert ("workers" in rows["offset.flush.timeout.ms"].levels) == (dialect == "srm")
    assert ("global" in rows["offset.flush.timeout.ms"].levels) == (dialect != "srm")
    assert rows["topics"].default == ("" if dialect == "srm" else ".*")
    assert rows["topics"].old_spellings == ("topics.whitelist",)


def test_every_format_has_a_dialect() -> None:
    assert set(FORMAT_DIALECTS) == set(TREE_FORMATS)


MIRROR_MAKER = """
kind: KafkaMirrorMaker2
metadata: {name: prod}
spec:
  version: 3.9.0
  clusters:
  - {alias: east, bootstrapServers: "e:9092"}
  - alias: west
    # the target
    bootstrapServers: w:9092
    config: {config.storage.replication.factor: -1, client.rack: r1}
    tls: {}
  mirrors:
  - sourceCluster: east
    targetCluster: west
    sourceConnector: {tasksMax: 4, config: {replication.factor: 3}}
    heartbeatConnector: {config: {heartbeats.topic.replication.factor: 1}}
    checkpointConnector: {}
    topicsPattern: orders.*
    unknownField: 1
"""


def test_a_mirror_maker_resource_is_imported_as_the_connectors_of_its_mirrors() -> None:
    file = read_tree(MIRROR_MAKER, format="operator", name="m")

    config = resolve_tree(file.tree, expand=resolve)
    flow = config.flows[0]
    assert (flow.tasks_max, flow.topics_allow, flow.heartbeats, len(config.flows)) == (4, ("orders.*",), True, 1)
    assert flow.connectors["source"] == {"replication.factor": "3", "heartbeats.topic.replication.factor": "1"}
    assert flow.connectors["checkpoint"]["sync.group.offsets.enabled"] == "false"
    assert [(each.bootstrap, each.client) for each in config.clusters] == [
        (("e:9092",), {}),
        (("w:9092",), {"client.rack": "r1"}),
    ]
    assert {finding.key for finding in file.findings} == {"west: tls", "prod-east->west: unknownField"}


def test_a_mirror_maker_resource_is_exported_as_one_with_all_its_parts() -> None:
    tree = read_tree(MIRROR_MAKER, format="operator", name="m").tree

    written = write_tree(tree, format="operator")

    assert written.findings == ()
    (document,) = yaml.safe_load_all(written.text)
    spec = yaml.safe_load(MIRROR_MAKER)["spec"]
    spec["mirrors"][0]["checkpointConnector"] = {"config": {"sync.group.offsets.enabled": False}}
    assert (document["kind"], document["metadata"], document["spec"]) == ("KafkaMirrorMaker2", {"name": "prod"}, spec)
    assert "      # the target\n      bootstrapServers: " in written.text


def test_a_change_of_one_flow_is_written_in_its_mirror() -> None:
    mirrors = "  - {sourceCluster: west, targetCluster: east, sourceConnector: {}, topicsPattern: b}\n"
    tree = read_tree(MIRROR_MAKER + mirrors, format="operator", name="m").tree
    place = PropertyPlace(level="flow", source="west", target="east", name="target.cluster.bootstrap.servers")
    edited = tuple(replace(each, value="e:2") if each.place == place else each for each in tree.properties)

    written = write_tree(PropertyTree(dialect="operator", properties=edited), format="operator").text

    spec = next(yaml.safe_load_all(written))["spec"]
    assert [each["bootstrapServers"] for each in spec["clusters"]] == ["e:9092", "w:9092"]
    assert spec["mirrors"][1]["sourceConnector"] == {"config": {"target.cluster.bootstrap.servers": "e:2"}}
    assert keys(read_tree(written, format="operator", name="k").tree)[place.key] == "e:2"


def test_a_flow_that_is_added_to_a_mirror_maker_resource_is_written_as_connectors() -> None:
    tree = read_tree(MIRROR_MAKER, format="operator", name="m").tree
    added = TreeProperty(place=PropertyPlace(level="flow", source="west", target="east", name="enabled"), value="true")

    written = write_tree(PropertyTree(dialect="operator", properties=(*tree.properties, added)), format="operator")

    kinds = [document["kind"] for document in yaml.safe_load_all(written.text)]
    assert kinds == ["KafkaMirrorMaker2", "KafkaConnector", "KafkaConnector"]


@pytest.mark.parametrize("format", ["mm2", "operator"])
def test_a_comment_never_becomes_a_property(format: TreeFormat) -> None:
    place = PropertyPlace(level="flow", source="east", target="west", name="topics")
    wild = TreeProperty(place=place, value="a", comment="one\r    groups: x\x00\n    groups = y\u2028groups: z")
    tree = tree_of("")

    written = write_tree(PropertyTree(dialect="mm2", properties=(*tree.properties, wild)), format=format)

    found = read_tree(written.text, format=format, name="f")
    assert found.errors == ()
    assert not [each.place for each in found.tree.properties if each.place.name.endswith("groups")]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a: &a [x, x]\nb: [*a, *a]\n", "aliases (*name) are not supported"),
        ("a: &a [*a]\n", "aliases"),
        ("[" * 5_000, "nested too deeply"),
        ("a: \x00", "is not YAML"),
    ],
)
def test_hostile_yaml_is_one_clear_error(text: str, part: str) -> None:
    file = read_tree(text, format="operator", name="k")

    assert [part in finding.message for finding in file.errors] == [True]
