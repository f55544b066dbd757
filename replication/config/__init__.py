"""The property hierarchy: parse, resolve with provenance, validate, list all errors together."""

from replication.config.files.loader import load
from replication.config.flows.model import (
    ClusterDefinition,
    ConfigError,
    ConfigFinding,
    FlowDefinition,
    ReplicationConfig,
)

__all__ = [
    "ClusterDefinition",
    "ConfigError",
    "ConfigFinding",
    "FlowDefinition",
    "ReplicationConfig",
    "load",
]
