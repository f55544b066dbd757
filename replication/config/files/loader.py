"""Reads a configuration file into a `ReplicationConfig`."""

from dataclasses import replace
from pathlib import Path

from replication.config.files.dialects import DIALECTS, MM2, OPERATOR, Dialect, likely_dialect
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
    chosen = DIALECTS.get(dialect)
    if chosen is None:
        raise _unusable("dialect", f"{dialect!r} is not one of {', '.join(DIALECTS)}")
    text = _text(path)
    doubt = _doubt(text, chosen)
    try:
        config = _read(path, text, chosen)
    except ConfigError as error:
        raise ConfigError((*error.findings, *(replace(each, severity="error") for each in doubt))) from error
    return replace(config, findings=(*doubt, *config.findings))


def _read(path: Path, text: str, dialect: Dialect) -> ReplicationConfig:
    findings = Findings()
    found = _connectors(text, findings) if dialect is OPERATOR else _parse(path, text)
    properties = [_expanded(raw, findings) for raw in found]
    clusters = next((prop for prop in reversed(properties) if prop.key == CLUSTERS.key), None)
    aliases = read_aliases(clusters, findings)
    if not aliases:
        findings.check()
    levels = place(aliases, properties, findings, has_levels=dialect.levels)
    review(levels, findings, has_levels=dialect.levels)
    if dialect is MM2:
        review_differences(levels, findings)
    definitions = tuple(read_cluster(alias, levels, findings) for alias in aliases)
    flows = read_flows(levels, dialect, findings)
    return ReplicationConfig(clusters=definitions, flows=flows, findings=findings.check())


def _doubt(text: str, dialect: Dialect) -> tuple[ConfigFinding, ...]:
    """Return a warning where the text looks like another dialect."""
    likely = likely_dialect(text)
    if likely is None or likely is dialect:
        return ()
    message = f"the file is read as {dialect.name}, but looks like {likely.name}; use --dialect {likely.name}"
    return (ConfigFinding(severity="warning", key="dialect", line=None, message=message),)


def _connectors(text: str, findings: Findings) -> list[RawProperty]:
    """The YAML reader comes with the service; a driver alone never needs it."""
    try:
        from replication.config.files.operator_connectors import read_connectors
    except ImportError as error:
        raise _unusable("dialect", f"the operator dialect needs the package {error.name}; install it") from error
    return read_connectors(text, findings)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise _unusable(str(path), f"cannot be read: {error.strerror}; check the path and its permissions") from error
    except UnicodeDecodeError as error:
        raise _unusable(str(path), "is not UTF-8 text; is it a configuration file?") from error


def _parse(path: Path, text: str) -> list[RawProperty]:
    try:
        return list(parse_properties(text))
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
