"""librdkafka's errors as ours, at the border: the cause is kept, the cluster is named."""

import re

from confluent_kafka import KafkaError, KafkaException

from replication.domain.errors import (
    AuthenticationError,
    AuthorizationError,
    ClusterUnreachableError,
    ConfigurationError,
    FatalError,
    FencedError,
    ReplicationError,
    RequestTimedOutError,
    RetriableError,
    TopicMissingError,
)
from replication.domain.slot import ClusterClient

_UNREACHABLE = frozenset(
    {
        KafkaError._TRANSPORT,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._RESOLVE,
        KafkaError._TIMED_OUT,
        KafkaError._TIMED_OUT_QUEUE,
        KafkaError._MSG_TIMED_OUT,
        KafkaError._PURGE_QUEUE,
        KafkaError._PURGE_INFLIGHT,
    }
)
_AUTHENTICATION = frozenset({KafkaError._AUTHENTICATION, KafkaError._SSL, KafkaError.SASL_AUTHENTICATION_FAILED})
_AUTHORIZATION = frozenset(
    {
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    }
)
_MISSING = frozenset({KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC, KafkaError._UNKNOWN_PARTITION})
_FENCED = frozenset({KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH})
_CONFIGURATION = frozenset(
    {
        KafkaError.INVALID_CONFIG,
        KafkaError.INVALID_REPLICATION_FACTOR,
        KafkaError.INVALID_PARTITIONS,
        KafkaError.POLICY_VIOLATION,
        KafkaError._INVALID_ARG,
        KafkaError.UNSUPPORTED_SASL_MECHANISM,
    }
)


_NOISE = re.compile(r"^\S+?/(?:bootstrap|\d+): | \(after \d+ms in state \w+[^)]*\)")  # librdkafka's own bookkeeping


class ErrorWatch:
    """Remembers what a client last complained about: a time-out alone does not say why nobody answered."""

    def __init__(self, cluster: ClusterClient) -> None:
        self._cluster = cluster
        self._last: KafkaError | None = None

    def error_cb(self, error: KafkaError) -> None:
        """For librdkafka; the reason of a failed connection must not be hidden by the summary that follows it."""
        if error.code() != KafkaError._ALL_BROKERS_DOWN:
            self._last = error

    def translate(self, error: KafkaError | KafkaException, what: str, *, topic: str | None = None) -> ReplicationError:
        """Our error for a failed call; `what` names the call, as in "list topics"."""
        kafka_error = error.args[0] if isinstance(error, KafkaException) else error
        if not isinstance(kafka_error, KafkaError):
            return FatalError(f"cluster {self._cluster.alias}: {what}: {error}", cluster=self._cluster.alias)
        if kafka_error.code() in _UNREACHABLE:
            return self._unreachable(kafka_error)
        kind = _kind_of(kafka_error)
        text = f"cluster {self._cluster.alias} refused to {what}: {kafka_error.str() or kafka_error.name()}"
        return kind(text, cluster=self._cluster.alias, topic=topic)

    def _unreachable(self, error: KafkaError) -> ReplicationError:
        alias, servers = self._cluster.alias, ",".join(self._cluster.bootstrap)
        last, self._last = self._last, None
        reason = _NOISE.sub("", (last or error).str())
        if last is not None and last.code() in _AUTHENTICATION:
            return AuthenticationError(
                f"cluster {alias} ({servers}) refused the connection: {reason}; check the security settings",
                cluster=alias,
            )
        return ClusterUnreachableError(
            f"cluster {alias} ({servers}) does not answer: {reason}; check that its brokers run", cluster=alias
        )


def _kind_of(error: KafkaError) -> type[ReplicationError]:
    kinds: tuple[tuple[frozenset[int], type[ReplicationError]], ...] = (
        (_AUTHENTICATION, AuthenticationError),
        (_AUTHORIZATION, AuthorizationError),
        (_MISSING, TopicMissingError),
        (_FENCED, FencedError),
        (_CONFIGURATION, ConfigurationError),
        (frozenset({KafkaError.REQUEST_TIMED_OUT}), RequestTimedOutError),
    )
    found = next((kind for codes, kind in kinds if error.code() in codes), None)
    if found is not None:
        return found
    return FatalError if error.fatal() else RetriableError
