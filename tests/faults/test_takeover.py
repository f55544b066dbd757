"""A flow goes from a killed MirrorMaker 2 to us and back again: no record is lost, none is on the target twice."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import create_topic, digest, end_offsets, produce, read_all
from tests.support.kafka.mirror_maker import mirror_maker, mirror_properties
from tests.support.system import ROOT, RunningSystem

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.timeout(470)]

PARTITIONS = 3
TOPIC = "takeover"
REMOTE = f"east.{TOPIC}"


def test_a_flow_moves_to_us_and_back_without_loss_or_double(
    two_clusters: TwoClusters, kafka_jars: Path, mirror_jars: Path, tmp_path: Path
) -> None:
    source, target = two_clusters.source.bootstrap, two_clusters.target.bootstrap
    properties = tmp_path / "mm2.properties"
    properties.write_text(_properties(source, target))
    create_topic(source, TOPIC, PARTITIONS)
    log = tmp_path / "mirror-maker.log"

    with mirror_maker(mirror_jars, properties, log):
        _write(source, 0, 900)
        _wait_for(target, 900)
    _write(source, 900, 1_500)
    with mirror_maker(mirror_jars, properties, log) as theirs:
        _wait_for(target, 1_500)
        running = _adopt(properties, "--check")
        theirs.kill()
    assert not running["stopped"]

    found = _until_stopped(properties)
    assert {part["standing"] for part in found["partitions"]} == {"refined"}
    assert [part["next_offset"] for part in found["partitions"]] == [500, 500, 500]
    assert _adopt(properties)["moved"] == PARTITIONS

    _write(source, 1_500, 2_100)
    ours = RunningSystem(tmp_path / "srm", kafka_jars, properties.read_text())
    try:
        ours.start()
        _wait_for(target, 2_100)
    finally:
        ours.stop()
    assert ours.leftovers() == []
    refused = _run(properties, "--give-back")
    assert refused.returncode == 1
    assert "drivers wrote metrics" in refused.stderr
    _until_given_back(properties)

    _write(source, 2_100, 2_400)
    with mirror_maker(mirror_jars, properties, log):
        _wait_for(target, 2_400)
    there, here = read_all(source, TOPIC, PARTITIONS), read_all(target, REMOTE, PARTITIONS)
    assert [digest(partition) for partition in there] == [digest(partition) for partition in here]


def _properties(source: str, target: str) -> str:
    lines = (f"{{flow}}.topics = {TOPIC}", "offset.flush.interval.ms = 600000")
    return mirror_properties(("east", source), ("west", target), *lines)


def _write(bootstrap: str, first: int, end: int) -> None:
    records = ({"key": str(n).encode(), "value": f"value {n}".encode(), "partition": n % PARTITIONS}
               for n in range(first, end))  # fmt: skip
    produce(bootstrap, TOPIC, records)


def _wait_for(bootstrap: str, records: int, timeout_s: float = 90) -> None:
    deadline = time.monotonic() + timeout_s
    copied = 0
    while copied < records:
        assert time.monotonic() < deadline, f"{copied} of {records} records arrived"
        time.sleep(0.3)
        try:
            copied = sum(end_offsets(bootstrap, REMOTE, PARTITIONS))
        except Exception:
            copied = 0


def _run(properties: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "srm_cli", "adopt", "--from", str(properties), "--json", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=90, check=False)


def _adopt(properties: Path, *options: str) -> dict[str, Any]:
    done = _run(properties, *options)
    assert done.returncode == 0, done.stderr
    (flow,) = json.loads(done.stdout)["flows"]
    answer: dict[str, Any] = flow
    return answer


def _until_stopped(properties: Path) -> dict[str, Any]:
    """A killed member leaves its group when its session ends."""
    deadline = time.monotonic() + 90
    while True:
        found = _adopt(properties, "--check")
        if found["stopped"]:
            return found
        assert time.monotonic() < deadline, "the killed MirrorMaker is still a member of its group"
        time.sleep(1)


def _until_given_back(properties: Path) -> None:
    deadline = time.monotonic() + 60
    while (done := _run(properties, "--give-back")).returncode != 0:
        assert time.monotonic() < deadline, done.stderr
        time.sleep(2)
    (flow,) = json.loads(done.stdout)["flows"]
    assert flow["slots_fenced"] >= 1
    assert flow["positions"] >= PARTITIONS
    assert flow["syncs"] >= PARTITIONS
