"""Reads a configuration file into a `ReplicationConfig`."""

from pathlib import Path

from replication.config.files.dialects import DIALECTS, MM2, OPERATOR
from replication.config.files.findings import Findings
from replication.config.files.java_properties import PropertiesSyntaxError, RawProperty, parse_properties
from replication.config.files.levels import place
from replication.config.files.providers import ProviderError, resolve
from replication.config.flows.clusters import read_aliases, read_cluster
from replication.config.flows.flows import read_flows
from replication.config.flows.model import ConfigError, ConfigFinding, Property, ReplicationConfig
from replication.config.settings.review import review, review_differences
from replication.domain.settings.registry.flow import CLUSTERS


def load(path: Path, dialect: str = "mm2") -> ReplicationConfig:
    """Read a whole file. Raises ConfigError with every error found."""
    findings = Findings()
    chosen = DIALECTS.get(dialect)
    if chosen is None:
        raise _unusable("dialect", f"{dialect!r} is not one of {', '.join(DIALECTS)}")
    found = _connectors(path, findings) if chosen is OPERATOR else _parse(path)
    properties = [_expanded(raw, findings) for raw in found]
    clusters = next((prop for prop in reversed(properties) if prop.key == CLUSTERS.key), None)
    aliases = read_aliases(clusters, findings)
    if not aliases:
        findings.check()
    levels = place(aliases, properties, findings, has_levels=chosen.levels)
    review(levels, findings, has_levels=chosen.levels)
    if chosen is MM2:
        review_differences(levels, findings)
    definitions = tuple(read_cluster(alias, levels, findings) for alias in aliases)
    flows = read_flows(levels, chosen, findings)
    return ReplicationConfig(clusters=definitions, flows=flows, findings=findings.check())


def _connectors(path: Path, findings: Findings) -> list[RawProperty]:
    """The YAML reader comes with the service; a driver alone never needs it."""
    try:
        from replication.config.files.operator_connectors import read_connectors
    except ImportError as error:
        raise _unusable("dialect", f"the operator dialect needs the package {error.name}; install it") from error
    return read_connectors(_text(path), findings)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise _unusable(str(path), f"cannot be read: {error.strerror}; check the path and its permissions") from error
    except UnicodeDecodeError as error:
        raise _unusable(str(path), "is not UTF-8 text; is it a configuration file?") from error


def _parse(path: Path) -> list[RawProperty]:
    try:
        return list(parse_properties(_text(path)))
    except PropertiesSyntaxError as error:
        raise _unusable(str(path), f"{error.problem}; write \\\\ for a backslash", line=error.line) from error


def _expanded(raw: RawProperty, findings: Findings) -> Property:
    try:
        value = resolve(raw.value)
    except ProviderError as error:
        value = raw.value
        findings.error(Property(key=raw.key, value=raw.value, line=raw.line), str(error))
    return Property(key=raw.key, value=value, line=raw.line, is_external=value != raw.value)


def _unusable(key: str, message: str, line: int | None = None) -> ConfigError:
    return ConfigError((ConfigFinding(severity="error", key=key, line=line, message=message),))
