"""Ports stay the same over restarts and never collide."""

import json
import socket
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from srm_cli.machine.ports import LOOPBACK, free_port, is_free, remembered_port


def test_a_port_somebody_listens_on_is_not_free() -> None:
    with socket.create_server((LOOPBACK, 0)) as listener:
        assert not is_free(listener.getsockname()[1])


@settings(max_examples=20)
@given(taken=st.sets(st.integers(20_000, 32_000), max_size=200))
def test_a_free_port_is_outside_the_taken_ones_and_below_those_of_outgoing_connections(taken: set[int]) -> None:
    port = free_port(taken)
    assert port not in taken
    assert 20_000 <= port <= 32_000


def test_the_same_name_gets_the_same_port_again(tmp_path: Path) -> None:
    path = tmp_path / "ports.json"
    first = remembered_port(path, "redis")
    assert remembered_port(path, "redis") == first
    assert remembered_port(path, "other") != first


def test_a_remembered_port_that_was_taken_meanwhile_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "ports.json"
    with socket.create_server((LOOPBACK, 0)) as listener:
        taken = listener.getsockname()[1]
        path.write_text(json.dumps({"redis": taken}))
        assert remembered_port(path, "redis") != taken
