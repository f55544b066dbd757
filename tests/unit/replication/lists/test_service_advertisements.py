"""Advertisements of services: their bytes, and their topic in memory."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from replication.codecs.service_advertisements import decode_advertisement, encode_advertisement
from replication.domain.errors import ClusterUnreachableError, MalformedRecordError
from replication.domain.names.internal_topics import INTERNAL_TOPICS, SERVICE_HEARTBEATS
from replication.domain.services.advertisement import Advertisement
from replication.lists.service_advertisements import AdvertisedServices, ServiceAdvertisements
from replication.memory.broker import MemoryCluster
from tests.contract.control_ports import ControlPorts, memory_ports

EU = Advertisement(
    id="eu",
    protocol="http",
    host="eu.example",
    port=6670,
    targets=("eu", "eu-2"),
    version="1.0",
    started_ms=1,
    sent_ms=2,
    interval_ms=5000,
)
NAME = SERVICE_HEARTBEATS.name()


@pytest.fixture
def cluster() -> MemoryCluster:
    return MemoryCluster("here")


@pytest.fixture
def ports(cluster: MemoryCluster) -> Iterator[ControlPorts]:
    made = memory_ports(cluster)
    yield made
    made.close()


@pytest.fixture
def services(ports: ControlPorts) -> ServiceAdvertisements:
    return ServiceAdvertisements(ports.admin, ports.log, ports.producer)


def test_the_bytes_are_those_of_the_contract() -> None:
    assert encode_advertisement(EU) == (
        b"eu",
        b'{"v":1,"id":"eu","protocol":"http","host":"eu.example","port":6670,"root_path":"","targets":["eu","eu-2"],'
        b'"version":"1.0","started_ms":1,"sent_ms":2,"interval_ms":5000}',
    )


@pytest.mark.parametrize("each", [EU, replace(EU, protocol="https", host="fe80::1", root_path="/a/b")])
def test_an_advertisement_is_read_back_as_written_and_unknown_fields_are_accepted(each: Advertisement) -> None:
    key, value = encode_advertisement(each)

    assert decode_advertisement(key, json.dumps({**json.loads(value), "later": 1}).encode()) == each


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("protocol", "file"),
        ("protocol", []),
        ("host", "eu.example/x"),
        ("host", "ann@eu"),
        ("host", ""),
        ("port", 0),
        ("port", 65536),
        ("port", True),
        ("root_path", "x"),
        ("root_path", "/x?y=1"),
        ("root_path", "//other.example"),
        ("targets", []),
        ("targets", "eu"),
        ("targets", [1]),
        ("version", "1\n2"),
        ("sent_ms", None),
        ("interval_ms", 0),
        ("interval_ms", 3_600_001),
        ("id", "us"),
        ("v", 2),
        ("v", None),
    ],
)
def test_a_wrong_field_is_refused_and_named(name: str, value: Any) -> None:
    key, right = encode_advertisement(EU)

    with pytest.raises(MalformedRecordError, match="version" if name == "v" else f"`{name}`"):
        decode_advertisement(key, json.dumps({**json.loads(right), name: value}).encode())


@pytest.mark.parametrize("value", [b"", b"\xff", b"[]", b"1", b"{}", b"[" * 100_000])
def test_other_bytes_are_refused(value: bytes) -> None:
    with pytest.raises(MalformedRecordError):
        decode_advertisement(b"eu", value)


def test_without_a_topic_there_are_no_services(services: ServiceAdvertisements) -> None:
    assert services.read() == AdvertisedServices()


def test_the_first_advertisement_creates_the_topic_as_declared(
    services: ServiceAdvertisements, ports: ControlPorts
) -> None:
    services.advertise(EU, replication_factor=3)

    assert ports.admin.list_topics()[NAME] == 1
    configs = ports.admin.topic_configs([NAME])[NAME]
    assert {name: configs[name].value for name in SERVICE_HEARTBEATS.configs} == SERVICE_HEARTBEATS.configs


def test_the_newest_advertisement_of_each_service_counts(services: ServiceAdvertisements) -> None:
    us, newer = replace(EU, id="us", targets=("us",)), replace(EU, port=6672)
    for each in (EU, us, newer):
        services.advertise(each, replication_factor=1)

    assert {key: seen.advertisement for key, seen in services.read().services.items()} == {"eu": newer, "us": us}


def test_a_withdrawn_service_is_no_longer_read(services: ServiceAdvertisements) -> None:
    services.advertise(EU, replication_factor=1)
    services.withdraw("eu")

    assert services.read() == AdvertisedServices()


def test_a_forged_record_is_refused_until_the_service_advertises_itself(
    services: ServiceAdvertisements, ports: ControlPorts
) -> None:
    services.advertise(replace(EU, id="us"), replication_factor=1)
    services.advertise(EU, replication_factor=1)
    ports.producer.send(NAME, key=b"eu", value=encode_advertisement(replace(EU, id="us"))[1], partition=0)
    ports.producer.flush()

    forged = services.read()
    services.advertise(EU, replication_factor=1)

    assert list(forged.services) == ["us"]
    assert "`id`" in forged.refused["eu"]
    assert (sorted(services.read().services), services.read().refused) == (["eu", "us"], {})


def test_the_age_counts_from_the_time_of_the_record(services: ServiceAdvertisements, ports: ControlPorts) -> None:
    services.advertise(EU, replication_factor=1)
    ports.producer.send(NAME, key=b"eu", value=encode_advertisement(EU)[1], partition=0, timestamp_ms=700)
    ports.producer.flush()

    assert services.read().services["eu"].stored_ms == 700


def test_an_unreachable_cluster_is_an_error_not_an_empty_list(
    services: ServiceAdvertisements, cluster: MemoryCluster
) -> None:
    services.advertise(EU, replication_factor=1)
    cluster.is_up = False

    with pytest.raises(ClusterUnreachableError):
        services.read()


def test_the_topic_belongs_to_no_flow() -> None:
    assert SERVICE_HEARTBEATS not in INTERNAL_TOPICS
