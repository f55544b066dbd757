"""Composition root of the service: the only module that names adapters (Redis, the control-plane Kafka client)."""

import threading
from collections.abc import Mapping

import redis
from django.conf import settings

from replication.config.redis_access import open_redis
from replication.domain.connection_test.report import ConnectionReport, ConnectionTest
from replication.domain.identifiers import FlowId
from replication.domain.plan.slot import ClusterClient
from replication.lists.control_topic import ControlTopics
from replication.lists.service_advertisements import ServiceAdvertisements

REDIS_PREFIX = "srm:"
_SOCKET_TIMEOUT_S = 1.0
_lock = threading.Lock()
_clients: dict[str, redis.Redis] = {}


class RedisNotConfiguredError(redis.ConnectionError):
    """`SRM_REDIS_URL` is empty; treated as a Redis that cannot be reached."""


def redis_client() -> redis.Redis:
    """Return a shared client with short time-outs. Its calls raise `redis.RedisError`."""
    url = settings.SRM_REDIS_URL
    if not url:
        raise RedisNotConfiguredError("SRM_REDIS_URL is not set")
    with _lock:
        if url not in _clients:
            _clients[url] = open_redis(
                url,
                socket_timeout=_SOCKET_TIMEOUT_S,
                socket_connect_timeout=_SOCKET_TIMEOUT_S,
                health_check_interval=10,
                decode_responses=True,
            )
        return _clients[url]


def connection_report(client: ClusterClient, options: ConnectionTest) -> ConnectionReport:
    """Test the connection to every broker of a cluster. Blocks, at most until the deadline."""
    from replication.kafka.connection_test.cluster_test import check_connection  # loads librdkafka

    return check_connection(client, options)


def heartbeats_in(client: ClusterClient, *, deadline_s: float) -> Mapping[FlowId, int]:
    """Return the time of the newest heartbeat in a cluster by flow. Blocks; raises ReplicationError."""
    from replication.kafka.heartbeat_pairs import heartbeat_pairs

    return heartbeat_pairs(client, deadline_s=deadline_s)


def control_topics(client: ClusterClient) -> ControlTopics:
    """Return the control topics of a target cluster; its calls block. Raises ConfigurationError."""
    from replication.kafka.admin import open_admin
    from replication.kafka.producer import ConfluentRecordProducer
    from replication.kafka.record_log import KafkaRecordLog

    return ControlTopics(open_admin(client), KafkaRecordLog(client), ConfluentRecordProducer(client))


def service_advertisements(client: ClusterClient) -> ServiceAdvertisements:
    """Return the advertisements of services in a target cluster; its calls block. Raises ConfigurationError."""
    from replication.kafka.admin import open_admin
    from replication.kafka.producer import ConfluentRecordProducer
    from replication.kafka.record_log import KafkaRecordLog

    return ServiceAdvertisements(open_admin(client), KafkaRecordLog(client), ConfluentRecordProducer(client))
