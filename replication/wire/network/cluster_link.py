"""A data worker's link to one cluster for one purpose: connections, metadata, offsets, errors translated.

Fetches, produces and transactions take links of their own, because a broker answers one connection's requests one by
one: a long poll would hold up everything behind it.
"""

import time
import uuid
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any

import kafka.errors as kafka_errors
import structlog
from kafka.protocol.admin.transactions import DescribeProducersRequest
from kafka.protocol.consumer import ListOffsetsRequest
from kafka.protocol.metadata import MetadataRequest

from replication.domain.errors import (
    AuthenticationError,
    ClusterUnreachableError,
    ConfigurationError,
    ReplicationError,
    RequestTimedOutError,
    TopicMissingError,
)
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.kafka_errors import error_name
from replication.domain.offsets.leader_epochs import EpochEnd
from replication.domain.plan.slot import ClusterClient
from replication.domain.settings.choices import IsolationLevel
from replication.ports.fetch.metadata import OffsetAt, TopicLeaders
from replication.wire.inquiries.epoch_ends import epoch_ends_request, read_epoch_ends
from replication.wire.inquiries.first_answer import first_answer
from replication.wire.network.buffers import FrameMemory
from replication.wire.network.cluster_connections import ClusterConnections
from replication.wire.network.cluster_login import cluster_login
from replication.wire.network.connection_settings import connection_settings
from replication.wire.network.error_translation import BROKER_FAILURES, for_code, reason_of, translated
from replication.wire.network.loop import EngineLoop

log = structlog.get_logger(__name__)

BOOTSTRAP_TIMEOUT_MS = 10_000
BROKERS_ASKED = 3  # at most, when any one may answer
_LEADER_KNOWN = (KafkaErrorCode.NONE, KafkaErrorCode.REPLICA_NOT_AVAILABLE)
METADATA_MAX_VERSION = 12  # the newest with topic ids that all supported brokers and our client share
TOPICS_PER_METADATA_REQUEST = 100  # an answer is read in one go, and nothing else moves meanwhile
_SPECIAL_OFFSETS = {"earliest": -2, "latest": -1}


