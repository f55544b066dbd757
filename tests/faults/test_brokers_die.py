"""Brokers killed under the engine: it goes on by itself, nothing is lost, and Kafka drops what was sent twice."""

import os
import signal
import uuid
from collections.abc import Iterator

import pytest

from srm_cli.dev_clusters.lifecycle import DevClusters
from tests.support.clusters import StartCluster, TwoClusters
from tests.support.kafka_records import digest, end_offsets, read_all
from tests.support.slots import SlotLab, until
from tests.support.writer import Traffic

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.timeout(400)]

PARTITIONS = 4
RATE = 2_000


@pytest.fixture
def lab(start_cluster: StartCluster) -> Iterator[SlotLab]:
    slot_lab = SlotLab(TwoClusters(source=start_cluster(), target=start_cluster()))
    yield slot_lab
    slot_lab.close()


def kill_and_restart(dev_clusters: DevClusters, bootstrap: str) -> None:
    """kill -9 every broker of the cluster, then start it again on the same ports and data."""
    alias, cluster = next(
        (alias, cluster) for alias, cluster in dev_clusters.all().items() if cluster.bootstrap == bootstrap
    )
    for process in cluster.processes:
        os.kill(process.pid, signal.SIGKILL)
    dev_clusters.up([alias])


@pytest.mark.parametrize("side", ["target", "source"])
def test_a_killed_broker_costs_neither_a_record_nor_a_double(
    lab: SlotLab, dev_clusters: DevClusters, side: str
) -> None:
    topic = lab.topic(f"broker-{uuid.uuid4().hex[:6]}", PARTITIONS)
    spec = lab.spec({topic: PARTITIONS})
    with lab.running(spec) as handle:
        with Traffic(lab.source_bootstrap, topic, PARTITIONS, RATE).flowing() as traffic:
            traffic.wait_for(3 * RATE)
            until(handle, lambda live: live.get("records_total", 0) > RATE)
            kill_and_restart(dev_clusters, lab.target_bootstrap if side == "target" else lab.source_bootstrap)
            traffic.wait_for(3 * RATE, timeout_s=120)
        ends = end_offsets(lab.source_bootstrap, topic, PARTITIONS)
        until(handle, lambda live: live.get("lag_offsets") == 0 and live.get("records_total", 0) >= sum(ends), 120)

    source = read_all(lab.source_bootstrap, topic, PARTITIONS)
    target = read_all(lab.target_bootstrap, lab.remote(topic), PARTITIONS)
    assert [digest(partition) for partition in source] == [digest(partition) for partition in target]
