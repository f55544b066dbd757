"""Clients that flows share, on a real broker: failures reach their sender only, newest records of many topics."""

import uuid
from collections.abc import Iterator

import pytest
from confluent_kafka import Producer

from replication.domain.errors import TopicMissingError
from replication.domain.plan.slot import ClusterClient
from replication.wire.inquiries.newest_times import WireNewestTimes
from replication.wire.network.loop import EngineLoop
from replication.wire.records.record_producer import WireRecordProducer
from replication.wire.records.record_sender import RecordSender
from replication.worker.connections.client_pool import ClientPool
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import create_topic, delete_topic, produce

pytestmark = pytest.mark.kafka


@pytest.fixture
def bootstrap(two_clusters: TwoClusters) -> str:
    return two_clusters.source.bootstrap


@pytest.fixture
def client(bootstrap: str) -> ClusterClient:
    return ClusterClient(alias="east", bootstrap=(bootstrap,))


@pytest.fixture
def loop() -> Iterator[EngineLoop]:
    made = EngineLoop("test")
    made.start()
    yield made
    made.stop(2.0)


@pytest.fixture
def times(client: ClusterClient, loop: EngineLoop) -> Iterator[WireNewestTimes]:
    made = WireNewestTimes(client, loop)
    yield made
    made.close()


def new_topic(bootstrap: str) -> str:
    name = f"shared-{uuid.uuid4().hex[:8]}"
    create_topic(bootstrap, name)
    return name


def in_a_transaction(bootstrap: str, topic: str, timestamp_ms: int) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": topic, "log_level": 0})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, value=b"", partition=0, timestamp=timestamp_ms)
    producer.commit_transaction(30)


def test_a_failed_record_is_reported_to_its_own_producer(
    bootstrap: str, client: ClusterClient, loop: EngineLoop
) -> None:
    pool = ClientPool(lambda cluster: RecordSender(cluster, loop))
    bad, good = (WireRecordProducer(client, lambda: pool.use(client)) for _ in range(2))
    topic = new_topic(bootstrap)

    bad.send(f"missing-{topic}", key=None, value=b"", partition=0)
    good.send(topic, key=None, value=b"", partition=0, timestamp_ms=1)

    good.flush()
    with pytest.raises(TopicMissingError):
        bad.flush()
    bad.flush()
    assert pool.open_clients == 1
    pool.close()


def test_the_newest_records_of_many_topics_are_read_together(bootstrap: str, times: WireNewestTimes) -> None:
    plain, empty, committed = (new_topic(bootstrap) for _ in range(3))
    produce(bootstrap, plain, [{"value": b"", "partition": 0, "timestamp": at_ms} for at_ms in (1_000, 2_000)])
    in_a_transaction(bootstrap, committed, 3_000)
    topics = [plain, empty, committed, f"missing-{plain}"]

    assert times.newest_ms(topics) == {plain: 2_000, committed: 3_000}

    produce(bootstrap, empty, [{"value": b"", "partition": 0, "timestamp": 4_000}])
    assert times.newest_ms(topics) == {plain: 2_000, committed: 3_000, empty: 4_000}


def test_a_topic_that_is_made_again_has_no_newest_record(bootstrap: str, times: WireNewestTimes) -> None:
    topic = new_topic(bootstrap)
    produce(bootstrap, topic, [{"value": b"", "partition": 0, "timestamp": 1_000}])
    assert times.newest_ms([topic]) == {topic: 1_000}

    delete_topic(bootstrap, topic)
    assert times.newest_ms([topic]) == {}
    create_topic(bootstrap, topic)

    assert times.newest_ms([topic]) == {}
