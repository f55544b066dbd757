"""Puts clusters and flows into the service's configuration without REST."""

from replication.config import ReplicationConfig
from replication.config.tree.properties import PropertyPlace
from replication.domain.settings.registry.flow import EMIT_HEARTBEATS
from srm_service.configuration.contracts import AppliedChange, PropertyChange
from srm_service.configuration.form_fields import aliases_change, aliases_in, definition_changes
from srm_service.configuration.selectors import current_tree
from srm_service.configuration.services import apply_changes


def config_import(config: ReplicationConfig) -> AppliedChange:
    """Store clusters and flows with all their fields; pairs without a definition have no heartbeats, so no flow."""
    quiet = PropertyPlace(level="global", name=EMIT_HEARTBEATS.key)
    changes = definition_changes(config.clusters, config.flows, origin="test")
    aliases = dict.fromkeys((*aliases_in(current_tree()), *(cluster.alias for cluster in config.clusters)))
    changes += [aliases_change(list(aliases)), PropertyChange(place=quiet, value="false")]
    return apply_changes(changes, by="test", comment="")
