"""A cluster of two brokers in two racks: broker 1 leads everything that is audited, broker 2 only follows."""

from pathlib import Path

from confluent_kafka.admin import NewTopic

from srm_cli.dev_clusters.broker import BrokerNode, run_command
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.dev_clusters.probe import brokers_seen
from srm_cli.machine.ports import LOOPBACK
from srm_cli.machine.processes import end, start_detached
from tests.support.eventually import eventually
from tests.support.kafka.brokers import leaders
from tests.support.kafka.kafka_records import admin

LEADER, FOLLOWER = 1, 2
RACK = f"rack-{FOLLOWER}"  # of who reads from the follower
START_S = 90.0
_EXTRA = {
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
    "broker.rack": "rack-{node}",
    "broker.session.timeout.ms": "3000",
    "replica.lag.time.max.ms": "5000",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
}


class FollowedCluster:
    """The follower takes no part in the controllers' quorum, so that the cluster continues without it."""

    def __init__(self, clusters: DevClusters, jars: Path, alias: str) -> None:
        cluster = clusters.prepare(alias, brokers=2, extra=_EXTRA)
        leader, follower = cluster.nodes
        voters = f"controller.quorum.voters={LEADER}@{LOOPBACK}:{leader.controller_port}\n"
        _append(leader, voters)
        _append(follower, f"{voters}process.roles=broker\nlisteners=PLAINTEXT://{LOOPBACK}:{follower.port}\n")
        self._processes = [
            start_detached(run_command(node, jars), log=node.log_file, tie_to_parent=True) for node in cluster.nodes
        ]
        self.bootstrap = cluster.bootstrap
        self.leader_address = f"{LOOPBACK}:{leader.port}"
        everyone = [node.port for node in cluster.nodes]
        eventually(
            lambda: all(brokers_seen(LOOPBACK, port) == len(everyone) for port in everyone),
            START_S,
            f"{alias} answers",
        )

    @property
    def follower_pid(self) -> int:
        return self._processes[FOLLOWER - 1].pid

    def create_topic(self, name: str, partitions: int) -> None:
        """Create a topic whose partitions the one broker leads, and the other follows."""
        wanted = NewTopic(name, partitions, replica_assignment=[[LEADER, FOLLOWER]] * partitions)
        admin(self.leader_address).create_topics([wanted])[name].result(10)
        eventually(
            lambda: set(leaders(self.leader_address, name).values()) == {LEADER}, START_S, f"broker 1 leads {name}"
        )

    def close(self) -> None:
        end([process for process in self._processes if process.is_alive], grace_seconds=20.0)


def _append(node: BrokerNode, properties: str) -> None:
    """Later lines of a properties file win."""
    with node.properties_file.open("a") as file:
        file.write(properties)
