"""librdkafka's errors as ours, at the border: the cause is kept, the cluster is named."""

import re

from confluent_kafka import KafkaError, KafkaException

from replication.domain.connection_test.failures import remedy_of
from replication.domain.errors import (
    AuthenticationError,
    ClusterUnreachableError,
    ConfigurationError,
    FatalError,
    FencedError,
    ReplicationError,
    RetriableError,
    TopicMissingError,
)
from replication.domain.kafka_errors import EXCEPTIONS, control_error_class
from replication.domain.plan.slot import ClusterClient
from replication.kafka.connection_test.tls_step import refused_handshake

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
_LOCAL: dict[int, type[ReplicationError]] = {  # codes of librdkafka itself
    KafkaError._AUTHENTICATION: AuthenticationError,
    KafkaError._SSL: AuthenticationError,
    KafkaError._UNKNOWN_TOPIC: TopicMissingError,
    KafkaError._UNKNOWN_PARTITION: TopicMissingError,
    KafkaError._FENCED: FencedError,
    KafkaError._INVALID_ARG: ConfigurationError,
}


_TLS = "SSL"  # in errors of OpenSSL: of a handshake, or of the first read after a broker refused our certificate
_NOISE = re.compile(  # librdkafka's own bookkeeping
    r"^\S+?/(?:bootstrap|\d+): | \(after \d+ms in state \w+(?:[^()]|\(s\))*\)"
)


def without_noise(text: str) -> str:
    """Return librdkafka's text without the name of its connection and its states."""
    return _NOISE.sub("", text)


class ErrorWatch:
    """Remembers what a client last complained about: a time-out alone does not say why no broker answered."""

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
        reason = without_noise((last or error).str())
        refused = refused_handshake(self._cluster) if last is not None and _TLS in last.str() else None
        if refused is not None:
            reason, remedy = refused.text, remedy_of(refused.kind, "tls")
        elif last is not None and last.code() in _AUTHENTICATION:
            remedy = "check the security settings"
        else:
            return ClusterUnreachableError(
                f"cluster {alias} ({servers}) does not answer: {reason}; check that its brokers run", cluster=alias
            )
        return AuthenticationError(
            f"cluster {alias} ({servers}) refused the connection: {reason}; {remedy}", cluster=alias
        )


def _kind_of(error: KafkaError) -> type[ReplicationError]:
    code = error.code()
    kind = _LOCAL.get(code) or EXCEPTIONS[control_error_class(code)]
    return FatalError if kind is RetriableError and error.fatal() else kind
