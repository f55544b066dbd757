"""Cluster definitions out of the levels: bootstrap servers and one identity per cluster."""

import re

from replication.config.files.findings import Findings
from replication.config.files.levels import Levels
from replication.config.flows.model import ClusterDefinition, Property
from replication.config.security.client_security import client_security
from replication.config.security.secrets import is_secret_name
from replication.config.settings.prefixes import BOOTSTRAP, RESERVED_ALIASES, is_connection_key
from replication.domain.errors import ConfigurationError
from replication.domain.names.filters import split_list
from replication.domain.settings.registry.flow import CLUSTERS

_ALIAS = re.compile(r"[a-zA-Z0-9._-]+")
_SERVER = re.compile(r"(?:[A-Z_]+://)?(?:\[[0-9a-fA-F:.%]+\]|[^\s:/\[\]]+):(\d{1,5})")


def read_aliases(clusters: Property | None, findings: Findings, *, is_complete: bool = True) -> tuple[str, ...]:
    """The value of `clusters`, every alias checked; a complete system has at least two of them."""
    if clusters is None:
        if is_complete:
            findings.error(CLUSTERS.key, "is missing; list the aliases, for example clusters = east, west")
        return ()
    aliases = tuple(dict.fromkeys(CLUSTERS.parse(clusters.value)))
    for alias in aliases:
        if alias.lower() in RESERVED_ALIASES:
            findings.error(clusters, f"{alias!r} cannot be an alias, it is a prefix of other keys; choose another name")
        elif not is_alias(alias):
            findings.error(clusters, f"alias {alias!r} may hold letters, digits, '.', '_' and '-' only")
    if len(aliases) < 2 and is_complete:
        findings.error(clusters, "needs at least two aliases: a flow goes from one cluster to another")
    return aliases


def is_alias(text: str) -> bool:
    """Return whether a text can be an alias; prefixes of other keys can be none, too."""
    return _ALIAS.fullmatch(text) is not None


def is_server(text: str) -> bool:
    """Return whether a text is the address of a broker, `host:port`."""
    match = _SERVER.fullmatch(text)
    return match is not None and 0 < int(match[1]) <= 65535


def read_cluster(alias: str, levels: Levels, findings: Findings) -> ClusterDefinition:
    """The cluster's own keys over those without prefix."""
    merged = {name: prop for name, prop in levels.top.items() if is_connection_key(name)}
    merged.pop(BOOTSTRAP, None)
    merged |= {name: prop for name, prop in levels.cluster(alias).items() if is_connection_key(name)}
    bootstrap = _bootstrap(alias, merged.pop(BOOTSTRAP, None), findings)
    values = {name: prop.value.strip() for name, prop in sorted(merged.items())}
    try:
        client_security(values, alias)
    except ConfigurationError as error:
        findings.error(f"{alias}.security.protocol" if "security.protocol" in merged else alias, error.text)
    secret = {name for name, prop in merged.items() if prop.is_external or is_secret_name(name)}
    return ClusterDefinition(
        alias=alias,
        bootstrap=bootstrap,
        client={name: value for name, value in values.items() if name not in secret},
        secrets={name: value for name, value in values.items() if name in secret},
    )


def _bootstrap(alias: str, prop: Property | None, findings: Findings) -> tuple[str, ...]:
    if prop is None:
        findings.error(f"{alias}.bootstrap.servers", "is missing; give the cluster's brokers as host:port, host:port")
        return ()
    servers = split_list(prop.value)
    if not servers:
        findings.error(prop, "is empty; give the cluster's brokers as host:port, host:port")
    for server in servers:
        if not is_server(server):
            findings.error(prop, f"{server!r} is not host:port")
    return servers
