"""The KafkaMirrorMaker2 resource, as the KafkaConnector resources that its operator makes of it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import yaml

from replication.config.files.findings import Findings
from replication.config.flows.model import Property
from replication.config.settings.prefixes import BOOTSTRAP, CLUSTER_PREFIXES, find_key
from replication.config.tree.operator.nodes import members, pairs, scalar_of, text_of
from replication.config.tree.operator.resource_keys import ALIASES, KINDS, ConnectorKind
from replication.config.tree.operator.texts import Connector, Text
from replication.config.tree.operator.yaml_text import Comments
from replication.domain.settings.registry.consumer_groups import GROUPS, GROUPS_EXCLUDE, SYNC_GROUP_OFFSETS
from replication.domain.settings.registry.topic_filters import TOPICS, TOPICS_EXCLUDE

KIND = "KafkaMirrorMaker2"
_SIDES = dict(zip(CLUSTER_PREFIXES, ("sourceCluster", "targetCluster"), strict=True))
_CONNECTORS: Mapping[str, ConnectorKind] = {f"{kind}Connector": kind for kind in KINDS}
# fields of a mirror that are keys of its connectors
_OF_TOPICS: tuple[ConnectorKind, ...] = ("source", "checkpoint")
_OF_GROUPS: tuple[ConnectorKind, ...] = ("checkpoint",)
_PATTERNS: Mapping[str, tuple[tuple[ConnectorKind, ...], str]] = {
    "topicsPattern": (_OF_TOPICS, TOPICS.key),
    "topicsExcludePattern": (_OF_TOPICS, TOPICS_EXCLUDE.key),
    "topicsBlacklistPattern": (_OF_TOPICS, TOPICS_EXCLUDE.key),
    "groupsPattern": (_OF_GROUPS, GROUPS.key),
    "groupsExcludePattern": (_OF_GROUPS, GROUPS_EXCLUDE.key),
    "groupsBlacklistPattern": (_OF_GROUPS, GROUPS_EXCLUDE.key),
}


def mirror_connectors(node: yaml.Node, comments: Comments, findings: Findings) -> Iterator[Connector]:
    """Yield the connectors of all mirrors; a cluster's config becomes keys below `source.cluster.` and its twin."""
    spec = members(members(node).get("spec"))
    for field in spec:
        if field not in ("clusters", "mirrors"):
            findings.note(f"{KIND}: spec.{field}", "is a part of Kafka Connect and is not kept")
    clusters = {scalar_of(members(item).get("alias")): item for item in _items(spec.get("clusters"))}
    configs = {alias: dict(_of_cluster(alias, item, comments, findings)) for alias, item in clusters.items()}
    name = scalar_of(members(members(node).get("metadata")).get("name"))
    for item in _items(spec.get("mirrors")):
        yield from _of_mirror(name, item, configs, comments, findings)


def _items(node: yaml.Node | None) -> list[yaml.Node]:
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _text(key: yaml.Node, value: yaml.Node, comments: Comments) -> Text:
    return Text(value=text_of(value), line=value.start_mark.line + 1, comment=comments.of(key.start_mark.line, value))


def _of_cluster(alias: str, item: yaml.Node, comments: Comments, findings: Findings) -> Iterator[tuple[str, Text]]:
    for key, value in pairs(item):
        field, line = scalar_of(key), key.start_mark.line + 1
        if field == "bootstrapServers":
            yield BOOTSTRAP, _text(key, value, comments)
        elif field == "config":
            for each, found in pairs(value):
                setting = find_key(scalar_of(each))
                if setting is not None and setting.role == "worker":
                    shown = Property(key=f"{alias}: {setting}", value="", line=each.start_mark.line + 1)
                    findings.note(shown, "is a key of Kafka Connect's workers and is not kept")
                else:
                    yield scalar_of(each), _text(each, found, comments)
        elif field != "alias":
            text = "is not kept: write security.protocol and its companions in the cluster's config"
            findings.warning(Property(key=f"{alias}: {field}", value="", line=line), text)


def _of_mirror(
    name: str, item: yaml.Node, configs: Mapping[str, Mapping[str, Text]], comments: Comments, findings: Findings
) -> Iterator[Connector]:
    fields = members(item)
    line = item.start_mark.line + 1
    common: dict[str, Text] = {}
    for alias, (prefix, field) in zip(ALIASES, _SIDES.items(), strict=True):
        cluster = scalar_of(fields.get(field))
        common[alias] = Text(value=cluster, line=line)
        common |= {f"{prefix}{key}": text for key, text in configs.get(cluster, {}).items()}
    flow = "->".join(common[alias].value for alias in ALIASES)
    patterns: list[tuple[tuple[ConnectorKind, ...], str, Text]] = []
    connectors: list[Connector] = []
    for key, value in pairs(item):
        field = scalar_of(key)
        if field in _PATTERNS:
            patterns.append((*_PATTERNS[field], _text(key, value, comments)))
        elif field in _CONNECTORS:
            connectors.append(_connector(f"{name}-{flow}", _CONNECTORS[field], key, value, comments))
        elif field not in _SIDES.values():
            shown = Property(key=f"{flow}: {field}", value="", line=key.start_mark.line + 1)
            findings.warning(shown, "is not a known field of a mirror and is not kept")
    for connector in connectors:
        given = {pattern: text for kinds, pattern, text in patterns if connector.kind in kinds}
        connector.config = common | given | connector.config
        if connector.kind == "checkpoint":
            connector.config.setdefault(SYNC_GROUP_OFFSETS.key, Text(value="false", line=connector.line))
        yield connector
        common = {key: replace(text, comment="") for key, text in common.items()}
        patterns = [(kinds, key, replace(text, comment="")) for kinds, key, text in patterns]


def _connector(name: str, kind: ConnectorKind, key: yaml.Node, fields: yaml.Node, comments: Comments) -> Connector:
    connector = Connector(name=f"{name}-{kind}", kind=kind, line=key.start_mark.line + 1)
    for each, value in pairs(fields):
        if scalar_of(each) == "config":
            connector.config |= {scalar_of(found): _text(found, text, comments) for found, text in pairs(value)}
        else:
            connector.parts[f"spec.{scalar_of(each)}"] = _text(each, value, comments)
    return connector
