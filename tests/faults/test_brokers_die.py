"""Brokers killed under the engine: it continues by itself, nothing is lost, and Kafka drops what was sent twice."""

import os
import signal
import uuid
from collections.abc import Iterator

import pytest

from srm_cli.dev_clusters.lifecycle import DevClusters
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.brokers import kill_and_restart
from tests.support.kafka.clusters import StartCluster, TwoClusters
from tests.support.kafka.kafka_records import digest, end_offsets, read_all
from tests.support.kafka.writer import Traffic

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.timeout(400)]

DELIVERIES = ["at_least_once", "exactly_once"]
PARTITIONS = 4
RATE = 2_000


@pytest.fixture
def lab(start_cluster: StartCluster) -> Iterator[SlotLab]:
    slot_lab = SlotLab(TwoClusters(source=start_cluster(), target=start_cluster()))
    yield slot_lab
    slot_lab.close()


@pytest.fixture
def three_brokers(start_cluster: StartCluster) -> Iterator[SlotLab]:
    """The target has three brokers and keeps three replicas of everything."""
    slot_lab = SlotLab(TwoClusters(source=start_cluster(), target=start_cluster(brokers=3)), replicas=3)
    yield slot_lab
    slot_lab.close()


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_leaders_move_when_one_of_three_brokers_dies_and_copying_continues(
    three_brokers: SlotLab, dev_clusters: DevClusters, delivery: str
) -> None:
    lab = three_brokers
    topic = lab.topic(f"leaders-{uuid.uuid4().hex[:6]}", PARTITIONS)
    with lab.running(lab.spec({topic: PARTITIONS}, delivery=delivery, isolation_level="read_committed")) as handle:
        with Traffic(lab.source_bootstrap, topic, PARTITIONS, RATE).flowing() as traffic:
            traffic.wait_for(2 * RATE)
            until(handle, lambda live: live.get("records_total", 0) > RATE)
            cluster = next(c for c in dev_clusters.all().values() if c.bootstrap == lab.target_bootstrap)
            os.kill(cluster.processes[-1].pid, signal.SIGKILL)
            traffic.wait_for(5 * RATE)
        ends = end_offsets(lab.source_bootstrap, topic, PARTITIONS)
        until(handle, lambda live: live.get("lag_offsets") == 0 and live.get("records_total", 0) >= sum(ends), 90)
        killed_ms = handle.live()["committed_ms"]
        until(handle, lambda live: live["committed_ms"] >= killed_ms and live["cause"] is None, 60)

    source = read_all(lab.source_bootstrap, topic, PARTITIONS)
    target = read_all(lab.target_bootstrap, lab.remote(topic), PARTITIONS)
    assert [digest(partition) for partition in source] == [digest(partition) for partition in target]


@pytest.mark.parametrize("delivery", DELIVERIES)
@pytest.mark.parametrize("side", ["target", "source"])
def test_a_killed_broker_costs_neither_a_record_nor_a_double(
    lab: SlotLab, dev_clusters: DevClusters, side: str, delivery: str
) -> None:
    topic = lab.topic(f"broker-{uuid.uuid4().hex[:6]}", PARTITIONS)
    spec = lab.spec({topic: PARTITIONS}, delivery=delivery, isolation_level="read_committed")
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
