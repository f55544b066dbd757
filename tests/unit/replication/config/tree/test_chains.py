"""The value in force for each client of a flow, and every value that lost, with its level."""

from itertools import permutations

import pytest
from hypothesis import given, settings

from replication.config import load
from replication.config.tree import EffectiveValue, PropertyTree, TreeFormat, effective_values, read_tree
from replication.domain.identifiers import FlowId
from tests.unit.replication.config.tree.generated_files import ALIASES, properties_files
from tests.unit.replication.config.tree.level_examples import EXAMPLES, PAIRS

FLOW = FlowId("east", "west")
TWO = "clusters = east, west\neast.bootstrap.servers = e:1\nwest.bootstrap.servers = w:1\neast->west.enabled = true\n"
# the prefixes of the operator's connectors, strongest first
OPERATOR_KEYS = {
    "producer": ["target.producer.linger.ms", "producer.linger.ms", "target.cluster.linger.ms"],
    "consumer": ["source.consumer.max.poll.records", "consumer.max.poll.records", "source.cluster.max.poll.records"],
    "source-admin": ["source.admin.retries", "admin.retries", "source.cluster.retries"],
    "target-admin": ["target.admin.retries", "admin.retries", "target.cluster.retries"],
}


def tree_of(lines: str, format: TreeFormat = "srm") -> PropertyTree:
    return read_tree(TWO + lines, format=format, name="f").tree


def value_of(tree: PropertyTree, client: str, name: str) -> EffectiveValue:
    return next(each for each in effective_values(tree, FLOW) if (each.client, each.name) == (client, name))


@pytest.mark.parametrize(("client", "name", "format", "stronger", "weaker", "turned"), PAIRS)
def test_of_two_levels_the_documented_one_wins_and_the_other_is_in_the_chain(
    client: str, name: str, format: TreeFormat, stronger: tuple[str, str], weaker: tuple[str, str], turned: bool
) -> None:
    lines = [f"{stronger[1]} = 7", f"{weaker[1]} = 8"]

    found = value_of(tree_of("\n".join(reversed(lines) if turned else lines), format), client, name)

    assert (found.value, found.level, found.key) == ("7", *stronger)
    assert [(each.value, each.level, each.key) for each in found.beaten] == [("8", *weaker)]
    assert found.beaten[0].has_effect
    assert {found.origin, found.beaten[0].origin} == {"f:5", "f:6"}


@pytest.mark.parametrize(("example", "spellings"), list(EXAMPLES.items()))
def test_all_levels_together_are_one_chain(
    example: tuple[str, str, TreeFormat], spellings: list[tuple[str, str]]
) -> None:
    client, name, format = example
    for order in permutations(spellings) if len(spellings) < 4 else [spellings, spellings[::-1]]:
        found = value_of(tree_of("\n".join(f"{key} = 1" for _, key in order), format), client, name)

        assert [(found.level, found.key), *((each.level, each.key) for each in found.beaten)] == spellings


@pytest.mark.parametrize(
    ("line", "client", "name", "part"),
    [
        ("offset.flush.timeout.ms = 1", "worker", "offset.flush.timeout.ms", "write workers."),
        ("east.tasks.max = 2", "flow", "tasks.max", "a cluster's prefix is for its clients"),
        ("west.offset.lag.max = 2", "flow", "offset.lag.max", "a cluster's prefix"),
        ("workers.offset.lag.max = 2", "flow", "offset.lag.max", "write connectors."),
        (
            "east->west.bootstrap.servers = x:1",
            "consumer",
            "bootstrap.servers",
            "all flows reach a cluster the same way",
        ),
        ("connectors.consumer.bootstrap.servers = x:1", "consumer", "bootstrap.servers", "<alias>.bootstrap.servers"),
        ("bootstrap.servers = x:1", "producer", "bootstrap.servers", "for each cluster"),
        ("consumer.isolation.level = read_committed", "consumer", "isolation.level", "without a prefix"),
    ],
)
def test_a_value_on_a_level_that_is_not_read_is_in_the_chain_with_the_reason(
    line: str, client: str, name: str, part: str
) -> None:
    found = value_of(tree_of(line), client, name)

    assert found.key != line.partition(" ")[0]
    assert [(each.key, each.has_effect) for each in found.beaten] == [(line.partition(" ")[0], False)]
    assert part in found.beaten[0].note


def test_keys_without_effect_and_unknown_keys_have_a_value_and_the_reason() -> None:
    tree = tree_of("east->west.tasks.maxx = 3\nconnectors.tasks.maxx = 4\neast->west.consumer.max.poll.records = 5")

    unknown = value_of(tree, "flow", "tasks.maxx")
    assert (unknown.value, unknown.effect, unknown.beaten[0].level) == ("3", "unknown", "connectors")
    assert "did you mean tasks.max?" in unknown.why
    mistyped = value_of(tree_of("east.consumer.fetch.max.byte = 3"), "consumer", "fetch.max.byte")
    assert (mistyped.value, mistyped.effect) == ("3", "unknown")
    assert "did you mean fetch.max.bytes?" in mistyped.why
    polled = value_of(tree, "consumer", "max.poll.records")
    assert (polled.value, polled.effect, polled.why) == ("5", "none", "record batches are copied as they are")


