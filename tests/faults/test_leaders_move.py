"""Leaders move under the engine: elections, reassignments, and an election that cuts the source's log."""

import random
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from confluent_kafka import KafkaException

from replication.domain.settings.choices import Delivery
from srm_cli.dev_clusters.lifecycle import DevClusters
from tests.support.engine.auditor import audit, audit_topic, read_partitions, recorded_gaps
from tests.support.engine.slots import SlotLab, until
from tests.support.eventually import eventually
from tests.support.kafka.brokers import Brokers, elect, in_sync, leaders, reassign
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import create_topic, end_offsets, produce
from tests.support.kafka.writer import Traffic, fault_seed, say

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.timeout(400)]

DELIVERIES: list[Delivery] = ["at_least_once", "exactly_once"]
PARTITIONS = 6
RATE = 1_500
ROUNDS = 4


@pytest.fixture(scope="module")
def three(dev_clusters: DevClusters, kafka_jars: Path) -> Iterator[Brokers]:
    """One cluster of three brokers is source and target: every move hits reading and writing."""
    brokers = Brokers(dev_clusters, kafka_jars, "three", brokers=3)
    yield brokers
    brokers.close()


@pytest.fixture
def lab(three: Brokers, dev_clusters: DevClusters) -> Iterator[SlotLab]:
    cluster = dev_clusters.all()["three"]
    slot_lab = SlotLab(TwoClusters(source=cluster, target=cluster), replicas=3, source_replicas=3)
    yield slot_lab
    slot_lab.close()


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_elections_and_reassignments_cost_neither_a_record_nor_a_double(
    lab: SlotLab, three: Brokers, delivery: Delivery
) -> None:
    chance = random.Random(fault_seed())
    topic = lab.topic(f"moves-{uuid.uuid4().hex[:6]}", PARTITIONS)
    with lab.running(lab.spec({topic: PARTITIONS}, delivery=delivery)) as handle:
        with Traffic(three.bootstrap, topic, PARTITIONS, RATE).flowing() as traffic:
            until(handle, lambda live: live.get("records_total", 0) > RATE)
            for _ in range(ROUNDS):
                for name in (topic, lab.remote(topic)):
                    reassign(three.bootstrap, name, {number: replicas(chance) for number in range(PARTITIONS)})
                    elect(three.bootstrap, name, PARTITIONS)
                traffic.wait_for(RATE)
            reassign(three.bootstrap, lab.positions_topic, {number: replicas(chance) for number in range(5)})
            elect(three.bootstrap, lab.positions_topic, 5)
            traffic.wait_for(2 * RATE)
        lab.wait_committed(handle, topic, PARTITIONS)
        assert handle.live()["gaps_total"] == 0
    findings = audit_topic(three.bootstrap, three.bootstrap, topic, lab.remote(topic), PARTITIONS).check()
    say(f"{delivery}: {findings}")


def replicas(chance: random.Random) -> list[int]:
    """Two of the three brokers, the first preferred: some partitions move, some only change their leader."""
    return chance.sample([1, 2, 3], 2)


@pytest.fixture
def one_sided(three: Brokers, two_clusters: TwoClusters, dev_clusters: DevClusters) -> Iterator[SlotLab]:
    """Only the source has three brokers."""
    clusters = TwoClusters(source=dev_clusters.all()["three"], target=two_clusters.target)
    slot_lab = SlotLab(clusters, source_replicas=3)
    yield slot_lab
    slot_lab.close()


def test_a_log_cut_by_an_unclean_election_is_recorded_as_a_divergence(one_sided: SlotLab, three: Brokers) -> None:
    """Broker 2 misses what broker 1 takes, then leads alone: those offsets are given to other records."""
    lab, target = one_sided, one_sided.target_bootstrap
    topic = f"unclean-{uuid.uuid4().hex[:6]}"
    create_topic(three.bootstrap, topic, min_insync_replicas="1", unclean_leader_election_enable="true")
    create_topic(target, lab.remote(topic))
    reassign(three.bootstrap, topic, {0: [1, 2]})
    elect(three.bootstrap, topic, 1)
    with lab.running(lab.spec({topic: 1})) as handle:
        produce(three.bootstrap, topic, numbered(0, 200), acks="all")
        three.stop(2)
        eventually(lambda: in_sync(three.bootstrap, topic)[0] == {1}, 60, "broker 2 is out of the set")
        produce(three.bootstrap, topic, numbered(200, 300), acks="all")
        until(handle, lambda live: live.get("records_total", 0) == 300)
        cut_later = read_partitions(three.bootstrap, topic, [0])[0]

        three.kill(1)
        three.start(2)
        eventually(lambda: leads_alone(three.bootstrap, topic), 90, "broker 2 leads")
        produce(three.bootstrap, topic, numbered(1_000, 1_400), acks="1")
        three.start(1)
        lab.wait_committed(handle, topic, 1)

    gaps = recorded_gaps(target, lab.source.alias)
    assert [(gap["cause"], gap["topic"], gap["partition"]) for gap in gaps] == [("epoch_divergence", topic, 0)]
    assert sorted((gaps[0]["from_offset"], gaps[0]["to_offset"])) == [200, 300]
    now = read_partitions(three.bootstrap, topic, [0])[0]
    findings = audit({0: [*cut_later, *now[200:]]}, read_partitions(target, lab.remote(topic), [0])).check()
    say(f"unclean election: {findings}; what was cut off stays on the target and a gap record names it")


def leads_alone(bootstrap: str, topic: str) -> bool:
    with suppress(KafkaException):  # not every broker knows of it yet
        return leaders(bootstrap, topic)[0] == 2 and end_offsets(bootstrap, topic, 1) == [200]
    return False


def numbered(first: int, end: int) -> list[dict[str, str | int]]:
    return [{"key": str(number), "value": f"{number}-{'x' * 100}", "partition": 0} for number in range(first, end)]
