"""A cluster whose brokers are killed, frozen and started one by one, and the admin work that goes with it."""

import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from confluent_kafka import ElectionType, KafkaException, TopicPartition
from kafka import TopicPartition as PartitionName
from kafka.admin import KafkaAdminClient

from srm_cli.dev_clusters.broker import run_command
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.dev_clusters.probe import brokers_seen
from srm_cli.machine.ports import LOOPBACK
from srm_cli.machine.processes import ProcessIdentity, end, start_detached
from tests.support.eventually import eventually
from tests.support.kafka.kafka_records import admin

START_S = 90.0


class Brokers:
    """The brokers of one cluster by their node ids, 1 and up; `close` ends those the registry does not know, too."""

    def __init__(
        self, dev_clusters: DevClusters, jars: Path, alias: str, *, brokers: int, extra: Mapping[str, str] | None = None
    ) -> None:
        self._clusters, self._jars, self._alias = dev_clusters, jars, alias
        self._cluster = dev_clusters.up([alias], brokers=brokers, extra=extra)[alias]
        self._processes = dict(zip(range(1, brokers + 1), self._cluster.processes, strict=True))

    @property
    def bootstrap(self) -> str:
        return self._cluster.bootstrap

    @property
    def nodes(self) -> list[int]:
        return list(self._processes)

    def process(self, node: int) -> ProcessIdentity:
        return self._processes[node]

    def kill(self, node: int) -> None:
        """kill -9, and gone."""
        process = self._processes[node]
        os.kill(process.pid, signal.SIGKILL)
        eventually(lambda: not process.is_alive, 20, f"broker {node} of {self._alias} ends")

    def stop(self, node: int) -> None:
        """A controlled shutdown: leaders move away first."""
        end([self._processes[node]], grace_seconds=30.0)

    def start(self, node: int) -> None:
        """On its old port and data; returns once it answers."""
        found = self._cluster.nodes[node - 1]
        self._processes[node] = start_detached(run_command(found, self._jars), log=found.log_file, tie_to_parent=True)
        eventually(lambda: brokers_seen(LOOPBACK, found.port) > 0, START_S, f"broker {node} of {self._alias} answers")

    def close(self) -> None:
        end([process for process in self._processes.values() if process.is_alive], grace_seconds=20.0)
        self._clusters.stop([self._alias])


def leaders(bootstrap: str, topic: str) -> dict[int, int]:
    """Partition -> node id of its leader, -1 without one."""
    described = admin(bootstrap).list_topics(topic, timeout=10).topics[topic]
    return {number: partition.leader for number, partition in described.partitions.items()}


def active_controller(bootstrap: str) -> int:
    """Return the node id of the leader of the metadata quorum (KIP-595)."""
    client = KafkaAdminClient(bootstrap_servers=bootstrap.split(","))
    try:
        (topic,) = client.describe_metadata_quorum()["topics"]
        return int(topic["partitions"][0]["leader_id"])
    finally:
        client.close()


def in_sync(bootstrap: str, topic: str) -> dict[int, set[int]]:
    described = admin(bootstrap).list_topics(topic, timeout=10).topics[topic]
    return {number: set(partition.isrs) for number, partition in described.partitions.items()}


def reassign(bootstrap: str, topic: str, replicas: Mapping[int, Sequence[int]]) -> None:
    """Give partitions other replicas, the first being preferred; returns when all are in sync."""
    client = KafkaAdminClient(bootstrap_servers=bootstrap.split(","))
    try:
        wanted = {PartitionName(topic, number): list(nodes) for number, nodes in replicas.items()}
        refused = {name: error for name, error in client.alter_partition_reassignments(wanted).items() if error}
        assert not refused, refused
    finally:
        client.close()

    def settled() -> bool:
        described = admin(bootstrap).list_topics(topic, timeout=10).topics[topic].partitions
        return all(
            described[number].replicas == list(nodes) and set(described[number].isrs) == set(nodes)
            for number, nodes in replicas.items()
        )

    eventually(settled, 60, f"{topic} has its new replicas")


def elect(bootstrap: str, topic: str, partitions: int, *, unclean: bool = False, patience_s: float = 60) -> None:
    """Elect preferred leaders, or any replica when `unclean`; repeated while the controller refuses."""
    kind = ElectionType.UNCLEAN if unclean else ElectionType.PREFERRED
    names = [TopicPartition(topic, number) for number in range(partitions)]

    def elected() -> bool:
        try:
            admin(bootstrap).elect_leaders(kind, names).result(15)
        except KafkaException:
            return False
        return True

    eventually(elected, patience_s, f"an election for {topic}")


def kill_and_restart(clusters: DevClusters, bootstrap: str) -> None:
    """kill -9 every broker of the cluster, then start it again on the same ports and data."""
    alias, cluster = next((alias, known) for alias, known in clusters.all().items() if known.bootstrap == bootstrap)
    for process in cluster.processes:
        os.kill(process.pid, signal.SIGKILL)
    # a broker on its way out still counts as running, and would not be started
    eventually(lambda: not any(process.is_alive for process in cluster.processes), 20, f"{alias} ends")
    clusters.up([alias])