def test_defaults_are_those_of_the_dialect_and_of_other_settings() -> None:
    assert value_of(tree_of("", "mm2"), "flow", "topics").value == ".*"
    assert value_of(tree_of("", "srm"), "flow", "topics").value == ""
    kafka4 = value_of(tree_of("srm.internal.topics.rule = kafka4", "mm2"), "flow", "topics.exclude")
    assert (kafka4.level, (kafka4.value or "").startswith("mm2.*")) == ("default", True)
    exactly = tree_of("west.exactly.once.source.support = enabled\neast.consumer.isolation.level = read_uncommitted")
    isolation = value_of(exactly, "consumer", "isolation.level")
    assert (isolation.value, isolation.key) == ("read_committed", "west.exactly.once.source.support")
    assert [each.key for each in isolation.beaten] == ["east.consumer.isolation.level"]


def test_secrets_are_marked_and_expressions_are_kept() -> None:
    found = value_of(tree_of("east.ssl.keystore.password = ${file:/etc/s:p}"), "consumer", "ssl.keystore.password")

    assert (found.value, found.is_secret) == ("${file:/etc/s:p}", True)


@pytest.mark.parametrize("client", OPERATOR_KEYS)
def test_the_operators_prefixes_beat_each_other_as_documented(client: str) -> None:
    keys = OPERATOR_KEYS[client]
    config = "".join(f"    {key}: {at}\n" for at, key in enumerate(reversed(keys)))
    found = value_of(operator_tree(config), client, keys[0].split(".", 2)[2])

    assert (found.value, found.key) == ("2", f"east->west.{keys[0]}")
    assert [(each.value, each.key) for each in found.beaten] == [
        ("1", f"east->west.{keys[1]}"),
        ("0", f"east->west.{keys[2]}"),
    ]


def operator_tree(config: str) -> PropertyTree:
    text = (
        "kind: KafkaConnector\nmetadata: {name: s}\nspec:\n  class: x.MirrorSourceConnector\n  config:\n"
        "    source.cluster.alias: east\n    target.cluster.alias: west\n" + config
    )
    return read_tree(text, format="operator", name="k").tree


def test_the_operators_addresses_are_chains_too() -> None:
    tree = operator_tree("    source.cluster.bootstrap.servers: a:1\n    source.admin.bootstrap.servers: b:1\n")

    for client in ("consumer", "source-admin"):
        found = value_of(tree, client, "bootstrap.servers")
        assert (found.value, found.key) == ("b:1", "east->west.source.admin.bootstrap.servers")
        assert [each.value for each in found.beaten] == ["a:1"]


@settings(max_examples=100)
@given(properties_files())
def test_every_property_that_concerns_a_flow_is_in_a_chain(text: str) -> None:
    for format in ("mm2", "srm"):
        tree = read_tree(text, format="mm2" if format == "mm2" else "srm", name="f").tree
        for flow in (FlowId(ALIASES[0], ALIASES[1]), FlowId(ALIASES[2], ALIASES[0])):
            chains = effective_values(tree, flow, only_set=True)
            shown = {key for each in chains for key in (each.key, *(link.key for link in each.beaten))}
            wanted = {
                each.place.key
                for each in tree.properties
                if (each.place.level == "flow" and (each.place.source, each.place.target) == (flow.source, flow.target))
                or (each.place.level == "cluster" and each.place.alias in (flow.source, flow.target))
                or each.place.level in ("workers", "connectors")
            }
            assert wanted <= shown


def test_the_values_in_chains_are_those_of_the_resolved_flow(tmp_path_factory: pytest.TempPathFactory) -> None:
    lines = (
        "tasks.max = 3\nconnectors.replication.factor = 2\nwest.offset.storage.partitions = 4\n"
        "connectors.consumer.fetch.max.bytes = 9\neast.consumer.fetch.max.bytes = 8\neast->west.topics = a\n"
    )
    path = tmp_path_factory.mktemp("chains") / "srm.properties"
    path.write_text(TWO + lines)
    flow = next(each for each in load(path, "srm").flows if each.enabled)

    for name, effective in flow.effective.items():
        client = "consumer" if name.startswith("consumer.") and name != "consumer.poll.timeout.ms" else None
        found = [
            each
            for each in effective_values(tree_of(lines), FLOW)
            if each.name == (name.removeprefix("consumer.") if client else name) and client in (None, each.client)
        ]
        assert any(each.value in (effective.value, None) and each.level == effective.level for each in found), name
