"""Files as people write them: known and unknown keys on all levels, comments, escapes, continued lines."""

import json

from hypothesis import strategies as st

from replication.config.tree import TreeFormat, key_table

ALIASES = ("east", "west", "north.dc-1")
KEYS = sorted({row.key for row in key_table()} - {"clusters"})
LEVELS = ("", "workers.", "connectors.", "nowhere.", "nowhere->west.", "east->east.")
ON_ALIASES = tuple(
    f"{alias}." for alias in (*ALIASES, *(f"{source}->{target}" for source in ALIASES for target in ALIASES))
)
CLIENTS = ("", "", "", "worker.", "consumer.", "producer.override.", "source.cluster.", "target.admin.", "admin.")
NAMES = st.one_of(st.sampled_from(KEYS), st.sampled_from(["topics.blacklist", "foo", "offset.flush.timeout.ms"]))
FULL_KEYS = st.builds(
    lambda level, client, name: level + client + name,
    st.sampled_from(LEVELS + ON_ALIASES),
    st.sampled_from(CLIENTS),
    NAMES,
)
TEXT = st.text(
    alphabet=st.sampled_from([*"aZ09 .,:=#!\\|;${}*\"'[]-&%@`~?\t", "ü", "語", "\U0001f600", "\u2028"]), max_size=12
)
VALUES = st.one_of(
    st.sampled_from(
        ["true", "false", "3", "orders.*", "${file:/etc/x:y}", "a, b", "", ".*[-.]internal", "null", "~", "0x1"]
    ),
    TEXT,
)


def _escaped(text: str) -> str:
    out = "".join({"\\": "\\\\", "\t": "\\t"}.get(char, char) for char in text)
    return f"\\{out}" if out[:1] in (" ", "#", "!") else out


@st.composite
def properties_files(draw: st.DrawFn) -> str:
    """Lines of a properties file."""
    separator = st.sampled_from(["=", " = ", ":", " ", "\t=\t", " = \\\n    "])
    line = st.one_of(
        st.builds(lambda key, sep, value: key + sep + _escaped(value), FULL_KEYS, separator, VALUES),
        st.builds(lambda key, sep, value: key + sep + _escaped(value), FULL_KEYS, separator, VALUES),
        st.builds(lambda mark, text: mark + text, st.sampled_from(["#", "# ", "!", "  # "]), TEXT),
        st.sampled_from(["", "   ", "=", "# ", "\\u0041\\u00e9 = \\u4e2d", "lone\\uD800 = x"]),
    )
    lines = draw(st.lists(line, max_size=8))
    clusters = f"clusters = {', '.join(ALIASES)}"
    lines.insert(draw(st.integers(0, len(lines))), clusters)
    return draw(st.sampled_from(["\n", "\r\n"])).join(lines)


@st.composite
def separated_files(draw: st.DrawFn, separator: str) -> str:
    """Entries of Replication Configs."""
    entry = st.builds(lambda key, value: f"{key}={value}", FULL_KEYS, VALUES)
    entries = draw(st.lists(st.one_of(entry, entry, entry, TEXT), max_size=8))
    if draw(st.booleans()):
        entries.append(f"clusters={','.join(ALIASES)}")
    return draw(st.sampled_from([separator, f" {separator}\n"])).join(entries)


CONFIG_KEYS = st.one_of(
    st.sampled_from([key for key in KEYS if not key.startswith("ssl.")]),
    st.builds(lambda client, name: client + name, st.sampled_from(CLIENTS[3:]), NAMES),
    st.sampled_from(
        [
            "topics", "groups", "enabled", "emit.checkpoints.enabled", "emit.heartbeats.enabled", "tasks.max", "foo",
            "emit.heartbeats.interval.seconds", "srm.heartbeats.key", "replication.policy.class", "key.converter",
            "resource.source.config.x", "source.cluster.bootstrap.servers", "target.cluster.bootstrap.servers",
            "producer.override.bootstrap.servers", "admin.bootstrap.servers",
        ]
    ),
)  # fmt: skip
CLUSTER_KEYS = st.one_of(
    NAMES, st.sampled_from(["ssl.endpoint.identification.algorithm", "config.storage.replication.factor", "client.id"])
)
CONFIG_VALUES = st.one_of(VALUES, st.sampled_from(["e:1", "w:1"]))


@st.composite
def _resource(draw: st.DrawFn, kind: str, source: str, target: str) -> list[str]:
    lines = ["kind: KafkaConnector", "metadata:"]
    if draw(st.booleans()):
        lines.append(f"  name: {kind.lower()}-{source}")
    lines.append("  labels: {strimzi.io/cluster: my-cluster, a.b: 'c'}")
    lines += [
        "spec:",
        f"  class: {draw(st.sampled_from(['org.apache.kafka.connect.mirror.', 'x.']))}Mirror{kind}Connector",
    ]
    lines += draw(
        st.lists(st.sampled_from(["  tasksMax: 2", "  pause: true", "  autoRestart: {enabled: true}"]), unique=True)
    )
    lines += ["  config:", f"    source.cluster.alias: {source}", f"    target.cluster.alias: {target}"]
    for key, value in draw(st.dictionaries(CONFIG_KEYS, CONFIG_VALUES, max_size=7)).items():
        comment = draw(st.sampled_from(["", "", "why", "# both", " indented"]))
        lines += [f"    # {comment}"] if comment else []
        beside = draw(st.sampled_from(["", "", " # beside"]))
        lines.append(
            f"    {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}{beside}".replace("\u2028", "\\u2028")
        )
    return lines


