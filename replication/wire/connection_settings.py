"""kafka-python's connection settings from Java's client keys, with defaults that suit a replicator."""

import socket
from collections.abc import Mapping
from typing import Any

from replication.domain.errors import ConfigurationError

PROTOCOL_VERSION = "srm.protocol.version"  # speak no newer protocol than this Kafka version's, for proxies and tests
REQUEST_TIMEOUT_MS = 30_000
LONGEST_BACKOFF_MS = 5_000
# Java key -> (kafka-python's name, default); None: the library's own
_TIMES: tuple[tuple[str, str, int | None], ...] = (
    ("request.timeout.ms", "request_timeout_ms", REQUEST_TIMEOUT_MS),
    ("reconnect.backoff.ms", "reconnect_backoff_ms", None),
    ("reconnect.backoff.max.ms", "reconnect_backoff_max_ms", LONGEST_BACKOFF_MS),
    ("connections.max.idle.ms", "connections_max_idle_ms", None),
    ("socket.connection.setup.timeout.ms", "socket_connection_setup_timeout_ms", None),
    ("socket.connection.setup.timeout.max.ms", "socket_connection_setup_timeout_max_ms", None),
    ("metadata.max.age.ms", "metadata_max_age_ms", None),
)
_BUFFERS = (("send.buffer.bytes", socket.SO_SNDBUF), ("receive.buffer.bytes", socket.SO_RCVBUF))
_SOCKET_OPTIONS = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1), (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]


def connection_settings(client: Mapping[str, str], alias: str) -> dict[str, Any]:
    """Keyword arguments for the connection manager. Raises ConfigurationError naming the cluster and the key."""
    settings: dict[str, Any] = {}
    for key, name, default in _TIMES:
        value = _number(client, key, alias)
        value = default if value is None else value
        if value is not None:
            settings[name] = value
    sizes = [(option, _number(client, key, alias)) for key, option in _BUFFERS]
    # Java's -1, and here also 0, leave the size to the system
    chosen = [(socket.SOL_SOCKET, option, size) for option, size in sizes if size is not None and size > 0]
    if chosen:
        settings["socket_options"] = [*_SOCKET_OPTIONS, *chosen]
    version = client.get(PROTOCOL_VERSION, "").strip()
    if version:
        settings["api_version"] = _version(version, alias)
    return settings


def _number(client: Mapping[str, str], key: str, alias: str) -> int | None:
    text = client.get(key, "").strip()
    if not text:
        return None
    try:
        value = int(text)
    except ValueError as error:
        raise ConfigurationError(f"cluster {alias}: {key}={text!r} is no whole number", cluster=alias) from error
    if value < -1:
        raise ConfigurationError(f"cluster {alias}: {key}={text!r} is negative", cluster=alias)
    return value


def _version(text: str, alias: str) -> tuple[int, ...]:
    parts = text.split(".")
    if len(parts) != 2 or not all(part.isdigit() for part in parts) or (int(parts[0]), int(parts[1])) < (2, 8):
        raise ConfigurationError(
            f"cluster {alias}: {PROTOCOL_VERSION}={text!r} must be a Kafka version from 2.8 on, such as 3.9",
            cluster=alias,
        )
    return tuple(int(part) for part in parts)
