"""kafka-python's errors and Kafka's error codes as our own, with the cluster named and the cause kept."""

import re
import ssl

import kafka.errors as kafka_errors

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
)

NONE = 0
OFFSET_OUT_OF_RANGE = 1
UNKNOWN_TOPIC_OR_PARTITION = 3
NOT_LEADER_OR_FOLLOWER = 6
INVALID_PRODUCER_EPOCH = 47
CONCURRENT_TRANSACTIONS = 51
FETCH_SESSION_ID_NOT_FOUND = 70
INVALID_FETCH_SESSION_EPOCH = 71
UNKNOWN_TOPIC_ID = 100
FETCH_SESSION_TOPIC_ID_ERROR = 106

_FENCED_CODES = frozenset({47, 90, 22})  # producer epoch, producer fenced, illegal generation
_INVALID_PRODUCER_ID_MAPPING = 49  # nobody used the id for `transactional.id.expiration.ms`, a week
_UNREACHABLE = (
    kafka_errors.KafkaConnectionError,
    kafka_errors.NodeNotReadyError,
    kafka_errors.UnknownBrokerIdError,
    OSError,
)
_AUTHORIZATION_CODES = frozenset({29, 30, 31, 53, 58, 65})


class LoginRefusedError(kafka_errors.KafkaError):  # type: ignore[misc] # kafka-python has no types
    """We cannot log in: the cluster refuses us, or its certificate, ours, a token or a ticket is no good."""


_BOOKKEEPING = re.compile(r"^(?:\[Error -?\d+\] )?(?:[A-Za-z]+(?:Error|Version): )*")


def reason_of(error: BaseException) -> str:
    """What a kafka-python error says, without the names of its classes in front."""
    return _BOOKKEEPING.sub("", str(error)) or type(error).__name__


def is_refusal(error: BaseException | None) -> bool:
    """Whether only a change of settings, files or rights helps."""
    kinds = (LoginRefusedError, kafka_errors.SaslAuthenticationFailedError, kafka_errors.UnsupportedSaslMechanismError)
    return isinstance(error, kinds)


def tls_refusal(error: BaseException) -> LoginRefusedError | None:
    """A TLS failure that is about certificates or settings, None for a lost connection."""
    if not isinstance(error, ssl.SSLError) or isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return None
    if isinstance(error, ssl.SSLCertVerificationError):
        return LoginRefusedError(f"TLS: the broker's certificate is not accepted: {error.verify_message}")
    reason = (error.reason or str(error)).lower().replace("_", " ")
    hint = " (does this port speak TLS?)" if "wrong version number" in reason else ""
    return LoginRefusedError(f"TLS: {reason}{hint}")


def name_of(code: int) -> str:
    """Kafka's name of an error code, such as NOT_LEADER_OR_FOLLOWER."""
    error = kafka_errors.for_code(code)
    return str(getattr(error, "message", error.__name__))


def is_retriable(code: int) -> bool:
    """True when the same request may succeed later."""
    return bool(getattr(kafka_errors.for_code(code), "retriable", False))


def for_code(code: int, *, cluster: str, doing: str) -> ReplicationError:
    """The error that fits a code some answer carried."""
    text = f"cluster {cluster}: {doing}: {name_of(code)}"
    if code in _FENCED_CODES:
        return FencedError(f"{text}; another owner has taken the slot", cluster=cluster)
    if code == _INVALID_PRODUCER_ID_MAPPING:
        return FatalError(f"{text}; the cluster has forgotten the producer, the task starts anew", cluster=cluster)
    if code in _AUTHORIZATION_CODES:
        return AuthorizationError(f"{text}; grant the missing right on the cluster", cluster=cluster)
    if is_retriable(code):
        return RetriableError(text, cluster=cluster)
    return FatalError(text, cluster=cluster)


def translated(error: BaseException, *, cluster: str, doing: str) -> ReplicationError:
    """The error that fits what kafka-python raised."""
    if isinstance(error, ReplicationError):
        return error
    text = f"cluster {cluster}: {doing}: {error}"
    if isinstance(error, kafka_errors.KafkaTimeoutError | kafka_errors.RequestTimedOutError):
        return RequestTimedOutError(text, cluster=cluster)
    if is_refusal(error):
        return AuthenticationError(
            f"cluster {cluster}: login failed: {reason_of(error)}; check the cluster's security settings",
            cluster=cluster,
        )
    if isinstance(error, kafka_errors.IncompatibleBrokerVersion):
        return ConfigurationError(
            f"cluster {cluster}: {doing}: {reason_of(error)}; brokers from Kafka 2.8 on are supported", cluster=cluster
        )
    if isinstance(error, _UNREACHABLE):
        return ClusterUnreachableError(text, cluster=cluster)
    if isinstance(error, kafka_errors.KafkaError) and getattr(error, "retriable", False):
        return RetriableError(text, cluster=cluster)
    if isinstance(error, kafka_errors.Cancelled):
        return ClusterUnreachableError(text, cluster=cluster)
    return FatalError(text, cluster=cluster)
