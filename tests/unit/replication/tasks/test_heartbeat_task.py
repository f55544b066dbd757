"""Heartbeats: written when due, read back after they came through the flow."""

import pytest

from replication.codecs.mm2_records import Heartbeat, decode_heartbeat
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow
from replication.domain.errors import ClusterUnreachableError, ConfigurationError
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryArrivals, MemoryProducer, MemoryRecordLog
from replication.tasks.heartbeat_task import HeartbeatTask


@pytest.fixture
def west() -> MemoryCluster:
    return MemoryCluster("west")


def task_on(west: MemoryCluster, flow: DesiredFlow | None = None) -> HeartbeatTask:
    return HeartbeatTask(
        flow or DesiredFlow(source="east"),
        "west",
        target=MemoryAdmin(west),
        producer=MemoryProducer(west),
        arrivals=MemoryArrivals(west),
    )


def written(west: MemoryCluster) -> list[Heartbeat]:
    return [decode_heartbeat(record.key, record.value) for record in MemoryRecordLog(west).read_to_end("heartbeats")]


def test_the_first_beat_creates_the_topic_and_writes(west: MemoryCluster) -> None:
    state = task_on(west).beat(1_000)

    assert written(west) == [Heartbeat(source="east", target="west", timestamp_ms=1_000)]
    assert (state.last_sent_ms, state.age_ms) == (1_000, None)
    assert west.topics["heartbeats"].configs == {"cleanup.policy": "compact"}


def test_the_key_can_name_the_opposite_flow(west: MemoryCluster) -> None:
    opposite = ConnectorSettings(heartbeat={"srm.heartbeats.key": "opposite"})

    task_on(west, DesiredFlow(source="east", connectors=opposite)).beat(1_000)

    assert written(west) == [Heartbeat(source="west", target="east", timestamp_ms=1_000)]


def test_a_heartbeat_is_written_once_per_interval(west: MemoryCluster) -> None:
    task = task_on(west)
    for now_ms in range(0, 11_000, 1_000):
        task.beat(now_ms)

    assert [heartbeat.timestamp_ms for heartbeat in written(west)] == [0, 5_000, 10_000]


def test_a_clock_set_back_does_not_silence_the_flow(west: MemoryCluster) -> None:
    task = task_on(west)
    task.beat(1_000_000)
    task.beat(10)

    assert [heartbeat.timestamp_ms for heartbeat in written(west)] == [1_000_000, 10]


def test_the_age_is_that_of_the_newest_arrival(west: MemoryCluster) -> None:
    west.create("east.heartbeats")
    producer = MemoryProducer(west)
    for written_ms in (1_000, 4_000):
        producer.send("east.heartbeats", key=b"", value=b"", partition=0, timestamp_ms=written_ms)
    producer.flush()

    seen = task_on(west).beat(4_700)
    assert (seen.age_ms, seen.written_ms) == (700, 4_000)
    assert task_on(west).beat(3_000).age_ms == 0


def test_a_dead_target_is_named_and_the_heartbeat_is_made_up_for_when_it_is_back(west: MemoryCluster) -> None:
    task = task_on(west)
    task.beat(0)
    west.is_up = False
    with pytest.raises(ClusterUnreachableError, match="west"):
        task.beat(5_000)
    west.is_up = True

    assert task.beat(6_000).last_sent_ms == 6_000


def test_a_deleted_heartbeats_topic_is_made_again(west: MemoryCluster) -> None:
    task = task_on(west)
    task.beat(0)
    west.delete("heartbeats")
    with pytest.raises(Exception, match="heartbeats"):
        task.beat(5_000)

    assert task.beat(6_000).last_sent_ms == 6_000


@pytest.mark.parametrize("text", ["0", "-1", "x", "1.5"])
def test_a_senseless_interval_is_refused(text: str) -> None:
    settings = ConnectorSettings(heartbeat={"emit.heartbeats.interval.seconds": text})
    with pytest.raises(ConfigurationError):
        task_on(MemoryCluster("west"), DesiredFlow(source="east", connectors=settings))


def test_a_prepared_heartbeat_is_written_once_with_the_time_of_its_preparation(west: MemoryCluster) -> None:
    task = task_on(west)
    task.prepare(1_000)
    task.prepare(1_001)

    assert task.beat(1_002).last_sent_ms == 1_000
    assert [heartbeat.timestamp_ms for heartbeat in written(west)] == [1_000]
