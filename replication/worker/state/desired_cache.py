"""The last valid desired document of each target, from Redis or from disk; it survives an empty Redis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import structlog

from replication.config.security.secrets import open_sealed
from replication.config.security.signed_document import is_signed
from replication.domain.desired.desired_document import (
    DesiredCluster,
    DesiredDocument,
    DesiredDocumentError,
    DesiredFlow,
    Rejected,
    desired_from_json,
)
from replication.domain.errors import ConfigurationError
from replication.domain.plan.slot import ClusterClient
from replication.worker.state.state_folder import StateFolder

log = structlog.get_logger(__name__)

_NOT_GENUINE = (
    "its signature is missing or wrong: give service and drivers the same SRM_TRANSPORT_KEYS, and update the service "
    "before the drivers"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedDesired:
    """A desired document in force, with the decrypted client settings of its clusters."""

    document: DesiredDocument
    clients: dict[str, ClusterClient]
    rejected: tuple[Rejected, ...]


class DesiredCache:
    """Used by the coordinator thread only."""

    def __init__(self, folder: StateFolder, transport_keys: Sequence[str]) -> None:
        self._folder = folder
        self._keys = transport_keys
        self._seen: dict[str, bytes] = {}
        self._applied: dict[str, AppliedDesired] = {}
        self.changes = 0  # of what is in force

    def known_targets(self) -> frozenset[str]:
        return frozenset(self._applied)

    def get(self, target: str) -> AppliedDesired | None:
        return self._applied.get(target)

    def load_from_disk(self) -> None:
        """Load the documents of the last run; Redis overrides them as soon as it answers."""
        for target in self._folder.desired_targets():
            copy = self._folder.load_desired(target)
            if copy is None:
                log.warning("disk copy cannot be decrypted with the current transport keys", target=target)
            else:
                self._apply(target, copy)

    def update(self, target: str, raw: bytes | None) -> AppliedDesired | None:
        """Apply the document in Redis (None: there is none); returns the one in force."""
        is_new = raw is not None and raw != self._seen.get(target)
        if raw is not None and is_new and self._is_genuine(target, raw) and self._apply(target, raw):
            self._folder.save_desired(target, raw)
        return self._applied.get(target)

    def _is_genuine(self, target: str, raw: bytes) -> bool:
        if is_signed(self._keys, raw):
            return True
        self._refuse(target, raw, _NOT_GENUINE)
        return False

    def _apply(self, target: str, raw: bytes) -> bool:
        previous = self._applied.get(target)
        try:
            document, rejected = desired_from_json(raw)
        except DesiredDocumentError as error:
            self._refuse(target, raw, str(error))
            return False
        if document.target != target:
            self._refuse(target, raw, f"it is the document of target {document.target}")
            return False
        if previous is not None and document.is_replaced_by(previous.document):
            self._refuse(target, raw, _older(document, previous.document))
            return False
        self._seen[target] = raw
        self.changes += 1
        clients, bad_secrets = self._open(document.clusters, previous)
        flows, bad_flows = _usable_flows(document, rejected, previous, clients)
        self._applied[target] = AppliedDesired(
            document=replace(document, flows=flows), clients=clients, rejected=rejected + bad_secrets + bad_flows
        )
        log.info("desired state applied", target=target, revision=document.revision, flows=len(flows))
        for refused in rejected + bad_secrets + bad_flows:
            log.error("part of the desired state rejected", target=target, path=refused.path, error=refused.error)
        return True

    def _refuse(self, target: str, raw: bytes, error: str) -> None:
        self._seen[target] = raw
        self.changes += 1
        log.warning("desired document rejected, the previous one stays in force", target=target, error=error)
        previous = self._applied.get(target)
        if previous is not None:
            self._applied[target] = replace(previous, rejected=(Rejected(path="document", error=error),))

    def _open(
        self, clusters: Mapping[str, DesiredCluster], previous: AppliedDesired | None
    ) -> tuple[dict[str, ClusterClient], tuple[Rejected, ...]]:
        """Clients by alias; a cluster whose secret cannot be decrypted keeps its previous client."""
        clients: dict[str, ClusterClient] = {}
        rejected: list[Rejected] = []
        for alias, cluster in clusters.items():
            try:
                clients[alias] = open_client(self._keys, alias, cluster)
            except ConfigurationError as error:
                rejected.append(Rejected(path=f"clusters.{alias}.secret", error=error.text))
                if previous is not None and alias in previous.clients:
                    clients[alias] = previous.clients[alias]
        return clients, tuple(rejected)


def open_client(keys: Sequence[str], alias: str, cluster: DesiredCluster) -> ClusterClient:
    """Return the client settings of a cluster, decrypted. Raises ConfigurationError without the key of its secret."""
    secret = open_sealed(keys, cluster.secret) if cluster.secret else {}
    return ClusterClient(alias=alias, bootstrap=cluster.bootstrap, client=cluster.client | secret)


def _older(document: DesiredDocument, in_force: DesiredDocument) -> str:
    return (
        f"it is an older one, revision {document.revision}, and revision {in_force.revision} is in force; the service "
        "publishes the current one again within a minute"
    )


def _usable_flows(
    document: DesiredDocument,
    rejected: Sequence[Rejected],
    previous: AppliedDesired | None,
    clients: Mapping[str, ClusterClient],
) -> tuple[tuple[DesiredFlow, ...], tuple[Rejected, ...]]:
    """The flows that can run; one whose new definition was rejected keeps its previous definition."""
    sources = dict.fromkeys(each.source for each in rejected if each.source)
    kept = [] if previous is None else [previous.document.flow(source) for source in sources]
    flows = [*document.flows, *(flow for flow in kept if flow is not None and document.flow(flow.source) is None)]
    unusable = [flow for flow in flows if flow.source not in clients or document.target not in clients]
    refusals = tuple(
        Rejected(path=f"flows.{flow.source}", error="the settings of its cluster are invalid", source=flow.source)
        for flow in unusable
    )
    return tuple(flow for flow in flows if flow not in unusable), refusals
