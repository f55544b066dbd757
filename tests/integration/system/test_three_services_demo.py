"""`srm demo --three-services`: the first service shows the flows of all three, and `srm stop` ends every process."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.system import ROOT, RunningSystem

pytestmark = [pytest.mark.kafka, pytest.mark.system, pytest.mark.large, pytest.mark.timeout(500)]

_OPTIONS = ("--three-services", "--no-metrics")
_FLOWS = {("us-east", "eu-central"), ("eu-central", "us-east"), ("us-east", "analytics")}


@pytest.fixture
def system(kafka_jars: Path, tmp_path: Path) -> Iterator[RunningSystem]:
    running = RunningSystem(tmp_path / "srm", kafka_jars, options=_OPTIONS, service="three-services/eu-central")
    try:
        running.start()
        yield running
    finally:
        running.stop()
    assert running.leftovers() == []


def rates(system: RunningSystem) -> dict[tuple[str, str], float | None]:
    """Records per second by flow, as the list of the gateway has them."""
    return {
        (flow["source"], flow["target"]): flow["metrics"]["records_per_second"]["latest"]
        for flow in system.get("replications")["items"]
    }


def services(system: RunningSystem) -> dict[str, Any]:
    return {each["cluster"]: each for each in system.get("remote-services")["items"]}


def test_the_gateway_shows_the_flows_of_all_three_and_stop_ends_them(system: RunningSystem) -> None:
    def all_flow() -> bool:
        found = rates(system)
        return found.keys() == _FLOWS and all(found.values())

    system.wait_until("records flow in all three flows", all_flow, 180)
    answer = system.get("replications")
    addresses = {flow["target"]: flow["service"] for flow in answer["items"]}

    assert addresses == {
        "eu-central": None,
        "us-east": f"http://127.0.0.1:{system.port + 1}",
        "analytics": f"http://127.0.0.1:{system.port + 2}",
    }
    assert answer["partial"] == []
    assert {name: each["use"] for name, each in services(system).items()} == {"us-east": "asked", "analytics": "asked"}

    environment = {**os.environ, "SRM_HOME": str(system.home)}
    done = subprocess.run([sys.executable, "-m", "srm_cli", "stop"], cwd=ROOT, env=environment, timeout=120, check=True)
    assert done.returncode == 0
    assert system.leftovers() == []
