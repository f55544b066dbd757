"""Reading from the replica in our own rack (KIP-392), and from the leader when that replica goes away."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import kafka.cluster
import pytest

from replication.wire.fetch.batch_fetcher import ANSWER_GRACE_MS, WireBatchFetcher
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.dev_clusters.registry import LocalCluster
from tests.support.engine.slots import SlotLab, level, until
from tests.support.eventually import eventually
from tests.support.kafka.brokers import Brokers, active_controller, in_sync, leaders
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import produce, read_all

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

ALIAS = "racks"
RACKS = {
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
    "broker.rack": "rack-{node}",
    "broker.session.timeout.ms": "3000",
    "replica.lag.time.max.ms": "5000",
}


@pytest.fixture
def racks(dev_clusters: DevClusters, kafka_jars: Path) -> Iterator[Brokers]:
    """Three brokers, each in its own rack: rack-1 to rack-3."""
    brokers = Brokers(dev_clusters, kafka_jars, ALIAS, brokers=3, extra=RACKS)
    yield brokers
    brokers.close()


@pytest.fixture
def lab(racks: Brokers, dev_clusters: DevClusters, kafka_cluster: LocalCluster) -> Iterator[SlotLab]:
    source = dev_clusters.all()[ALIAS]
    slot_lab = SlotLab(TwoClusters(source=source, target=kafka_cluster), source_replicas=3)
    yield slot_lab
    slot_lab.close()


@pytest.fixture
def gave_records(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The brokers whose answers held records, in order."""
    nodes: list[int] = []
    fetch = WireBatchFetcher.fetch

    async def noting(self: WireBatchFetcher, node: int, **options: Any) -> Any:
        fetched = await fetch(self, node, **options)
        if any(partition.records for partition in fetched.partitions):
            nodes.append(node)
        return fetched

    monkeypatch.setattr(WireBatchFetcher, "fetch", noting)
    return nodes


def test_records_come_from_the_near_replica_and_from_the_leader_once_that_is_gone(
    racks: Brokers, lab: SlotLab, gave_records: list[int]
) -> None:
    topic = lab.topic("near")
    eventually(lambda: in_sync(racks.bootstrap, topic).get(0) == {1, 2, 3}, 30, "all replicas in sync")
    produce(racks.bootstrap, topic, ({"value": b"%d" % number} for number in range(10)))  # now each broker knows it
    leader = leaders(racks.bootstrap, topic)[0]
    near = next(node for node in racks.nodes if node != leader)
    lab.source = replace(lab.source, client={"client.rack": f"rack-{near}"})

    with lab.running(lab.spec({topic: 1})) as handle:
        until(handle, level(10))
        assert set(gave_records) == {near}
        gave_records.clear()
        racks.kill(near)
        survivors = ",".join(server for server in lab.source.bootstrap if not server.endswith(f":{_port(racks, near)}"))
        produce(survivors, topic, ({"value": b"%d" % number} for number in range(10, 20)), acks=1)
        until(handle, level(20))
        assert gave_records[-1] == leader

    (copied,) = read_all(lab.target_bootstrap, lab.remote(topic))
    assert [record.value for record in copied] == [b"%d" % number for number in range(20)]


def test_a_follower_that_freezes_is_left_for_the_leader_within_seconds(
    racks: Brokers, lab: SlotLab, gave_records: list[int]
) -> None:
    topic = lab.topic("frozen")
    eventually(lambda: in_sync(racks.bootstrap, topic).get(0) == {1, 2, 3}, 30, "all replicas in sync")
    produce(racks.bootstrap, topic, ({"value": b"%d" % number} for number in range(10)))
    leader = leaders(racks.bootstrap, topic)[0]
    # while the active controller is frozen, the in-sync set cannot shrink and the leader shows no record, for 30 s
    near = next(node for node in racks.nodes if node not in (leader, active_controller(racks.bootstrap)))
    lab.source = replace(lab.source, client={"client.rack": f"rack-{near}"})
    others = ",".join(server for server in lab.source.bootstrap if not server.endswith(f":{_port(racks, near)}"))

    with lab.running(lab.spec({topic: 1})) as handle:
        until(handle, level(10))
        assert set(gave_records) == {near}
        os.kill(racks.process(near).pid, signal.SIGSTOP)
        try:
            began = time.monotonic()
            produce(others, topic, ({"value": b"%d" % number} for number in range(10, 20)), acks=1)
            until(handle, level(20))
            assert time.monotonic() - began < ANSWER_GRACE_MS / 1000
            assert gave_records[-1] == leader
        finally:
            os.kill(racks.process(near).pid, signal.SIGCONT)
    (copied,) = read_all(lab.target_bootstrap, lab.remote(topic))
    assert [record.value for record in copied] == [b"%d" % number for number in range(20)]


@pytest.mark.large  # every day: a follower that freezes later
def test_a_slot_that_starts_while_a_follower_is_frozen_copies_within_seconds(
    racks: Brokers, lab: SlotLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = lab.topic("started")
    eventually(lambda: in_sync(racks.bootstrap, topic).get(0) == {1, 2, 3}, 30, "all replicas in sync")
    leader = leaders(racks.bootstrap, topic)[0]
    near = next(node for node in racks.nodes if node not in (leader, active_controller(racks.bootstrap)))
    frozen = next(server for server in lab.source.bootstrap if server.endswith(f":{_port(racks, near)}"))
    others = [server for server in lab.source.bootstrap if server != frozen]
    lab.source = replace(lab.source, bootstrap=(frozen, *others), client={"client.rack": f"rack-{near}"})
    monkeypatch.setattr(kafka.cluster, "collect_hosts", partial(kafka.cluster.collect_hosts, randomize=False))
    spec = lab.spec({topic: 1})

    os.kill(racks.process(near).pid, signal.SIGSTOP)
    try:
        produce(",".join(others), topic, ({"value": b"%d" % number} for number in range(10)), acks=1)
        began = time.monotonic()
        with lab.running(spec) as handle:
            until(handle, level(10))
            assert time.monotonic() - began < 20
    finally:
        os.kill(racks.process(near).pid, signal.SIGCONT)


def _port(racks: Brokers, node: int) -> str:
    return racks.bootstrap.split(",")[node - 1].rpartition(":")[2]
