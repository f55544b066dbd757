"""The desired document: the flows a service wants into one target cluster (docs/contracts/desired-document.md).

The service writes it with `desired_to_json`; drivers read it with `desired_from_json`, which drops what it cannot
understand flow by flow, so one bad flow never stops its neighbours.
"""

import hashlib
import json
from dataclasses import dataclass, field

from replication.domain.desired.desired_fields import cluster_from, cluster_to, flow_from, flow_to
from replication.domain.desired.desired_flow import (
    ConnectorSettings,
    DesiredCluster,
    DesiredFlow,
    Hold,
    NamePatterns,
    Pause,
    PolicyChoice,
    Reset,
    ToOffset,
    ToTimestamp,
)
from replication.domain.desired.json_reader import FieldError, JsonReader
from replication.domain.json_documents import read_json

__all__ = [
    "DESIRED_VERSION",
    "ConnectorSettings",
    "DesiredCluster",
    "DesiredDocument",
    "DesiredDocumentError",
    "DesiredFlow",
    "Hold",
    "NamePatterns",
    "Pause",
    "PolicyChoice",
    "Rejected",
    "Reset",
    "ToOffset",
    "ToTimestamp",
    "content_sha256",
    "desired_from_json",
    "desired_to_json",
]

DESIRED_VERSION = 1


class DesiredDocumentError(ValueError):
    """The document as a whole cannot be used; keep the one before and tell the operator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A part of the document that was not applied, by path, e.g. `flows[2].tasks_max`.

    `source` is that of the flow whose former definition stays in force; empty where it is another part, or unknown.
    """

    path: str
    error: str
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesiredDocument:
    """Everything wanted for one target cluster; `revision` grows with each publication."""

    target: str
    revision: int
    published_ms: int
    clusters: dict[str, DesiredCluster] = field(default_factory=dict)
    flows: tuple[DesiredFlow, ...] = ()

    @property
    def control_offset(self) -> int | None:
        """The greatest of its flows' control offsets; None if no flow has lists."""
        return max((flow.control_offset for flow in self.flows if flow.control_offset is not None), default=None)

    def is_replaced_by(self, other: "DesiredDocument") -> bool:
        """True for a document that was in force before the other one, although its signature is still right.

        A service whose database was restored publishes lower revisions, but later.
        """
        return self.revision < other.revision and self.published_ms <= other.published_ms

    def flow(self, source: str) -> DesiredFlow | None:
        return next((flow for flow in self.flows if flow.source == source), None)


def desired_to_json(document: DesiredDocument) -> str:
    """The document as published, with its own checksum."""
    return json.dumps(
        {
            "v": DESIRED_VERSION,
            "target": document.target,
            "revision": document.revision,
            "published_ms": document.published_ms,
            "sha256": content_sha256(document),
            "control_offset": document.control_offset,
            "clusters": {alias: cluster_to(cluster) for alias, cluster in document.clusters.items()},
            "flows": [flow_to(flow) for flow in document.flows],
        },
        separators=(",", ":"),
    )


def desired_from_json(text: str | bytes) -> tuple[DesiredDocument, tuple[Rejected, ...]]:
    """Read a published document. DesiredDocumentError when nothing of it can be used."""
    try:
        fields = JsonReader(read_json(text))
        _check_version(fields.integer("v"))
        target, revision = fields.text("target"), fields.integer("revision", least=0)
        published_ms = fields.integer("published_ms", least=0)
        clusters, bad_clusters = _read_clusters(fields)
        flows, bad_flows = _read_flows(fields, frozenset(clusters), target)
    except DesiredDocumentError:
        raise
    except ValueError as error:
        raise DesiredDocumentError(f"the desired document cannot be read: {error}") from error
    document = DesiredDocument(
        target=target,
        revision=revision,
        published_ms=published_ms,
        clusters=clusters,
        flows=flows,
    )
    return document, bad_clusters + bad_flows


def content_sha256(document: DesiredDocument) -> str:
    """Hex digest over clusters and flows without secrets: equal content, equal digest, whichever keys are in use."""
    clusters = {alias: cluster_to(cluster) for alias, cluster in document.clusters.items()}
    for cluster in clusters.values():
        cluster.pop("secret")
    content = {"clusters": clusters, "flows": [flow_to(flow) for flow in document.flows]}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _check_version(version: int) -> None:
    if version > DESIRED_VERSION:
        raise DesiredDocumentError(
            f"the desired document has version {version}, this program reads {DESIRED_VERSION}: upgrade the driver"
        )


def _read_clusters(fields: JsonReader) -> tuple[dict[str, DesiredCluster], tuple[Rejected, ...]]:
    clusters: dict[str, DesiredCluster] = {}
    rejected: list[Rejected] = []
    for alias, value in fields.nested("clusters").members():
        try:
            clusters[alias] = cluster_from(value, f"clusters.{alias}")
        except FieldError as error:
            rejected.append(Rejected(path=error.path, error=error.problem))
    return clusters, tuple(rejected)


def _read_flows(
    fields: JsonReader, aliases: frozenset[str], target: str
) -> tuple[tuple[DesiredFlow, ...], tuple[Rejected, ...]]:
    flows: list[DesiredFlow] = []
    rejected: list[Rejected] = []
    for at, value in enumerate(fields.items("flows")):
        path = f"flows[{at}]"
        try:
            flow = flow_from(value, path)
            _check_clusters(flow, path, aliases, target)
        except FieldError as error:
            rejected.append(Rejected(path=error.path, error=error.problem, source=_source_of(value)))
            continue
        if any(other.source == flow.source for other in flows):
            rejected.append(Rejected(path=path, error=f"a second flow {flow.source}->{target}"))
        else:
            flows.append(flow)
    return tuple(flows), tuple(rejected)


def _source_of(flow: object) -> str:
    source = flow.get("source") if isinstance(flow, dict) else None
    return source if isinstance(source, str) else ""


def _check_clusters(flow: DesiredFlow, path: str, aliases: frozenset[str], target: str) -> None:
    for alias in (flow.source, target):
        if alias not in aliases:
            raise FieldError(f"{path}.source", f"cluster {alias} of flow {flow.source}->{target} is not defined")
