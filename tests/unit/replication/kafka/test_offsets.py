"""Offsets of many partitions: in parts, and without those whose leader does not answer."""

from collections.abc import Mapping
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka import TopicPartition as KafkaTopicPartition

from replication.domain.errors import RetriableError
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import KafkaClusterAdmin

Futures = dict[KafkaTopicPartition, "Future[Any]"]


class Client:
    """Answers with the partition's number as its offset; some partitions have no leader."""

    def __init__(self, *leaderless: int) -> None:
        self.leaderless = leaderless
        self.sizes: list[int] = []

    def list_offsets(self, wanted: Mapping[KafkaTopicPartition, Any], **_: Any) -> Futures:
        self.sizes.append(len(wanted))
        found: Futures = {each: Future() for each in wanted}
        for each, future in found.items():
            if each.partition in self.leaderless:
                error: Any = KafkaError
                future.set_exception(KafkaException(error(KafkaError.NOT_LEADER_FOR_PARTITION)))
            else:
                future.set_result(SimpleNamespace(offset=each.partition))
        return found

    def poll(self, timeout: float) -> None:
        """Nothing is due."""


def admin_of(client: Client) -> KafkaClusterAdmin:
    admin = KafkaClusterAdmin(ClusterClient(alias="here", bootstrap=("127.0.0.1:1",)))
    admin._opened = client  # type: ignore[assignment]
    return admin


def places(count: int) -> list[TopicPartition]:
    return [TopicPartition("orders", number) for number in range(count)]


def test_many_partitions_are_asked_for_in_parts() -> None:
    client = Client()

    found = admin_of(client).list_offsets(places(12_000), "latest")

    assert client.sizes == [5_000, 5_000, 2_000]
    assert found == {each: each.partition for each in places(12_000)}


def test_a_partition_without_a_leader_is_missing_from_what_is_available() -> None:
    admin = admin_of(Client(1))

    assert admin.available_offsets(places(3), "latest") == {places(3)[0]: 0, places(3)[2]: 2}
    with pytest.raises(RetriableError):
        admin.list_offsets(places(3), "latest")


def test_where_no_partition_answers_the_reason_is_raised() -> None:
    with pytest.raises(RetriableError, match="here"):
        admin_of(Client(0, 1)).available_offsets(places(2), "latest")