def _keys(draw: st.DrawFn, indent: str, keys: st.SearchStrategy[str], *, most: int) -> list[str]:
    lines = [f"{indent}config:"]
    for key, value in draw(st.dictionaries(keys, CONFIG_VALUES, max_size=most)).items():
        comment = draw(st.sampled_from(["", "", "why", " indented"]))
        lines += [f"{indent}  # {comment}"] if comment else []
        beside = draw(st.sampled_from(["", "", " # beside"]))
        text = f"{indent}  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}{beside}"
        lines.append(text.replace("\u2028", "\\u2028"))
    return lines if len(lines) > 1 else []


def _some(draw: st.DrawFn, *lines: str) -> list[str]:
    return draw(st.lists(st.sampled_from(lines), unique=True, max_size=3))


@st.composite
def _mirror_maker(draw: st.DrawFn, name: str, pairs: list[tuple[str, str]]) -> list[str]:
    lines = ["apiVersion: kafka.strimzi.io/v1beta2", "kind: KafkaMirrorMaker2", "metadata:", f"  name: {name}"]
    lines += _some(draw, "  labels: {a.b: 'c', d: e}", "  namespace: kafka", "  annotations: {x: '1'}")
    lines += ["spec:", *_some(draw, "  # of Connect", "  version: 3.9.0", "  replicas: 2", "  logging: {type: inline}")]
    lines.append("  clusters:")
    for alias in dict.fromkeys(alias for pair in pairs for alias in pair):
        lines.append(f"  - alias: {alias}")
        fields = draw(st.sampled_from([["    bootstrapServers: e:1"], [f"    # at\n    bootstrapServers: {alias}:1"]]))
        fields += _some(draw, "    tls: {trustedCertificates: [{secretName: a}]}", "    authentication: {type: tls}")
        fields += _keys(draw, "    ", CLUSTER_KEYS, most=3)
        lines += fields
    lines.append("  mirrors:")
    for source, target in pairs:
        lines += [f"  - sourceCluster: {source}", f"    targetCluster: {target}"]
        patterns = ["topicsPattern: a|b", "topicsExcludePattern: '.*x'", "groupsPattern: .*", "groupsExcludePattern: g"]
        lines += [f"    {field}" for field in draw(st.lists(st.sampled_from(patterns), unique=True))]
        lines += _some(draw, "    newField: {a: 1}", "    # between")
        for kind in draw(st.permutations(["source", "checkpoint", "heartbeat"]))[: draw(st.integers(1, 3))]:
            fields = _some(draw, "      tasksMax: 2", "      state: paused", "      autoRestart: {enabled: true}")
            fields += _keys(draw, "      ", CONFIG_KEYS, most=5)
            lines += [f"    {kind}Connector:{'' if any('#' not in each for each in fields) else ' {}'}", *fields]
    return lines


@st.composite
def mirror_maker_files(draw: st.DrawFn) -> str:
    """One or two KafkaMirrorMaker2 resources, sometimes beside KafkaConnector resources."""
    pairs = [(source, target) for source in ALIASES for target in ALIASES if source != target]
    chosen = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=4, unique=True))
    cut = draw(st.integers(1, len(chosen)))
    has_two = draw(st.booleans())
    resources = [draw(_mirror_maker("one", chosen[:cut]))]
    if chosen[cut:] and has_two:
        resources.append(draw(_mirror_maker("two", chosen[cut:])))
    elif chosen[cut:]:
        resources.append(draw(_resource("Source", *chosen[cut])))
    ends = st.sampled_from(["", "\n", "\n# at the end\n"])
    return "\n---\n".join("\n".join(lines) for lines in draw(st.permutations(resources))) + draw(ends)


@st.composite
def operator_files(draw: st.DrawFn) -> str:
    """KafkaConnector resources of one or two flows, in any order, some without a source connector."""
    pairs = draw(st.lists(st.permutations(["east", "west"]), min_size=1, max_size=2, unique_by=tuple))
    resources = [
        draw(_resource(kind, *pair))
        for pair in pairs
        for kind in draw(st.sets(st.sampled_from(["Source", "Checkpoint", "Heartbeat"]), min_size=1))
    ]
    return "\n---\n".join("\n".join(lines) for lines in draw(st.permutations(resources))) + draw(
        st.sampled_from(["", "\n", "\n# at the end\n"])
    )


FILES: dict[TreeFormat, st.SearchStrategy[str]] = {
    "mm2": properties_files(),
    "srm": properties_files(),
    "replication-configs": separated_files("|"),
    "replication-configs-semicolon": separated_files(";"),
    "operator": st.one_of(operator_files(), mirror_maker_files()),
}
