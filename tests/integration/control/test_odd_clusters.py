"""The control plane's adapters on clusters that are set up differently, or that stop answering."""

import os
import signal
import time
from pathlib import Path

import pytest
from confluent_kafka import Consumer

from replication.domain.errors import AuthenticationError, ClusterUnreachableError, ReplicationError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kafka.producer import ConfluentRecordProducer
from replication.kafka.record_log import KafkaRecordLog
from replication.ports.admin import NewTopic
from srm_cli.dev_clusters.broker import BrokerNode
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.machine.ports import free_port
from tests.support.kafka.clusters import StartCluster

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"


def guarded_listener(node: BrokerNode, port: int) -> dict[str, str]:
    """Broker settings that add a listener with SASL to the open one."""
    return {
        "listeners": (
            f"PLAINTEXT://127.0.0.1:{node.port},CONTROLLER://127.0.0.1:{node.controller_port},GUARDED://127.0.0.1:{port}"
        ),
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{node.port},GUARDED://127.0.0.1:{port}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,GUARDED:SASL_PLAINTEXT",
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.guarded.plain.sasl.jaas.config": f'{_PLAIN} user_srm="right";',
    }


def sasl_client(bootstrap: str, password: str) -> ClusterClient:
    return ClusterClient(
        alias="guarded",
        bootstrap=(bootstrap,),
        client={
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": f'{_PLAIN} username="srm" password="{password}";',
        },
    )


def freeze(pids: list[int]) -> None:
    """Stop the processes and wait until the kernel has stopped their last thread."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
        deadline = time.monotonic() + 10
        while not all("State:\tT" in path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/status")):
            assert time.monotonic() < deadline, f"process {pid} does not stop"
            time.sleep(0.01)


def test_no_topic_is_created_by_looking_or_writing_where_brokers_would_do_so(start_cluster: StartCluster) -> None:
    cluster = start_cluster(extra={"auto.create.topics.enable": "true"})
    client = ClusterClient(alias="eager", bootstrap=(cluster.bootstrap,))
    admin, producer, log = open_admin(client), ConfluentRecordProducer(client), KafkaRecordLog(client)

    admin.describe_topics(["looked-at"])
    admin.topic_configs(["looked-at"])
    assert list(log.read_to_end("looked-at")) == []
    assert log.newest("looked-at") is None
    producer.send("written-to", key=None, value=b"")
    with pytest.raises(ReplicationError):
        producer.flush()

    assert set(admin.list_topics()) & {"looked-at", "written-to"} == set()
    log.close()


def test_the_right_password_opens_a_guarded_cluster_and_a_wrong_one_is_named(dev_clusters: DevClusters) -> None:
    port = free_port(set())
    (node,) = dev_clusters.prepare("guarded").nodes
    dev_clusters.up(["guarded"], extra=guarded_listener(node, port))
    bootstrap = f"127.0.0.1:{port}"
    client = sasl_client(bootstrap, "right")
    admin, producer, log = open_admin(client), ConfluentRecordProducer(client), KafkaRecordLog(client)
    admin.create_topics([NewTopic(name="t", partitions=1, replication_factor=1)])
    producer.send("t", key=b"k", value=b"v")
    producer.flush()

    assert [record.value for record in log.read_to_end("t")] == [b"v"]
    with pytest.raises(AuthenticationError, match="guarded"):
        open_admin(sasl_client(bootstrap, "wrong")).list_topics()
    log.close()
    dev_clusters.stop(["guarded"])


def test_a_frozen_broker_is_reported_in_time_and_works_again_afterwards(start_cluster: StartCluster) -> None:
    cluster = start_cluster()
    client = ClusterClient(alias="frozen", bootstrap=(cluster.bootstrap,))
    admin = open_admin(client)
    admin.create_topics([NewTopic(name="t", partitions=1, replication_factor=1)])
    freeze([process.pid for process in cluster.processes])
    try:
        started = time.monotonic()
        with pytest.raises(ClusterUnreachableError, match="frozen"):
            admin.list_topics()
        assert time.monotonic() - started < 11
    finally:
        for process in cluster.processes:
            os.kill(process.pid, signal.SIGCONT)

    assert "t" in admin.list_topics()


def test_a_member_of_a_group_is_counted_while_it_lives(start_cluster: StartCluster) -> None:
    cluster = start_cluster()
    client = ClusterClient(alias="here", bootstrap=(cluster.bootstrap,))
    admin = open_admin(client)
    admin.create_topics([NewTopic(name="t", partitions=1, replication_factor=1)])
    member = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": "east-mm2", "session.timeout.ms": 6000})
    member.subscribe(["t"])
    deadline = time.monotonic() + 30
    while admin.group_members("east-mm2") == 0 and time.monotonic() < deadline:
        member.poll(0.2)

    assert admin.group_members("east-mm2") == 1
    member.close()
    assert admin.group_members("east-mm2") == 0
