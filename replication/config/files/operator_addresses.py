"""The connection to each cluster of a connector, out of the prefixes that name a cluster, a client or both.

A cluster is reached in one way by all clients here. So the prefix that ranks highest counts: first those of a cluster's
client, then those of a client, then those of a cluster. `admin.` means both clusters and ranks last.
"""

from collections.abc import Iterator, Mapping

from replication.config.files.findings import Findings
from replication.config.files.java_properties import RawProperty
from replication.config.files.operator_resources import ALIASES, Connector
from replication.config.settings.prefixes import is_connection_key

BOOTSTRAP = "bootstrap.servers"
# by rank; the client that handles the records comes before the others
_OF_SOURCE = ("source.consumer.", "source.admin.", "source.producer.", "consumer.", "source.cluster.", "admin.")
_OF_TARGET = (
    "producer.override.",
    "target.producer.",
    "target.admin.",
    "target.consumer.",
    "producer.",
    "target.cluster.",
    "admin.",
)
_WRITES = tuple(f"{prefix}{BOOTSTRAP}" for prefix in _OF_TARGET)


def is_address(key: str) -> bool:
    """Return whether a key of a connector belongs to the connection to one of its clusters."""
    return any(key.startswith(prefix) and is_connection_key(key.removeprefix(prefix)) for prefix in _PREFIXES)


def addresses(connector: Connector, findings: Findings) -> Iterator[RawProperty]:
    """Yield the connection keys of both clusters, below their aliases."""
    found = [_chosen(connector, prefixes, findings) for prefixes in (_OF_SOURCE, _OF_TARGET)]
    for alias, own, other, keys in zip(connector.aliases, found, reversed(found), ALIASES, strict=True):
        for name, key in own.items():
            value, line = connector.config[key]
            yield RawProperty(key=f"{alias}.{name}", value=value, line=line)
        if connector.kind == "heartbeat" and BOOTSTRAP not in own and BOOTSTRAP in other:
            value, line = connector.config[other[BOOTSTRAP]]
            yield RawProperty(key=f"{alias}.{BOOTSTRAP}", value=value, line=line)
            taken = next(each for each in connector.aliases if each != alias)
            text = f"is missing; the address of {taken} is taken, correct it before the flow is enabled"
            findings.warning(connector.at(f"{keys.removesuffix('alias')}{BOOTSTRAP}"), text)


def written_at(heartbeat: Connector) -> str | None:
    """Return the address at which a heartbeat connector writes."""
    return next((heartbeat.value(key) for key in _WRITES if key in heartbeat.config), None)


def source_address(connector: Connector) -> str | None:
    """Return the address of a connector's source cluster."""
    keys = (f"{prefix}{BOOTSTRAP}" for prefix in _OF_SOURCE)
    return next((connector.value(key) for key in keys if key in connector.config), None)


def _chosen(connector: Connector, prefixes: tuple[str, ...], findings: Findings) -> Mapping[str, str]:
    """Return the key that counts by the name of the connection key; report those that it beats."""
    chosen: dict[str, str] = {}
    for prefix in prefixes:
        for key in connector.config:
            name = key.removeprefix(prefix)
            if not key.startswith(prefix) or not is_connection_key(name):
                continue
            winner = chosen.setdefault(name, key)
            if connector.value(winner) != connector.value(key):
                text = f"is not used: {winner} counts, because all clients reach a cluster in one way"
                findings.warning(connector.at(key), text)
    return chosen


_PREFIXES = tuple(dict.fromkeys((*_OF_SOURCE, *_OF_TARGET)))
