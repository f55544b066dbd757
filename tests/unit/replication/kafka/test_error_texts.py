"""Texts of librdkafka's errors, as people read them."""

import pytest

from replication.kafka.error_translation import without_noise

_REFUSED = "Connect to ipv4#127.0.0.1:1 failed: Connection refused"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"127.0.0.1:1/bootstrap: {_REFUSED} (after 0ms in state CONNECT)", _REFUSED),
        (f"b1:9092/7: {_REFUSED} (after 12ms in state CONNECT, 1 identical error(s) suppressed)", _REFUSED),
        ("b1:9092/7: Failed to resolve 'b1:9092' (try again)", "Failed to resolve 'b1:9092' (try again)"),
        ("Local: Timed out", "Local: Timed out"),
    ],
)
def test_names_of_connections_and_their_states_are_removed(text: str, shown: str) -> None:
    assert without_noise(text) == shown
