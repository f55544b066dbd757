"""The KafkaMirrorMaker2 resource, as the connectors that its operator makes of it.

A cluster's config becomes keys below `source.cluster.` and `target.cluster.` of every connector. What only Kafka
Connect reads is kept as parts of the resource, without effect here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import yaml

from replication.config.files.findings import Findings
from replication.config.flows.model import Property
from replication.config.settings.prefixes import BOOTSTRAP, CLUSTER_PREFIXES, find_key
from replication.config.tree.operator.nodes import items, members, metadata_parts, pairs, scalar_of, text_of
from replication.config.tree.operator.resource_keys import ALIASES, API_VERSION, KINDS, NAME, ConnectorKind
from replication.config.tree.operator.texts import Connector, Text
from replication.config.tree.operator.yaml_text import Comments
from replication.domain.settings.registry.consumer_groups import GROUPS, GROUPS_EXCLUDE, SYNC_GROUP_OFFSETS
from replication.domain.settings.registry.topic_filters import TOPICS, TOPICS_EXCLUDE

KIND = "KafkaMirrorMaker2"
BOOTSTRAP_FIELD = "bootstrapServers"
ALIAS_FIELDS = ("sourceCluster", "targetCluster")
CONNECTOR_FIELDS: Mapping[str, ConnectorKind] = {f"{kind}Connector": kind for kind in KINDS}
# fields of a mirror that are keys of its connectors; the first name of a key is the present one
_OF_TOPICS: tuple[ConnectorKind, ...] = ("source", "checkpoint")
_OF_GROUPS: tuple[ConnectorKind, ...] = ("checkpoint",)
PATTERNS: Mapping[str, tuple[tuple[ConnectorKind, ...], str]] = {
    "topicsPattern": (_OF_TOPICS, TOPICS.key),
    "topicsExcludePattern": (_OF_TOPICS, TOPICS_EXCLUDE.key),
    "topicsBlacklistPattern": (_OF_TOPICS, TOPICS_EXCLUDE.key),
    "groupsPattern": (_OF_GROUPS, GROUPS.key),
    "groupsExcludePattern": (_OF_GROUPS, GROUPS_EXCLUDE.key),
    "groupsBlacklistPattern": (_OF_GROUPS, GROUPS_EXCLUDE.key),
}
_KEYS = tuple(dict.fromkeys(PATTERNS.values()))
_Texts = Mapping[int, Text]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cluster:
    """A member of `spec.clusters`: keys of clients, parts without effect here, and the whole of it."""

    item: Text
    keys: dict[str, Text] = field(default_factory=dict)
    parts: dict[str, Text] = field(default_factory=dict)


def mirror_connectors(node: yaml.Node, comments: Comments, findings: Findings) -> Iterator[Connector]:
    """Yield the connectors of all mirrors, those of one mirror in the order source, checkpoint, heartbeat."""
    kept = sorted(_kept(node), key=lambda pair: pair[0].start_mark.index)
    texts = {key.start_mark.index: _text(key, value, comments) for key, value in kept}
    spec = members(members(node).get("spec"))
    parts = {NAME: Text(value="", line=node.start_mark.line + 1), **_resource_parts(node, texts, findings)}
    at_the_end = comments.rest(node.end_mark.line)
    parts[NAME] = replace(parts[NAME], comment="\n".join(filter(None, (parts[NAME].comment, at_the_end))))
    named = replace(parts[NAME], comment="")
    clusters = {
        scalar_of(members(item).get("alias")): _cluster(item, texts, findings) for item in items(spec.get("clusters"))
    }
    mirrors = [_mirror(named.value, item, clusters, texts, findings) for item in items(spec.get("mirrors"))]
    used: set[str] = set()
    for connectors in filter(None, mirrors):
        for alias, field_name in zip(connectors[0].aliases, CLUSTER_PREFIXES, strict=True):
            if alias in clusters and alias not in used:
                side = field_name.partition(".")[0]
                parts |= {f"{side}.{part}": text for part, text in clusters[alias].parts.items()}
                used.add(alias)
        for connector in connectors:
            connector.mirror = {**parts, **connector.mirror}
        parts = {NAME: named}
        yield from connectors
    for alias in clusters.keys() - used:
        shown = Property(key=f"{KIND}: spec.clusters", value=alias, line=clusters[alias].item.line)
        findings.warning(shown, f"cluster {alias} is not kept: no mirror uses it")


def _kept(node: yaml.Node) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """Yield the keys and values whose texts are kept."""
    spec = members(members(node).get("spec"))
    yield from (pair for pair in pairs(node) if _is_version(*pair))
    yield from ((key, value) for _, key, value in metadata_parts(members(node).get("metadata")))
    yield from (pair for pair in pairs(members(node).get("spec")) if scalar_of(pair[0]) not in ("clusters", "mirrors"))
    for item in items(spec.get("clusters")):
        yield from _open(item, ("config",), without=("alias",))
    for item in items(spec.get("mirrors")):
        for key, value in pairs(item):
            if scalar_of(key) in CONNECTOR_FIELDS:
                yield from _open(value, ("config",))
            elif scalar_of(key) not in ALIAS_FIELDS:
                yield key, value


def _is_version(key: yaml.Node, value: yaml.Node) -> bool:
    return scalar_of(key) == "apiVersion" and scalar_of(value) != API_VERSION


def _open(node: yaml.Node, opened: Sequence[str], without: Sequence[str] = ()) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    for key, value in pairs(node):
        if scalar_of(key) in opened:
            yield from pairs(value)
        elif scalar_of(key) not in without:
            yield key, value


def _text(key: yaml.Node, value: yaml.Node, comments: Comments) -> Text:
    return Text(value=text_of(value), line=value.start_mark.line + 1, comment=comments.of(key.start_mark.line, value))


def _resource_parts(node: yaml.Node, texts: _Texts, findings: Findings) -> Mapping[str, Text]:
    """Return the parts of the resource beside clusters and mirrors."""
    document = members(node)
    found: dict[str, Text] = {}
    for key, value in pairs(node):
        if _is_version(key, value):
            found["apiVersion"] = texts[key.start_mark.index]
        elif scalar_of(key) not in ("apiVersion", "kind", "metadata", "spec"):
            shown = Property(key=f"{KIND}: {scalar_of(key)}", value="", line=key.start_mark.line + 1)
            findings.note(shown, "is not a part of a flow and is not kept")
    found |= {part: texts[key.start_mark.index] for part, key, _ in metadata_parts(document.get("metadata"))}
    for key, _ in pairs(document.get("spec")):
        if key.start_mark.index in texts:
            found[f"spec.{scalar_of(key)}"] = texts[key.start_mark.index]
    return found


def _cluster(item: yaml.Node, texts: _Texts, findings: Findings) -> _Cluster:
    found = _Cluster(item=Text(value=text_of(item), line=item.start_mark.line + 1))
    alias = scalar_of(members(item).get("alias"))
    for key, value in sorted(pairs(item), key=lambda pair: scalar_of(pair[0]) != BOOTSTRAP_FIELD):
        name = scalar_of(key)
        if name == BOOTSTRAP_FIELD:
            found.keys[BOOTSTRAP] = texts[key.start_mark.index]
        elif name == "config":
            for each, _ in pairs(value):
                setting = find_key(scalar_of(each))
                is_worker = scalar_of(each) == "alias" or (setting is not None and setting.role == "worker")
                kept = found.parts if is_worker else found.keys
                kept[f"worker.{scalar_of(each)}" if is_worker else scalar_of(each)] = texts[each.start_mark.index]
        elif name != "alias":
            found.parts[name] = texts[key.start_mark.index]
            shown = Property(key=f"{alias}: {name}", value="", line=key.start_mark.line + 1)
            text = "has no effect here: write security.protocol and its companions in the cluster's config"
            findings.warning(shown, text)
    return found


def _mirror(
    name: str, item: yaml.Node, clusters: Mapping[str, _Cluster], texts: _Texts, findings: Findings
) -> list[Connector]:
    """Return the connectors of a mirror; the first one that has a key has its comment."""
    fields = members(item)
    common: dict[str, Text] = {}
    for alias, prefix, field_name in zip(ALIASES, CLUSTER_PREFIXES, ALIAS_FIELDS, strict=True):
        cluster = scalar_of(fields.get(field_name))
        common[alias] = Text(value=cluster, line=item.start_mark.line + 1)
        if cluster in clusters:
            common |= {f"{prefix}{key}": text for key, text in clusters[cluster].keys.items()}
    flow = "->".join(common[alias].value for alias in ALIASES)
    connectors, patterns, unknown = _fields(f"{name}-{flow}", item, texts, findings)
    if not connectors:
        shown = Property(key=f"{KIND}: spec.mirrors", value=flow, line=item.start_mark.line + 1)
        findings.warning(shown, f"the mirror {flow} is not kept: it has no connector")
    commented: set[str] = set()
    for connector in connectors:
        for alias in connector.config.keys() & set(ALIASES):
            findings.warning(connector.at(alias), "is not used: the mirror names its clusters")
            del connector.config[alias]
        given = common | {key: patterns[key] for kinds, key in _KEYS if key in patterns and connector.kind in kinds}
        given = {key: replace(text, comment="") if key in commented else text for key, text in given.items()}
        commented |= given.keys()
        connector.config = given | connector.config
        connector.mirror = unknown
        if connector.kind == "checkpoint":
            connector.config.setdefault(SYNC_GROUP_OFFSETS.key, Text(value="false", line=connector.line))
    return connectors


def _fields(
    name: str, item: yaml.Node, texts: _Texts, findings: Findings
) -> tuple[list[Connector], dict[str, Text], dict[str, Text]]:
    """Return the connectors of a mirror, its patterns by key, and its other fields as parts."""
    connectors: list[Connector] = []
    patterns: dict[str, Text] = {}
    unknown: dict[str, Text] = {}
    for key, value in pairs(item):
        field_name = scalar_of(key)
        if field_name in CONNECTOR_FIELDS:
            connectors.append(_connector(name, CONNECTOR_FIELDS[field_name], key, value, texts))
        elif field_name in PATTERNS:
            patterns[PATTERNS[field_name][1]] = texts[key.start_mark.index]
        elif field_name not in ALIAS_FIELDS:
            unknown[f"mirror.{field_name}"] = texts[key.start_mark.index]
            shown = Property(key=f"{name}: {field_name}", value="", line=key.start_mark.line + 1)
            findings.warning(shown, "is not a known field of a mirror and has no effect")
    return sorted(connectors, key=lambda each: KINDS.index(each.kind)), patterns, unknown


def _connector(name: str, kind: ConnectorKind, key: yaml.Node, fields: yaml.Node, texts: _Texts) -> Connector:
    connector = Connector(name=f"{name}-{kind}", kind=kind, line=key.start_mark.line + 1)
    for each, value in pairs(fields):
        if scalar_of(each) == "config":
            connector.config |= {scalar_of(found): texts[found.start_mark.index] for found, _ in pairs(value)}
        else:
            connector.parts[f"spec.{scalar_of(each)}"] = texts[each.start_mark.index]
    return connector
