"""The property hierarchy: parse, resolve with provenance, validate, list all errors at once."""

from replication.config.loader import load
from replication.config.model import (
    ClusterDefinition,
    ConfigError,
    Finding,
    FlowDefinition,
    PolicyDefinition,
    ReplicationConfig,
)

__all__ = [
    "ClusterDefinition",
    "ConfigError",
    "Finding",
    "FlowDefinition",
    "PolicyDefinition",
    "ReplicationConfig",
    "load",
]
