"""ClusterAdmin over confluent-kafka's AdminClient."""

import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar, cast

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka import TopicPartition as KafkaTopicPartition
from confluent_kafka.admin import AdminClient, ConfigEntry, ConfigResource, NewPartitions, OffsetSpec, ResourceType
from confluent_kafka.admin import NewTopic as KafkaNewTopic

from replication.domain.identifiers import TopicPartition
from replication.domain.slot import ClusterClient
from replication.domain.topic_config import ConfigSource, ConfigValue
from replication.kafka.client_config import REQUEST_TIMEOUT_S, librdkafka_config
from replication.kafka.error_translation import ErrorWatch
from replication.ports.admin import (
    ClusterAdmin,
    ClusterDescription,
    NewTopic,
    OffsetQuery,
    Refused,
    TopicDescription,
)

_CREATE_CHUNK = 50
_CONFIG_CHUNK = 500
_RESULT_TIMEOUT_S = REQUEST_TIMEOUT_S + 1.5  # the request's own time-out comes first and says more
_PROPAGATION_TIMEOUT_S = 5.0
_PROPAGATION_PAUSE_S = 0.05
# _NOENT: "no leaders found", which is what asking for the offsets of missing topics only comes to
_MISSING = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._NOENT)
_CONFIG_SOURCES: dict[int, ConfigSource] = {
    1: "topic",
    2: "dynamic_broker",
    3: "dynamic_default_broker",
    4: "static_broker",
    5: "default",
}
_OFFSET_SPECS: dict[OffsetQuery, Callable[[], OffsetSpec]] = {
    "earliest": OffsetSpec.earliest,
    "latest": OffsetSpec.latest,
}
Key = TypeVar("Key")
Result = TypeVar("Result")


def open_admin(cluster: ClusterClient) -> ClusterAdmin:
    """Connects on the first call, not here. Raises ConfigurationError for settings no client can be made of."""
    return KafkaClusterAdmin(cluster)


