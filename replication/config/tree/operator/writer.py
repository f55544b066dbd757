"""Writes the flows of a tree as resources: mirrors as KafkaMirrorMaker2, other connectors as KafkaConnector.

The connectors of a flow are written in the order source, checkpoint, heartbeat.
"""

from collections.abc import Iterator

from replication.config.files.findings import Findings
from replication.config.tree.operator.connector_config import Flows, alias_lines
from replication.config.tree.operator.connectors import class_of
from replication.config.tree.operator.mirror_writer import Mirrors
from replication.config.tree.operator.resource_keys import API_VERSION, NAME, ConnectorKind
from replication.config.tree.operator.resource_text import config_lines, given_or, metadata_lines, part_lines
from replication.config.tree.properties import PropertyTree
from replication.domain.identifiers import FlowId

_CLUSTER_LABEL = "metadata.labels.strimzi.io/cluster"


def write_resources(tree: PropertyTree, findings: Findings) -> str:
    """Return the YAML text. Every flow must name its connectors by `resource.<connector>.metadata.name`."""
    flows = Flows(tree)
    mirrors = Mirrors(flows)
    resources: list[Iterator[str]] = []
    for flow in flows.properties:
        if mirrors.is_first(flow):
            resources.append(mirrors.resource(flow))
        alone = (kind for kind in flows.kinds(flow) if kind not in mirrors.kinds(flow))
        resources += [_resource(flows, flow, kind, findings) for kind in alone]
    return "---\n".join("\n".join(lines) + "\n" for lines in resources)


def _resource(flows: Flows, flow: FlowId, kind: ConnectorKind, findings: Findings) -> Iterator[str]:
    parts = flows.parts(flow, kind)
    yield from given_or(API_VERSION, "apiVersion", parts.get("apiVersion"), "")
    yield "kind: KafkaConnector"
    yield from metadata_lines(parts)
    if _CLUSTER_LABEL not in parts:
        name = parts[NAME].value
        findings.note(f"{name}: {_CLUSTER_LABEL}", "is missing; set it to the name of the Kafka Connect cluster")
    yield "spec:"
    yield from given_or(class_of(kind), "class", parts.get("spec.class"), "  ")
    for part, prop in flows.spec_parts(flow, kind).items():
        yield from part_lines(part, prop, "  ")
    yield "  config:"
    for line in (*alias_lines(flow), *flows.config(flow, kind)):
        yield from config_lines(line, "    ")
