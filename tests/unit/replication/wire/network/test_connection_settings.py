import socket

import pytest

from replication.domain.errors import ConfigurationError
from replication.wire.network.connection_settings import connection_settings


def test_defaults_suit_a_replicator() -> None:
    assert connection_settings({}, "a") == {"request_timeout_ms": 30_000, "reconnect_backoff_max_ms": 5_000}


def test_javas_keys_reach_the_connections() -> None:
    client = {
        "request.timeout.ms": "40000",
        "reconnect.backoff.ms": "10",
        "reconnect.backoff.max.ms": "1000",
        "connections.max.idle.ms": "60000",
        "receive.buffer.bytes": "65536",
        "send.buffer.bytes": "-1",
        "srm.protocol.version": "3.9",
    }
    settings = connection_settings(client, "a")

    assert settings["request_timeout_ms"] == 40_000
    assert settings["reconnect_backoff_ms"] == 10
    assert settings["connections_max_idle_ms"] == 60_000
    assert settings["api_version"] == (3, 9)
    assert settings["socket_options"][-1] == (socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("request.timeout.ms", "soon"),
        ("connections.max.idle.ms", "-5"),
        ("srm.protocol.version", "2.7"),
        ("srm.protocol.version", "four"),
    ],
)
def test_nonsense_is_named_with_cluster_and_key(key: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=f"cluster a: {key} must be .*, not '{value}'"):
        connection_settings({key: value}, "a")