class KafkaClusterAdmin:
    """One librdkafka handle; confluent-kafka allows calls from any thread."""

    def __init__(self, cluster: ClusterClient) -> None:
        self._cluster = cluster
        self._watch = ErrorWatch(cluster)
        config = librdkafka_config(cluster)
        config["error_cb"] = self._watch.error_cb
        self._client = AdminClient(config)

    @property
    def alias(self) -> str:
        return self._cluster.alias

    def describe_cluster(self) -> ClusterDescription:
        future = self._client.describe_cluster(request_timeout=REQUEST_TIMEOUT_S)
        found = self._result(future, "describe the cluster")
        return ClusterDescription(cluster_id=str(found.cluster_id), brokers=len(found.nodes))

    def list_topics(self) -> Mapping[str, int]:
        metadata = self._call(lambda: self._client.list_topics(timeout=REQUEST_TIMEOUT_S), "list topics")
        # a topic without a leader for the moment has an error and partitions; it must not look deleted
        return {name: len(topic.partitions) for name, topic in metadata.topics.items() if topic.partitions}

    def describe_topics(self, names: Collection[str]) -> Mapping[str, TopicDescription]:
        if not names:
            return {}
        futures = self._call(
            lambda: self._client.describe_topics(TopicCollection(list(names)), request_timeout=REQUEST_TIMEOUT_S),
            "describe topics",
        )
        found = self._existing(futures, "describe topics")
        return {
            name: TopicDescription(
                name=name,
                topic_id=_id_bytes(topic.topic_id),
                partitions=len(topic.partitions),
                replication_factor=len(topic.partitions[0].replicas) if topic.partitions else 0,
            )
            for name, topic in found.items()
        }

    def topic_configs(self, names: Collection[str]) -> Mapping[str, Mapping[str, ConfigValue]]:
        configs: dict[str, Mapping[str, ConfigValue]] = {}
        for chunk in _chunks(sorted(names), _CONFIG_CHUNK):
            resources = [ConfigResource(ResourceType.TOPIC, name) for name in chunk]
            futures = self._client.describe_configs(resources, request_timeout=REQUEST_TIMEOUT_S)
            found = self._existing({resource.name: future for resource, future in futures.items()}, "read configs")
            for name, entries in found.items():
                configs[name] = {entry.name: _config_value(entry) for entry in entries.values()}
        return configs

    def create_topics(self, topics: Sequence[NewTopic]) -> tuple[Refused, ...]:
        refused: list[Refused] = []
        for chunk in _chunks(topics, _CREATE_CHUNK):
            wanted = [
                KafkaNewTopic(
                    topic.name,
                    num_partitions=topic.partitions,
                    replication_factor=topic.replication_factor,
                    config=dict(topic.configs),
                )
                for topic in chunk
            ]
            futures = self._client.create_topics(wanted, request_timeout=REQUEST_TIMEOUT_S)
            refused += self._refused(futures, KafkaError.TOPIC_ALREADY_EXISTS, "create topics")
        self._wait_until_seen({topic.name: 1 for topic in topics}, refused)
        return tuple(refused)

    def create_partitions(self, counts: Mapping[str, int]) -> tuple[Refused, ...]:
        refused: list[Refused] = []
        for chunk in _chunks(sorted(counts.items()), _CREATE_CHUNK):
            wanted = [NewPartitions(name, count) for name, count in chunk]
            futures = self._client.create_partitions(wanted, request_timeout=REQUEST_TIMEOUT_S)
            refused += self._refused(futures, KafkaError.INVALID_PARTITIONS, "add partitions")
        self._wait_until_seen(counts, refused)
        return tuple(refused)

    def _wait_until_seen(self, counts: Mapping[str, int], refused: Sequence[Refused]) -> None:
        """The controller answers before every broker has heard; give them a moment, then go on regardless."""
        wanted = {name: count for name, count in counts.items() if name not in {each.topic for each in refused}}
        deadline = time.monotonic() + _PROPAGATION_TIMEOUT_S
        while wanted and time.monotonic() < deadline:
            seen = self.list_topics()
            wanted = {name: count for name, count in wanted.items() if seen.get(name, 0) < count}
            if wanted:
                time.sleep(_PROPAGATION_PAUSE_S)

    def list_offsets(self, partitions: Collection[TopicPartition], query: OffsetQuery) -> Mapping[TopicPartition, int]:
        if not partitions:
            return {}
        spec = _OFFSET_SPECS[query]()
        wanted = {KafkaTopicPartition(each.topic, each.partition): spec for each in partitions}
        futures = self._call(
            lambda: self._client.list_offsets(wanted, request_timeout=REQUEST_TIMEOUT_S), "list offsets"
        )
        found = self._existing(futures, "list offsets")
        return {TopicPartition(each.topic, each.partition): info.offset for each, info in found.items()}

    def group_members(self, group: str) -> int:
        """By the older call, deprecated in the library, because the newer one refuses groups of Kafka Connect."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            client = cast("Any", self._client)  # this method has no types
            groups = self._call(lambda: client.list_groups(group, timeout=REQUEST_TIMEOUT_S), "look at groups")
        return sum(len(found.members) for found in groups if found.id == group)

    def close(self) -> None:
        """librdkafka ends the handle when it is collected; there is nothing to flush."""

    def _call(self, call: Callable[[], Result], what: str) -> Result:
        try:
            return call()
        except KafkaException as error:
            self._client.poll(0)  # deliver what the error callback has to say
            raise self._watch.translate(error, what) from error

    def _result(self, future: "Future[Result]", what: str) -> Result:
        return self._call(lambda: future.result(timeout=_RESULT_TIMEOUT_S), what)

    def _existing(self, futures: Mapping[Key, "Future[Result]"], what: str) -> dict[Key, Result]:
        """The results; those of topics that do not exist are left out."""
        found: dict[Key, Result] = {}
        for key, future in futures.items():
            try:
                found[key] = future.result(timeout=_RESULT_TIMEOUT_S)
            except KafkaException as error:
                if error.args[0].code() not in _MISSING:
                    self._client.poll(0)
                    raise self._watch.translate(error, what) from error
        return found

    def _refused(self, futures: Mapping[str, "Future[None]"], harmless: int, what: str) -> list[Refused]:
        """What the cluster refused topic by topic; raises when the request as a whole failed."""
        refused: list[Refused] = []
        for topic, future in futures.items():
            try:
                future.result(timeout=_RESULT_TIMEOUT_S)
            except KafkaException as error:
                reason = error.args[0]
                is_local = reason.code() < 0  # librdkafka's own: nobody answered
                if is_local:
                    self._client.poll(0)
                    raise self._watch.translate(error, what, topic=topic) from error
                if reason.code() != harmless:
                    refused.append(Refused(topic=topic, code=reason.name(), text=reason.str()))
        return refused


def _config_value(entry: ConfigEntry) -> ConfigValue:
    return ConfigValue(
        name=entry.name,
        value=entry.value,
        source=_CONFIG_SOURCES.get(_number(entry.source), "unknown"),
        read_only=bool(entry.is_read_only),
        sensitive=bool(entry.is_sensitive),
    )


def _number(source: Any) -> int:
    """The library documents an enum here and hands out a number."""
    return int(getattr(source, "value", source))


def _id_bytes(topic_id: object) -> bytes:
    """librdkafka's Uuid as the 16 bytes of the protocol."""
    high = topic_id.get_most_significant_bits()  # type: ignore[attr-defined]  # the C type has no stub
    low = topic_id.get_least_significant_bits()  # type: ignore[attr-defined]  # the C type has no stub
    return int(high & (1 << 64) - 1).to_bytes(8, "big") + int(low & (1 << 64) - 1).to_bytes(8, "big")


def _chunks(items: Sequence[Result], size: int) -> Iterator[Sequence[Result]]:
    return (items[at : at + size] for at in range(0, len(items), size))
