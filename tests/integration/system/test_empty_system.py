"""`srm demo --empty`: the commands that it prints start a flow, and a document brings the system back."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml

from tests.support.kafka.kafka_records import end_offsets
from tests.support.system import RunningSystem

pytestmark = [pytest.mark.kafka, pytest.mark.system, pytest.mark.timeout(300)]

_LAST_HINT = "--add 'orders.*'"
_FIRST_RECORD_S = 60
_PARTITIONS = 6
_OF_ONE_REVISION = ("revision", "published_ms", "sha256", "signature")


@pytest.fixture
def system(kafka_jars: Path, tmp_path: Path) -> Iterator[RunningSystem]:
    running = RunningSystem(tmp_path / "srm", kafka_jars, options=("--empty",))
    try:
        running.start(_LAST_HINT)
        yield running
    finally:
        running.stop()
    assert running.leftovers() == []


def printed_commands(system: RunningSystem) -> list[str]:
    """The commands that the demo prints, without the time before them."""
    return [line.split("  ", 1)[1] for line in system.log().splitlines() if "/srm-control " in line]


def run(command: str) -> str:
    """Return the output of a command line, as a shell in another folder runs it."""
    done = subprocess.run(command, shell=True, cwd="/", capture_output=True, text=True, timeout=60, check=False)  # noqa: S602
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def copied(system: RunningSystem) -> int:
    (target,) = (each for each in system.get("clusters")["items"] if each["alias"] == "eu-central")
    return sum(end_offsets(target["bootstrap"][0], "us-east.orders", _PARTITIONS))


def desired(system: RunningSystem) -> dict[str, Any]:
    """The document in Redis without the fields that differ in every revision."""
    url = json.loads((system.home / "secrets.json").read_text())["SRM_REDIS_URL"]
    with redis.Redis.from_url(url, decode_responses=True) as client:
        document = json.loads(str(client.get("srm:desired:eu-central")))
    return {name: value for name, value in document.items() if name not in _OF_ONE_REVISION}


@pytest.mark.large  # two starts; every day: test_control_tool.py
def test_printed_commands_start_a_flow_and_a_document_restores_it(system: RunningSystem, tmp_path: Path) -> None:
    assert system.get("clusters")["items"] == []
    commands = printed_commands(system)
    for command in commands:
        run(command)
    system.wait_until("the first record is copied", lambda: copied(system) > 0, _FIRST_RECORD_S)
    system.wait_until(
        "REST shows the topic", lambda: system.flow("us-east", "eu-central")["topics"] == 1, _FIRST_RECORD_S
    )

    control = commands[0].split(" clusters add")[0]
    run(f"{control} topics --source us-east --target eu-central --add-denied 'orders-tmp.*'")
    run(f"{control} flows change 'us-east->eu-central' --set tasks.max=2 --owner ann --label team=pay")
    run(f"{control} config set connectors.sync.topic.acls.enabled=false")
    document = tmp_path / "a.yaml"
    document.write_text(run(f"{control} export"))
    before, records = desired(system), copied(system)

    system.stop()
    (system.home / "service" / "db.sqlite3").unlink()
    system.start(_LAST_HINT)
    assert system.get("replications")["items"] == []
    run(f"{control} apply -f {document}")

    assert run(f"{control} diff -f {document}") == ""
    assert yaml.safe_load(run(f"{control} export")) == yaml.safe_load(document.read_text())
    assert desired(system) == before
    system.wait_until("the flow continues", lambda: copied(system) > records, _FIRST_RECORD_S)