class ClusterLink:
    """A `Connection` and the `ClusterMetadata` behind it; every error names the cluster's alias."""

    def __init__(
        self,
        loop: EngineLoop,
        pool: FrameMemory,
        cluster: ClusterClient,
        client_id: str,
        isolation: IsolationLevel = "read_uncommitted",
    ) -> None:
        """`isolation` selects the end that `offsets` returns: the log's, or the last stable offset."""
        self.alias = cluster.alias
        self._isolation: IsolationLevel = isolation
        self._bootstrap = cluster.bootstrap
        self._unusable: ConfigurationError | None = None
        self._loop = loop
        self._manager = ClusterConnections(
            loop,
            pool,
            cluster_login(cluster),
            cluster.alias,
            bootstrap_servers=list(cluster.bootstrap),
            client_id=client_id,
            **connection_settings(cluster.client, cluster.alias),
        )

    async def open(self) -> None:
        """Connect once; later losses are repaired automatically."""
        self._manager.forget_auth_failures()
        try:
            await self._connect()
        except RequestTimedOutError as error:
            places, reason = ", ".join(self._bootstrap), reason_of(error.__cause__ or error)
            raise ClusterUnreachableError(
                f"cluster {self.alias} does not answer at {places} ({reason}); "
                "are its brokers up and the addresses right?",
                cluster=self.alias,
            ) from error

    def close(self) -> None:
        """Cut the connections: what still waits to be sent must not go out after its memory is used again."""
        self._manager.abort()

    def log_in_as(self, cluster: ClusterClient) -> None:
        """Log in with these settings from now on; requests under way end over the connections of before."""
        try:
            self._manager.log_in_as(cluster_login(cluster))
        except ConfigurationError as error:
            self._unusable = error
        else:
            self._unusable = None

    def refused_login(self) -> ReplicationError | None:
        """Return why the newest login is not in use although connections of the one before are; None when it is."""
        refusal = self._unusable or self._manager.refusal
        if refusal is None:
            return None
        return AuthenticationError(
            f"cluster {self.alias}: the changed login is refused: {reason_of(refusal)}; the former one serves while it "
            "is accepted; check the cluster's security settings",
            cluster=self.alias,
        )

    async def send(self, request: Any, node: Any = None, *, doing: str, timeout_ms: int | None = None) -> Any:
        """One request to one broker. When None, to any one, and to a few others if it fails or is silent."""
        try:
            if node is None:
                return await first_answer(self._loop, self._asks(request, timeout_ms), _is_final)
            return await self._manager.send(request, node_id=node, request_timeout_ms=timeout_ms)
        except (kafka_errors.KafkaError, OSError) as error:
            raise self._failed(error, doing) from error

    def _asks(self, request: Any, timeout_ms: int | None) -> Iterator[Callable[[], Awaitable[Any]]]:
        """Each asks another broker; the last ones are left out while there is no other."""
        asked: list[Any] = []
        while len(asked) < BROKERS_ASKED:
            node = self._manager.least_loaded_node(asked)
            if node is None and asked:
                return
            asked.append(node)
            yield partial(self._ask, copy(request), node, timeout_ms)  # a request remembers how it was sent

    async def _ask(self, request: Any, node: Any, timeout_ms: int | None) -> Any:
        return await self._manager.send(request, node_id=node, request_timeout_ms=timeout_ms)

    async def _connect(self) -> None:
        try:
            await self._manager.bootstrap_async(timeout_ms=BOOTSTRAP_TIMEOUT_MS)
        except (kafka_errors.KafkaError, OSError) as error:
            raise self._failed(error, "connecting") from error

    def _failed(self, error: Exception, doing: str) -> Exception:
        self._manager.forget_auth_failures()
        if isinstance(error, kafka_errors.UnknownBrokerIdError):
            self._manager.cluster.request_update()  # a broker that came (back) since the last refresh
        return translated(error, cluster=self.alias, doing=doing)

    async def describe(self, topics: Sequence[str], node: int | None = None) -> dict[str, TopicLeaders]:
        """Topic ids and leaders of existing topics, as one broker knows them; others come back with their error."""
        found: dict[str, TopicLeaders] = {}
        for start in range(0, len(topics), TOPICS_PER_METADATA_REQUEST):
            chunk = topics[start : start + TOPICS_PER_METADATA_REQUEST]
            request = MetadataRequest(
                topics=[MetadataRequest.MetadataRequestTopic(name=name) for name in chunk],
                allow_auto_topic_creation=False,
                max_version=METADATA_MAX_VERSION,
            )
            response = await self.send(request, node, doing="asking for topics and leaders")
            self._manager.cluster.update_metadata(response)
            running = {broker.node_id for broker in response.brokers}
            for topic in response.topics:
                found[topic.name] = _leaders(topic, running)
        return found

    async def leaders(self, topic: str) -> Mapping[int, int]:
        """The leaders of a topic that must exist, by partition."""
        described = (await self.describe([topic]))[topic]
        if described.error is not None or not described.leaders:
            raise TopicMissingError(
                f"cluster {self.alias}: {topic} is not there ({described.error}); the planner creates it",
                cluster=self.alias,
                topic=topic,
            )
        return described.leaders

    async def offsets(self, at: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        """Offsets by ListOffsets at each partition's leader; failed partitions are missing."""
        found: dict[TopicPartition, int] = {}
        for leader, partitions in (await self._by_leader(at)).items():
            found.update(await self._offsets_at(leader, {partition: at[partition] for partition in partitions}))
        return found

    async def epoch_ends(self, epochs: Mapping[TopicPartition, int]) -> dict[TopicPartition, EpochEnd]:
        """The ends of leader epochs at each partition's leader; failed partitions are missing."""
        found: dict[TopicPartition, EpochEnd] = {}
        for leader, partitions in (await self._by_leader(epochs)).items():
            request = epoch_ends_request({partition: epochs[partition] for partition in partitions})
            response = await self.send(request, leader, doing="asking for leader epochs")
            found.update(read_epoch_ends(response))
        return found

    async def _by_leader(self, wanted: Collection[TopicPartition]) -> dict[int, list[TopicPartition]]:
        """Partitions without a leader are missing."""
        described = await self.describe(sorted({partition.topic for partition in wanted}))
        by_leader: dict[int, list[TopicPartition]] = defaultdict(list)
        for partition in wanted:
            leader = described[partition.topic].leaders.get(partition.partition, -1)
            if leader >= 0:
                by_leader[leader].append(partition)
        return by_leader

    async def _offsets_at(self, leader: int, at: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        topic_type = ListOffsetsRequest.ListOffsetsTopic
        by_topic: dict[str, list[Any]] = defaultdict(list)
        for partition, wanted in at.items():
            timestamp = _SPECIAL_OFFSETS[wanted] if isinstance(wanted, str) else wanted
            entry = topic_type.ListOffsetsPartition(partition_index=partition.partition, timestamp=timestamp)
            by_topic[partition.topic].append(entry)
        request = ListOffsetsRequest(
            replica_id=-1,
            isolation_level=1 if self._isolation == "read_committed" else 0,
            topics=[topic_type(name=name, partitions=entries) for name, entries in by_topic.items()],
            max_version=7,
        )
        response = await self.send(request, leader, doing="asking for offsets")
        found: dict[TopicPartition, int] = {}
        for topic in response.topics:
            for entry in topic.partitions:
                partition = TopicPartition(topic.name, entry.partition_index)
                if entry.error_code == KafkaErrorCode.NONE:
                    found[partition] = entry.offset
                else:
                    log.warning(
                        "offset unknown",
                        cluster=self.alias,
                        topic=topic.name,
                        partition=entry.partition_index,
                        error=error_name(entry.error_code),
                    )
        return found

    async def round_trip_ms(self) -> float:
        """Of a request that costs the broker nothing, without the time that its answer waits for our own loop."""
        request = MetadataRequest(topics=[], allow_auto_topic_creation=False, max_version=METADATA_MAX_VERSION)
        await self.send(request, doing="connecting to measure the round trip")
        arrived_s: list[float] = []
        started_s = time.monotonic()
        answer = self._manager.send(request)
        answer.add_both(lambda _: arrived_s.append(self._loop.net.heard_s))
        try:
            await answer
        except (kafka_errors.KafkaError, OSError) as error:
            raise self._failed(error, "measuring the round trip") from error
        return max(0.0, arrived_s[0] - started_s) * 1000

    async def open_producer(self, partition: TopicPartition, first_offset: int) -> int | None:
        """Return the producer id whose transaction is open from this offset on (KIP-664); needs READ on the topic."""
        described = await self.describe([partition.topic])
        leader = described[partition.topic].leaders.get(partition.partition, -1)
        topic = DescribeProducersRequest.TopicRequest(name=partition.topic, partition_indexes=[partition.partition])
        response = await self.send(DescribeProducersRequest(topics=[topic]), leader, doing="looking for a transaction")
        for entry in response.topics[0].partitions:
            self.check(entry.error_code, "looking for a transaction")
            for producer in entry.active_producers:
                if producer.current_txn_start_offset == first_offset:
                    return int(producer.producer_id)
        return None

    def check(self, code: int, doing: str) -> None:
        """Raise the error an answer carries."""
        if code != KafkaErrorCode.NONE:
            raise for_code(code, cluster=self.alias, doing=doing)


def _is_final(error: Exception) -> bool:
    """Return True when it is not about one broker, and others would say the same."""
    return not isinstance(error, BROKER_FAILURES)


def _leaders(topic: Any, running: set[int]) -> TopicLeaders:
    topic_id = topic.topic_id
    leaderless = [partition for partition in topic.partitions if partition.leader_id < 0]
    return TopicLeaders(
        topic=topic.name,
        topic_id=topic_id.bytes if isinstance(topic_id, uuid.UUID) else bytes(topic_id or bytes(16)),
        leaders={
            partition.partition_index: partition.leader_id if partition.error_code in _LEADER_KNOWN else -1
            for partition in topic.partitions
        },
        error=None if topic.error_code == KafkaErrorCode.NONE else error_name(topic.error_code),
        disks_lost={
            partition.partition_index: min(lost)
            for partition in leaderless
            if (lost := running.intersection(partition.offline_replicas or ()))
        },
    )
