"""`srm dev-clusters` with real brokers."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from srm_cli.dev_clusters.lifecycle import DevClusters, answers
from srm_cli.machine.processes import identify, wait_until
from tests.support.kafka.clusters import StartCluster

pytestmark = pytest.mark.kafka

Srm = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def home(tmp_path: Path, kafka_jars: Path) -> Path:
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "kafka").symlink_to(kafka_jars)
    return tmp_path


@pytest.fixture
def srm(home: Path) -> Iterator[Srm]:
    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "srm_cli", "dev-clusters", *arguments],
            env={**os.environ, "SRM_HOME": str(home), "PYTHONPATH": str(Path(__file__).parents[3])},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    yield run
    run("stop")


def _document(home: Path) -> dict[str, dict[str, object]]:
    document: dict[str, dict[str, object]] = json.loads((home / "clusters.json").read_text())
    return document


def test_clusters_outlive_the_command_keep_ports_over_a_stop_and_their_number_of_brokers(srm: Srm, home: Path) -> None:
    assert srm("up", "west").returncode == 0
    first = _document(home)["west"]
    assert "west             up" in srm("status").stdout
    refused = srm("up", "west", "--brokers", "2")
    assert (refused.returncode, "srm dev-clusters stop --delete west" in refused.stderr) == (1, True)
    assert srm("stop").stdout == "stopped west\n"
    assert "west             down" in srm("status").stdout
    assert srm("up", "west").returncode == 0
    again = _document(home)["west"]
    assert again["bootstrap"] == first["bootstrap"]
    assert again["pids"] != first["pids"]


def test_an_unusable_alias_is_refused(srm: Srm) -> None:
    refused = srm("up", "no/slashes")
    assert refused.returncode == 1
    assert "is not a cluster alias" in refused.stderr


@pytest.mark.slow
@pytest.mark.large  # every day: test_rack.py
def test_three_brokers_know_each_other_and_survive_the_loss_of_one(start_cluster: StartCluster) -> None:
    cluster = start_cluster(brokers=3)
    assert len(cluster.bootstrap.split(",")) == 3
    assert answers(cluster)
    os.kill(cluster.processes[0].pid, signal.SIGKILL)
    assert wait_until(lambda: not answers(cluster), 30.0)
    assert all(identify(each.pid) is not None for each in cluster.processes[1:])


def test_a_cluster_in_which_a_broker_died_is_started_again(home: Path, kafka_jars: Path) -> None:
    clusters = DevClusters(home, kafka_jars, tie_to_parent=True, say=lambda _: None)
    try:
        cluster = clusters.up(["west"])["west"]
        os.kill(cluster.processes[0].pid, signal.SIGKILL)
        assert wait_until(lambda: not cluster.processes[0].is_alive, 10.0)
        again = clusters.up(["west"])["west"]
        assert answers(again)
        assert again.bootstrap == cluster.bootstrap
    finally:
        clusters.stop()
