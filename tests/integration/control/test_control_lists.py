"""The control topic on a real broker: Kafka's own tools, `srm-control` without a service, the service afterwards."""

import shlex
import uuid
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from replication.codecs.mm2_records import Checkpoint, encode_checkpoint
from replication.config import ClusterDefinition, FlowDefinition, ReplicationConfig
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import CHECKPOINTS, CONTROL
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kafka.producer import ConfluentRecordProducer
from replication.ports.admin import NewTopic
from srm_cli.control.main import srm_control
from srm_cli.dev_clusters.registry import LocalCluster
from srm_service.lists.following import ListFollower
from srm_service.lists.selectors import lists_of
from tests.support.configuration import config_import
from tests.support.kafka.tools import CONSOLE_CONSUMER, CONSOLE_PRODUCER, CONSUMER_GROUPS, run_tool

pytestmark = [pytest.mark.kafka, pytest.mark.slow]


@pytest.fixture
def source() -> str:
    return f"src{uuid.uuid4().hex[:8]}"


def control(arguments: str) -> Result:
    result = CliRunner().invoke(srm_control, shlex.split(arguments))
    assert result.exit_code == 0, result.output
    return result


def write(cluster: LocalCluster, topic: str, *records: tuple[bytes, bytes]) -> None:
    client = ClusterClient(alias="eu", bootstrap=(cluster.bootstrap,))
    admin, producer = open_admin(client), ConfluentRecordProducer(client)
    admin.create_topics([NewTopic(name=topic, partitions=1, replication_factor=1)])
    for key, value in records:
        producer.send(topic, key=key, value=value)
    producer.flush()
    producer.close()
    admin.close()


def test_kafkas_console_tools_read_and_write_the_control_topic(
    kafka_cluster: LocalCluster, kafka_jars: Path, source: str
) -> None:
    at = ("--bootstrap-server", kafka_cluster.bootstrap, "--topic", CONTROL.name(source))
    flow = f"--source {source} --target eu --bootstrap-servers {kafka_cluster.bootstrap}"
    control(f"topics {flow} --add 'orders.*' --add-blacklist orders-tmp")
    read = ("--from-beginning", "--max-messages", "2", "--property", "print.key=true")

    printed = run_tool(kafka_jars, CONSOLE_CONSUMER, *at, *read)
    separator = ("--property", "parse.key=true", "--property", "key.separator=|")
    run_tool(kafka_jars, CONSOLE_PRODUCER, *at, *separator, stdin="topics:allow:by-hand|\n")

    keys = [line.split("\t")[0] for line in printed.splitlines()]
    assert keys == ["topics:allow:orders.*", "topics:deny:orders-tmp"]
    listed = control(f"topics {flow} --list").output
    assert listed == "Current whitelist:\nby-hand\norders.*\nCurrent blacklist:\norders-tmp\nDone.\n"


@pytest.mark.django_db(databases=["default", "metrics"])
def test_lists_that_were_changed_without_a_service_show_up_in_it(kafka_cluster: LocalCluster, source: str) -> None:
    flow = f"--source {source} --target eu --bootstrap-servers {kafka_cluster.bootstrap}"
    control(f"topics {flow} --add orders")
    clusters = (
        ClusterDefinition(alias=source, bootstrap=(kafka_cluster.bootstrap,)),
        ClusterDefinition(alias="eu", bootstrap=(kafka_cluster.bootstrap,)),
    )
    definition = FlowDefinition(source=source, target="eu", enabled=True, heartbeats=True, topics_allow=())
    config_import(ReplicationConfig(clusters=clusters, flows=(definition,)))
    follower, target = ListFollower(), ClusterClient(alias="eu", bootstrap=(kafka_cluster.bootstrap,))

    assert follower.follow(target)
    assert lists_of(source, "eu").lists.patterns("topics").allow == ("orders",)

    control(f"topics {flow} --remove orders --add payments")
    assert follower.follow(target)
    assert lists_of(source, "eu").lists.patterns("topics").allow == ("payments",)
    assert not follower.follow(target)


def test_kafkas_own_tool_takes_the_exported_offsets(
    kafka_cluster: LocalCluster, kafka_jars: Path, source: str, tmp_path: Path
) -> None:
    remote, group = f"{source}.orders", f"billing-{source}"
    write(kafka_cluster, remote, *((b"k", b"v") for _ in range(9)))
    checkpoint = Checkpoint(group=group, remote=TopicPartition(remote, 0), upstream_offset=5, downstream_offset=7)
    write(kafka_cluster, CHECKPOINTS.name(source), encode_checkpoint(checkpoint))
    file = tmp_path / "offsets.csv"
    flow = f"--source {source} --target eu --bootstrap-servers {kafka_cluster.bootstrap}"
    control(f"offsets {flow} --group {group} --export --to {file}")

    reset = ("--reset-offsets", "--group", group, "--from-file", str(file), "--execute")
    printed = run_tool(kafka_jars, CONSUMER_GROUPS, "--bootstrap-server", kafka_cluster.bootstrap, *reset)

    assert printed.split()[-4:] == [group, remote, "0", "7"]
