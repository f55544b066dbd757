"""The behaviour of every adapter of the producer port: in memory, over librdkafka and over the shared network loop."""

from collections.abc import Iterator

import pytest

from replication.codecs.murmur2 import partition_for
from replication.domain.errors import ClusterUnreachableError, ReplicationError
from tests.contract.control_ports import ALL, ControlPorts, new_topic, open_dead_ports, open_ports


@pytest.fixture(params=ALL)
def ports(request: pytest.FixtureRequest) -> Iterator[ControlPorts]:
    made = open_ports(request.param, request)
    yield made
    made.close()


@pytest.fixture(params=ALL)
def dead_ports(request: pytest.FixtureRequest) -> Iterator[ControlPorts]:
    made = open_dead_ports(request.param)
    yield made
    made.close()


def test_writing_to_a_missing_topic_fails_and_creates_nothing(ports: ControlPorts, topic: str) -> None:
    ports.producer.send(topic, key=b"k", value=b"v")

    with pytest.raises(ReplicationError):
        ports.producer.flush()
    ports.producer.flush()

    assert topic not in ports.admin.list_topics()


def test_a_record_is_read_back_as_it_was_written(ports: ControlPorts, topic: str) -> None:
    ports.admin.create_topics([new_topic(topic)])
    ports.producer.send(topic, key=b"k", value=None, partition=0, timestamp_ms=1_700_000_000_000, headers=[("h", b"1")])
    ports.producer.flush()

    (record,) = ports.log.read_to_end(topic)

    assert (record.key, record.value, record.offset, record.timestamp_ms) == (b"k", None, 0, 1_700_000_000_000)
    assert record.headers == (("h", b"1"),)


def test_keyed_records_go_where_java_puts_them(ports: ControlPorts, topic: str) -> None:
    ports.admin.create_topics([new_topic(topic, partitions=25)])
    keys = [f"key-{number}".encode() for number in range(40)]
    for key in keys:
        ports.producer.send(topic, key=key, value=b"")
    ports.producer.flush()

    found = {record.key: record.partition for record in ports.log.read_to_end(topic)}

    assert found == {key: partition_for(key, 25) for key in keys}


def test_reading_to_the_end_keeps_the_order_and_can_be_repeated(ports: ControlPorts, topic: str) -> None:
    ports.admin.create_topics([new_topic(topic, partitions=2)])
    for number in range(500):
        ports.producer.send(topic, key=None, value=str(number).encode(), partition=number % 2)
    ports.producer.flush()

    for _ in range(2):
        records = list(ports.log.read_to_end(topic))
        for partition in (0, 1):
            values = [int(record.value or b"") for record in records if record.partition == partition]
            assert values == list(range(partition, 500, 2))


@pytest.mark.timeout(30)
def test_a_dead_cluster_fails_a_flush_in_time_and_the_next_one_has_nothing_to_report(dead_ports: ControlPorts) -> None:
    dead_ports.producer.send("t", key=None, value=b"")

    with pytest.raises(ClusterUnreachableError, match="cluster gone"):
        dead_ports.producer.flush(2.0)
