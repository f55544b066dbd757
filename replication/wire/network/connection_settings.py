"""kafka-python's connection settings from Java's client keys, with defaults that suit a replicator."""

import socket
from collections.abc import Mapping
from typing import Any, TypeVar

from replication.domain.errors import ConfigurationError
from replication.domain.settings.value_types import CLIENT_NUMBER, KAFKA_VERSION, ValueType

T = TypeVar("T")

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
        settings["api_version"] = _parsed(KAFKA_VERSION, PROTOCOL_VERSION, version, alias)
    return settings


def _number(client: Mapping[str, str], key: str, alias: str) -> int | None:
    text = client.get(key, "").strip()
    return _parsed(CLIENT_NUMBER, key, text, alias) if text else None


def _parsed(values: ValueType[T], key: str, text: str, alias: str) -> T:
    try:
        return values.parse(text)
    except ValueError as error:
        raise ConfigurationError(
            f"cluster {alias}: {key} must be {values.allowed}, not {text!r}", cluster=alias
        ) from error
