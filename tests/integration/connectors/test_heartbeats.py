"""Heartbeats on real clusters: their bytes, their place, and their way through a chain of flows."""

import struct
import time
from collections.abc import Iterator

import pytest

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow
from replication.domain.plan.slot import ClusterClient
from replication.kafka.producer import ConfluentRecordProducer
from replication.tasks.heartbeat_task import HeartbeatTask
from replication.wire.inquiries.newest_times import WireNewestTimes
from replication.worker.connections.shared_arrivals import SharedArrivals
from tests.integration.connectors.conftest import Planning
from tests.support.kafka.kafka_records import Seen, read_all

pytestmark = pytest.mark.kafka


def text(data: bytes, at: int) -> tuple[str, int]:
    (length,) = struct.unpack_from(">h", data, at)
    return data[at + 2 : at + 2 + length].decode(), at + 2 + length


def decoded(record: Seen) -> tuple[str, str, int, int]:
    """Source, target, version and time, read without the engine's codec."""
    key, value = record.key or b"", record.value or b""
    source, at = text(key, 0)
    target, end = text(key, at)
    assert (end, len(value)) == (len(key), 10)
    version, written_ms = struct.unpack(">hq", value)
    return source, target, version, written_ms


class Beating:
    """A heartbeat task of the flow `source` -> `client`."""

    def __init__(self, planning: Planning, client: ClusterClient, source: str) -> None:
        self.arrivals, self.producer = SharedArrivals(WireNewestTimes(client)), ConfluentRecordProducer(client)
        settings = {"emit.heartbeats.interval.seconds": "2"}
        flow = DesiredFlow(source=source, enabled=False, connectors=ConnectorSettings(heartbeat=settings))
        admin = planning.target if client is planning.target_client else planning.source
        self.task = HeartbeatTask(flow, client.alias, target=admin, producer=self.producer, arrivals=self.arrivals)

    def close(self) -> None:
        self.arrivals.close()
        self.producer.close()


@pytest.fixture
def beating(planning: Planning) -> Iterator[Beating]:
    made = Beating(planning, planning.target_client, planning.source_client.alias)
    yield made
    made.close()


def own(planning: Planning, bootstrap: str, topic: str = "heartbeats") -> list[Seen]:
    """Those of the test: the topic is everybody's."""
    return [each for each in read_all(bootstrap, topic)[0] if planning.mark.encode() in (each.key or b"")]


def test_a_heartbeat_has_mirrormakers_bytes_and_its_own_time_in_the_targets_compacted_topic(
    planning: Planning, beating: Beating
) -> None:
    now_ms = time.time_ns() // 1_000_000
    for step in (0, 1_000, 2_000):  # due every two seconds
        beating.task.beat(now_ms + step)

    records = own(planning, planning.target_client.bootstrap[0])
    source, target = planning.source_client.alias, planning.target_client.alias
    assert [decoded(record) for record in records] == [
        (source, target, 0, now_ms),
        (source, target, 0, now_ms + 2_000),
    ]
    assert [record.timestamp for record in records] == [now_ms, now_ms + 2_000]
    assert all(record.headers == () for record in records)
    assert planning.target.list_topics()["heartbeats"] == 1
    assert planning.chosen("heartbeats") == {"cleanup.policy": "compact"}


def test_the_next_flow_carries_heartbeats_on_and_tells_how_old_they_are(planning: Planning, beating: Beating) -> None:
    """A flow x -> source wrote a heartbeat at the source; the flow source -> target brings it along, filter or not."""
    before = Beating(planning, planning.source_client, f"x{planning.mark}")
    now_ms = time.time_ns() // 1_000_000
    assert before.task.beat(now_ms).age_ms is None
    before.close()

    planning.copy(planning.flow("nothing", settings={"heartbeats.replication.enabled": "true"}), 1)

    arrived = own(planning, planning.target_client.bootstrap[0], planning.remote("heartbeats"))
    assert [decoded(record)[:2] for record in arrived] == [(f"x{planning.mark}", planning.source_client.alias)]
    assert arrived[0].timestamp == now_ms
    assert beating.task.beat(now_ms + 7_000).age_ms == 7_000
