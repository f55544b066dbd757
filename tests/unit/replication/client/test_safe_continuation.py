"""A group never continues behind a record that it has not read."""

import pytest

from replication.client.replication_client import ReplicationClient
from replication.client.translated_offset import TranslatedOffset
from replication.codecs.mm2_records import OffsetSync, encode_offset_sync
from replication.codecs.offset_runs import encode_key, encode_value
from replication.domain.identifiers import TopicPartition
from replication.domain.names.replication_policy import DefaultPolicy, IdentityPolicy
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.copy_logs import MemoryCopyLogs
from replication.memory.records import MemoryRecordLog
from tests.unit.replication.client.test_replication_client import ID, ORDERS, checkpoint, client_of, write

SECOND_ID = bytes([2] * 16)


@pytest.fixture
def eu() -> MemoryCluster:
    cluster = MemoryCluster("eu")
    for topic in ("us.checkpoints.internal", "mm2-offsets.us.internal", "srm-offset-runs.us.internal"):
        cluster.create(topic)
    return cluster


def filled(cluster: MemoryCluster, topic: str, count: int) -> None:
    cluster.create(topic)
    write(cluster, topic, *[(b"key", b"value")] * count)


def told(cluster: MemoryCluster, *runs: OffsetRun, topic_id: bytes = ID) -> None:
    segment = RunSegment("orders", 0, topic_id, runs)
    write(cluster, "srm-offset-runs.us.internal", (encode_key(segment), encode_value(segment)))


def offset_of(cluster: MemoryCluster, upstream: int, downstream: int) -> TranslatedOffset:
    write(cluster, "us.checkpoints.internal", checkpoint("app", upstream, downstream))
    return client_of(cluster).translated_offsets("app", "us")[ORDERS]


def test_records_of_the_target_itself_are_not_passed(eu: MemoryCluster) -> None:
    """With names that stay in both directions, five records of eu are before the five copies from us."""
    filled(eu, "orders", 10)
    told(eu, OffsetRun(0, 5, 5))
    write(eu, "us.checkpoints.internal", checkpoint("app", 5, 0, "orders"))

    found = client_of(eu, IdentityPolicy("us")).translated_offsets("app", "us")

    assert found == {TopicPartition("orders", 0): TranslatedOffset(offset=0, metadata="note")}


@pytest.mark.parametrize(
    ("upstream", "downstream", "place"), [(50, 50, 50), (100, 100, 100), (50, 120, 150), (50, 150, 150)]
)
def test_a_checkpoint_of_the_former_topic_is_not_translated_by_the_new_one(
    eu: MemoryCluster, upstream: int, downstream: int, place: int
) -> None:
    filled(eu, "us.orders", 300)
    told(eu, OffsetRun(0, 0, 100))
    told(eu, OffsetRun(0, 100, 200), topic_id=SECOND_ID)

    assert offset_of(eu, upstream, downstream).offset == place


def test_a_checkpoint_before_the_first_run_stays(eu: MemoryCluster) -> None:
    """Copies that another tool made before may be of a former topic."""
    filled(eu, "us.orders", 300)
    told(eu, OffsetRun(0, 100, 200), topic_id=SECOND_ID)

    assert offset_of(eu, 50, 50) == TranslatedOffset(offset=50, metadata="note")


def test_a_disproved_checkpoint_gives_way(eu: MemoryCluster) -> None:
    filled(eu, "us.orders", 100)
    told(eu, OffsetRun(50, 0, 100))

    found = offset_of(eu, 60, 60)

    assert (found.offset, found.kind, found.reason) == (10, "exact", "inside_run")


@pytest.mark.parametrize("runs", [(OffsetRun(0, 0, 100),), (OffsetRun(0, 0, 10),), ()])
def test_a_shorter_remote_log_has_a_place_only_where_its_runs_tell(
    eu: MemoryCluster, runs: tuple[OffsetRun, ...]
) -> None:
    filled(eu, "us.orders", 20)
    if runs:
        told(eu, *runs)

    found = offset_of(eu, 60, 60)

    if runs == (OffsetRun(0, 0, 10),):
        assert (found.offset, found.kind) == (10, "bounded")
    else:
        assert (found.offset, found.kind, found.reason) == (None, "impossible", "remote_truncated")


def test_a_missing_remote_topic_has_its_reason(eu: MemoryCluster) -> None:
    found = offset_of(eu, 60, 60)

    assert (found.offset, found.kind, found.reason) == (None, "impossible", "remote_topic_missing")


@pytest.mark.parametrize("on_target", [False, True])
def test_offset_syncs_count_only_where_they_are_said_to_be_here(eu: MemoryCluster, on_target: bool) -> None:
    """By default, the topic of this name on the target is that of the opposite flow."""
    filled(eu, "us.orders", 300)
    sync = OffsetSync(upstream=TopicPartition("orders", 0), upstream_offset=40, downstream_offset=200)
    filled(eu, "mm2-offset-syncs.us.internal", 0)
    write(eu, "mm2-offset-syncs.us.internal", encode_offset_sync(sync))
    ports = MemoryAdmin(eu), MemoryRecordLog(eu), lambda topics: MemoryCopyLogs(None, eu, topics), DefaultPolicy()
    client = ReplicationClient(*ports, syncs_on_target=True) if on_target else ReplicationClient(*ports)
    write(eu, "us.checkpoints.internal", checkpoint("app", 50, 50))

    place = client.translate("us", {TopicPartition("orders", 0): 50})[TopicPartition("orders", 0)]

    assert place.reason == ("copy_behind" if on_target else "no_evidence")
    assert client.translated_offsets("app", "us")[ORDERS].offset == 50
