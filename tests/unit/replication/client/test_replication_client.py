"""Programs of other people learn how a cluster takes part in replication."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from replication.client.replication_client import ReplicationClient
from replication.client.translated_offset import TranslatedOffset
from replication.codecs.connect_offsets import SourceOffsetKey, encode_position, encode_source_key
from replication.codecs.mm2_records import Checkpoint, encode_checkpoint
from replication.codecs.offset_runs import encode_key, encode_value
from replication.domain.errors import ClusterUnreachableError
from replication.domain.identifiers import TopicPartition
from replication.domain.names.replication_policy import DefaultPolicy, IdentityPolicy, ReplicationPolicy
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.copy_logs import MemoryCopyLogs
from replication.memory.records import MemoryProducer, MemoryRecordLog

ID = bytes([1] * 16)
ORDERS = TopicPartition("us.orders", 0)


def client_of(cluster: MemoryCluster, policy: ReplicationPolicy | None = None) -> ReplicationClient:
    return ReplicationClient(
        MemoryAdmin(cluster),
        MemoryRecordLog(cluster),
        lambda topics: MemoryCopyLogs(cluster, cluster, topics),
        policy or DefaultPolicy(),
    )


@pytest.fixture
def eu() -> MemoryCluster:
    """The target of us->eu; us itself is a target of asia->us."""
    cluster = MemoryCluster("eu")
    for topic in (
        "orders",
        "us.orders",
        "us.asia.orders",
        "heartbeats",
        "us.heartbeats",
        "us.asia.heartbeats",
        "us.checkpoints.internal",
        "mm2-offsets.us.internal",
        "srm-offset-runs.us.internal",
        "__consumer_offsets",
    ):
        cluster.create(topic)
    return cluster


@pytest.fixture
def client(eu: MemoryCluster) -> Iterator[ReplicationClient]:
    with client_of(eu) as opened:
        yield opened


def write(cluster: MemoryCluster, topic: str, *records: tuple[bytes, bytes | None]) -> None:
    producer = MemoryProducer(cluster)
    for key, value in records:
        producer.send(topic, key=key, value=value, partition=0, timestamp_ms=1_000)
    producer.flush()


def checkpoint(group: str, upstream: int, downstream: int, topic: str = "us.orders") -> tuple[bytes, bytes]:
    return encode_checkpoint(
        Checkpoint(
            group=group,
            remote=TopicPartition(topic, 0),
            upstream_offset=upstream,
            downstream_offset=downstream,
            metadata="note",
        )
    )


def test_names_tell_what_came_from_where(client: ReplicationClient) -> None:
    assert client.remote_topics() == {"us.orders", "us.asia.orders", "us.heartbeats", "us.asia.heartbeats"}
    assert client.remote_topics("us") == client.remote_topics()
    assert client.remote_topics("asia") == frozenset()
    assert client.heartbeat_topics() == {"heartbeats", "us.heartbeats", "us.asia.heartbeats"}
    assert client.checkpoint_topics() == {"us.checkpoints.internal"}
    assert client.upstream_clusters() == {"us", "asia"}
    assert [client.replication_hops(alias) for alias in ("us", "asia", "eu")] == [1, 2, None]


def test_names_that_stay_show_their_source_in_heartbeats_only(eu: MemoryCluster) -> None:
    client = client_of(eu, IdentityPolicy("us"))

    assert "orders" in client.remote_topics("us")
    assert client.upstream_clusters() == {"us", "asia"}


def test_the_newest_checkpoint_of_each_partition_counts(eu: MemoryCluster, client: ReplicationClient) -> None:
    write(
        eu,
        "us.checkpoints.internal",
        checkpoint("app", 10, 3),
        checkpoint("other", 11, 4),
        checkpoint("app", 20, 13),
        (b"\0", b"broken"),
        checkpoint("app", 7, 6, topic="us.asia.orders"),
    )

    assert len(client.checkpoints("us")) == 3
    assert client.remote_consumer_offsets("app", "us") == {
        ORDERS: TranslatedOffset(offset=13, metadata="note"),
        TopicPartition("us.asia.orders", 0): TranslatedOffset(offset=6, metadata="note"),
    }
    assert client.checkpoints("asia") == ()


def copied(eu: MemoryCluster, *runs: OffsetRun) -> None:
    """The copies of us.orders, and what the flow wrote about them."""
    write(eu, "us.orders", *[(b"key", b"value")] * 40)
    segment = RunSegment("orders", 0, ID, runs)
    write(eu, "srm-offset-runs.us.internal", (encode_key(segment), encode_value(segment)))
    key = encode_source_key(SourceOffsetKey(cluster="us", upstream=TopicPartition("orders", 0)))
    write(eu, "mm2-offsets.us.internal", (key, encode_position(140)))


def test_offsets_are_exact_where_the_flow_tells(eu: MemoryCluster, client: ReplicationClient) -> None:
    write(eu, "us.checkpoints.internal", checkpoint("app", 120, 11), checkpoint("app", 7, 6, topic="us.asia.orders"))
    copied(eu, OffsetRun(100, 0, 40))
    write(eu, "us.asia.orders", *[(b"key", b"value")] * 6)

    found = client.translated_offsets("app", "us")

    assert found[ORDERS] == TranslatedOffset(offset=20, metadata="note", kind="exact", reason="inside_run", rereads=0)
    assert found[TopicPartition("us.asia.orders", 0)] == TranslatedOffset(offset=6, metadata="note")


def test_a_checkpoint_never_goes_back(eu: MemoryCluster, client: ReplicationClient) -> None:
    """An exact checkpoint stays, also where the runs of its offset are missing now."""
    write(eu, "us.checkpoints.internal", checkpoint("app", 120, 20))
    copied(eu, OffsetRun(130, 30, 10))

    assert client.translated_offsets("app", "us")[ORDERS] == TranslatedOffset(offset=20, metadata="note")


def test_a_copy_of_another_source_is_not_taken_for_one_of_this_flow(
    eu: MemoryCluster, client: ReplicationClient
) -> None:
    """Both sources have a topic of this name, and the runs are of the flow that is asked for."""
    eu.create("asia.orders")
    write(eu, "us.checkpoints.internal", checkpoint("app", 120, 3, topic="asia.orders"))
    write(eu, "asia.orders", *[(b"key", b"value")] * 40)
    copied(eu, OffsetRun(100, 0, 40))

    found = client.translated_offsets("app", "us")

    assert found == {TopicPartition("asia.orders", 0): TranslatedOffset(offset=3, metadata="note")}


def test_any_offset_is_translated_and_later_runs_are_read(eu: MemoryCluster, client: ReplicationClient) -> None:
    copied(eu, OffsetRun(100, 0, 30))
    commits = {TopicPartition("orders", 0): 135, TopicPartition("payments", 0): 5}
    before = client.translate("us", commits)
    assert before[TopicPartition("orders", 0)].kind == "bounded"
    assert before[TopicPartition("payments", 0)].reason == "remote_topic_missing"

    copied(eu, OffsetRun(100, 0, 40))
    assert client.translate("us", commits)[TopicPartition("orders", 0)].downstream == 35
    other = client.translate("us", commits, topic_ids={"orders": bytes([2] * 16)})
    assert other[TopicPartition("orders", 0)].kind == "impossible"


def test_a_cluster_that_does_not_answer_is_an_error(eu: MemoryCluster, client: ReplicationClient) -> None:
    eu.is_up = False

    with pytest.raises(ClusterUnreachableError):
        client.remote_topics()


def test_the_client_needs_neither_worker_nor_service() -> None:
    code = (
        "import sys\n"
        "sys.modules |= dict.fromkeys(('celery', 'kombu', 'redis', 'django', 'rest_framework', 'pyspark'))\n"
        "from replication.client import connect\n"
        "connect('127.0.0.1:1', alias='eu').close()"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert found.returncode == 0, found.stderr
