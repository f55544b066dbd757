"""Puts clusters and flows into the service's configuration without REST."""

from collections.abc import Sequence

from replication.config import ClusterDefinition, FlowDefinition, ReplicationConfig
from replication.config.tree.properties import PropertyPlace
from replication.domain.settings.registry.flow import EMIT_HEARTBEATS
from srm_service.configuration.contracts import AppliedChange, PropertyChange
from srm_service.configuration.forms.fields import (
    FLOW_FIELDS,
    aliases_change,
    aliases_in,
    cluster_changes,
    flow_changes,
)
from srm_service.configuration.selectors import current_tree
from srm_service.configuration.services import apply_changes


def config_import(config: ReplicationConfig) -> AppliedChange:
    """Store clusters and flows with all their fields; pairs without a definition have no heartbeats, so no flow."""
    quiet = PropertyPlace(level="global", name=EMIT_HEARTBEATS.key)
    changes = _definitions(config.clusters, config.flows)
    aliases = dict.fromkeys((*aliases_in(current_tree()), *(cluster.alias for cluster in config.clusters)))
    changes += [aliases_change(list(aliases)), PropertyChange(place=quiet, value="false")]
    return apply_changes(changes, by="test", comment="")


def _definitions(clusters: Sequence[ClusterDefinition], flows: Sequence[FlowDefinition]) -> list[PropertyChange]:
    """Return the changes that store these clusters and flows, every field of them."""
    changes = [aliases_change([cluster.alias for cluster in clusters], origin="test")]
    for cluster in clusters:
        client = {**cluster.client, **cluster.secrets}
        changes += cluster_changes(cluster.alias, bootstrap=cluster.bootstrap, client=client, origin="test")
    for flow in flows:
        fields = {name: getattr(flow, name) for name in (*FLOW_FIELDS, "policy", "connectors")}
        changes += flow_changes(flow.source, flow.target, fields, origin="test")
    return changes
