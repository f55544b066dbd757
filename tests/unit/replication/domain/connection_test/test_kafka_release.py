"""The release of a broker follows from the newest API versions that it knows."""

import pytest

from replication.domain.connection_test.kafka_release import kafka_release
from replication.domain.connection_test.report import BrokerReport, oldest_kafka_version

_PRODUCE, _FETCH, _LIST_OFFSETS = 0, 1, 2


@pytest.mark.parametrize(
    ("newest", "release"),
    [
        ({_PRODUCE: 13, _FETCH: 18, _LIST_OFFSETS: 10}, "4.1"),
        ({_PRODUCE: 12, _FETCH: 17, _LIST_OFFSETS: 10}, "4.0"),
        ({_PRODUCE: 11, _FETCH: 17, _LIST_OFFSETS: 9}, "3.9"),
        ({_PRODUCE: 99, _FETCH: 99, _LIST_OFFSETS: 99}, "4.2"),
        ({_FETCH: 11}, "2.3"),
        ({_FETCH: 7}, None),
        ({}, None),
    ],
)
def test_the_newest_sign_decides(newest: dict[int, int], release: str | None) -> None:
    assert kafka_release(newest) == release


def test_the_oldest_broker_counts_by_numbers_and_silent_ones_do_not() -> None:
    brokers = [
        BrokerReport(address=f"b{place}:9092", origin="bootstrap", steps=(), kafka_version=version)
        for place, version in enumerate(("4.1", None, "3.10", "3.9"))
    ]

    assert oldest_kafka_version(brokers) == "3.9"
    assert oldest_kafka_version(brokers[1:2]) is None
