"""Lines in JSON name flow, topic and partition in fields of their own."""

import json
import subprocess
import sys
from typing import Any

import pytest

from replication.worker.reporting.logs import named_places

_WRITES = """
import logging
import structlog
from replication.worker.reporting.logs import configure_logs
configure_logs("INFO", "json", {"driver": "d1", "role": "data"})
structlog.get_logger("one").info("slot started", task="east/source/0", target="west")
structlog.get_logger("one").debug("not shown")
logging.getLogger("library").warning("lost %s", "connection")
try:
    1 / 0
except ZeroDivisionError:
    structlog.get_logger("one").exception("round failed")
"""


@pytest.mark.parametrize(
    ("given", "added"),
    [
        ({"task": "east/source/0", "target": "west"}, {"flow": "east->west"}),
        ({"source": "east", "target": "west"}, {"flow": "east->west"}),
        ({"task": "east/source/0"}, {}),
        ({"task": "none", "target": "west"}, {}),
        ({"target": "west", "flow": "north->west"}, {}),
        ({"partition": "my-orders-12"}, {"topic": "my-orders", "partition": 12}),
        ({"partition": 3}, {}),
        ({"topic": "orders", "partition": "7"}, {}),
    ],
)
def test_places_are_named(given: dict[str, Any], added: dict[str, Any]) -> None:
    assert named_places(None, "info", dict(given)) == {**given, **added}


def test_every_line_is_json_also_those_of_libraries() -> None:
    ended = subprocess.run([sys.executable, "-c", _WRITES], capture_output=True, text=True, timeout=120, check=True)

    started, lost, failed = map(json.loads, ended.stderr.splitlines())
    assert (started["event"], started["flow"], started["driver"], started["level"]) == (
        "slot started",
        "east->west",
        "d1",
        "info",
    )
    assert (lost["event"], lost["logger"], lost["level"]) == ("lost connection", "library", "warning")
    assert "ZeroDivisionError" in failed["exception"]
