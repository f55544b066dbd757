"""The behaviour of every producer that only the newest owner of an id may use, in memory and on a real broker."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from replication.domain.errors import ClusterUnreachableError, FencedError, ReplicationError, RetriableError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.fenced_producer import ConfluentFencedProducer
from replication.memory.broker import MemoryCluster
from replication.memory.fenced_producer import MemoryFencedProducer
from replication.ports.admin import NewTopic
from replication.ports.fenced_producer import FencedProducer, NewRecord
from replication.ports.record_log import LogRecord
from tests.contract.control_ports import BOTH, ControlPorts, kafka_ports, memory_ports

DEAD = "127.0.0.1:1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One compacted topic, and producers of ids on its cluster."""

    ports: ControlPorts
    open: Callable[[str], FencedProducer]
    topic: str
    id: str

    def record(self, value: bytes, key: bytes = b"k") -> NewRecord:
        return NewRecord(topic=self.topic, key=key, value=value, timestamp_ms=1_700_000_000_000)

    def read(self) -> list[LogRecord]:
        return list(self.ports.log.read_to_end(self.topic, isolation="read_committed"))

    def values(self) -> list[bytes | None]:
        return [record.value for record in self.read()]


@pytest.fixture(params=BOTH)
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    name = uuid.uuid4().hex[:8]
    made: list[FencedProducer] = []

    def opened(producer: FencedProducer) -> FencedProducer:
        made.append(producer)
        return producer

    if request.param == "memory":
        cluster = MemoryCluster("here")
        stage = Stage(
            ports=memory_ports(cluster),
            open=lambda each: opened(MemoryFencedProducer(cluster, each)),
            topic=f"fenced-{name}",
            id=f"id-{name}",
        )
    else:
        bootstrap = request.getfixturevalue("kafka_cluster").bootstrap
        client = ClusterClient(alias="here", bootstrap=(bootstrap,))
        stage = Stage(
            ports=kafka_ports("here", bootstrap),
            open=lambda each: opened(ConfluentFencedProducer(client, each)),
            topic=f"fenced-{name}",
            id=f"id-{name}",
        )
    compact = {"cleanup.policy": "compact"}
    stage.ports.admin.create_topics([NewTopic(name=stage.topic, partitions=1, replication_factor=1, configs=compact)])
    yield stage
    for producer in made:
        producer.close()
    stage.ports.close()


def test_records_arrive_with_key_value_and_time_in_their_order(stage: Stage) -> None:
    producer = stage.open(stage.id)
    producer.fence()

    producer.write([stage.record(b"1"), stage.record(b"2", key=b"other")])
    producer.write([])
    producer.write([stage.record(b"3")])

    found = stage.read()
    assert [(each.key, each.value) for each in found] == [(b"k", b"1"), (b"other", b"2"), (b"k", b"3")]
    assert {(each.partition, each.timestamp_ms) for each in found} == {(0, 1_700_000_000_000)}


def test_nothing_is_written_before_the_id_is_taken(stage: Stage) -> None:
    with pytest.raises(RetriableError, match="has not been taken"):
        stage.open(stage.id).write([stage.record(b"1")])


def test_an_earlier_owner_can_write_nothing_any_more(stage: Stage) -> None:
    frozen, successor = stage.open(stage.id), stage.open(stage.id)
    frozen.fence()
    frozen.write([stage.record(b"old")])
    successor.fence()
    successor.write([stage.record(b"new")])

    with pytest.raises(FencedError, match=f"has taken the transactional id {stage.id}"):
        frozen.write([stage.record(b"older")])

    assert stage.values() == [b"old", b"new"]
    successor.write([stage.record(b"newer")])
    assert stage.values() == [b"old", b"new", b"newer"]


def test_ids_that_no_one_uses_any_more_are_taken_away(stage: Stage) -> None:
    former, owner = stage.open(f"{stage.id}-former"), stage.open(stage.id)
    former.fence()
    owner.fence()

    owner.fence_others([f"{stage.id}-former"])

    with pytest.raises(FencedError):
        former.write([stage.record(b"old")])
    owner.write([stage.record(b"new")])
    assert stage.values() == [b"new"]


def test_an_owner_may_take_its_id_again(stage: Stage) -> None:
    producer = stage.open(stage.id)
    producer.fence()
    producer.write([stage.record(b"1")])

    producer.fence()
    producer.write([stage.record(b"2")])

    assert stage.values() == [b"1", b"2"]


def test_a_missing_topic_is_an_error_and_the_producer_works_afterwards(stage: Stage) -> None:
    producer = stage.open(stage.id)
    producer.fence()

    with pytest.raises(ReplicationError):
        producer.write([NewRecord(topic=f"{stage.topic}-missing", key=b"k", value=b"v", timestamp_ms=1)])

    producer.fence()
    producer.write([stage.record(b"1")])
    assert stage.values() == [b"1"]


def test_a_dead_cluster_is_named() -> None:
    cluster = MemoryCluster("gone")
    cluster.is_up = False
    dead: list[FencedProducer] = [
        MemoryFencedProducer(cluster, "id"),
        ConfluentFencedProducer(ClusterClient(alias="gone", bootstrap=(DEAD,)), "id"),
    ]

    for producer in dead:
        with pytest.raises(ClusterUnreachableError, match="cluster gone"):
            producer.fence()
        producer.close()
