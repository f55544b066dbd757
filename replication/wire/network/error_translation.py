"""kafka-python's errors and Kafka's error codes as our own, with the cluster named and the cause kept."""

import re
import ssl
from collections.abc import Mapping

import kafka.errors as kafka_errors

from replication.domain.errors import (
    AuthenticationError,
    ClusterUnreachableError,
    ConfigurationError,
    FatalError,
    ReplicationError,
    RequestTimedOutError,
    RetriableError,
)
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.kafka_errors import EXCEPTIONS, TRANSACTION_TIMEOUT_MS, ErrorClass, error_class, error_name

_UNREACHABLE = (
    kafka_errors.KafkaConnectionError,
    kafka_errors.NodeNotReadyError,
    kafka_errors.UnknownBrokerIdError,
    OSError,
)
_TIMED_OUT = (kafka_errors.KafkaTimeoutError, kafka_errors.RequestTimedOutError)
BROKER_FAILURES = (*_UNREACHABLE, *_TIMED_OUT)  # of one broker: another one may answer

_REMEDIES = {
    ErrorClass.AUTHENTICATION: "; check the cluster's security settings",
    ErrorClass.AUTHORIZATION: "; grant the missing right on the cluster",
    ErrorClass.CONFIGURATION: "; correct the flow's settings",
    ErrorClass.FENCED: "; another owner has taken the slot",
    ErrorClass.PRODUCER_EXPIRED: "; the cluster has forgotten the producer, the task restarts",
}
_REMEDIES_BY_CODE: Mapping[int, str] = {
    KafkaErrorCode.INVALID_TRANSACTION_TIMEOUT: (
        f"; set transaction.max.timeout.ms of its brokers to at least {TRANSACTION_TIMEOUT_MS}"
    )
}


class LoginRefusedError(kafka_errors.KafkaError):  # type: ignore[misc] # kafka-python has no types
    """We cannot log in: the cluster refuses us, or its certificate, ours, a token or a ticket is no good."""


_HAS_EXPIRED = 10  # X509_V_ERR_CERT_HAS_EXPIRED of OpenSSL
_BOOKKEEPING = re.compile(r"^(?:\[Error -?\d+\] )?(?:[A-Za-z]+(?:Error|Version|Cancelled): )*")
_WORDS: Mapping[type[BaseException], str] = {  # for errors that carry no text
    kafka_errors.NodeNotReadyError: "no broker is connected yet",
    kafka_errors.KafkaConnectionError: "the connection was lost",
    kafka_errors.KafkaTimeoutError: "no answer in time",
    kafka_errors.RequestTimedOutError: "the broker did not finish the request in time",
    kafka_errors.Cancelled: "the connection was closed before the answer",
    kafka_errors.UnknownBrokerIdError: "the cluster does not name this broker any more",
    kafka_errors.CorrelationIdError: "an answer belongs to another request",
    kafka_errors.SaslAuthenticationFailedError: "the broker refused the login",
}
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def reason_of(error: BaseException) -> str:
    """Return the text of an error without names of classes and numbers of the library."""
    if isinstance(error, kafka_errors.NodeNotReadyError) and error.args and isinstance(error.args[0], int):
        return f"broker {error.args[0]} is not connected yet"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    name, text = type(error).__name__, _BOOKKEEPING.sub("", str(error))
    if text and text != name and not text.rstrip().endswith(":"):
        return text
    return _WORDS.get(type(error)) or _HUMP.sub(" ", name.removesuffix("Error")).lower()


def is_refusal(error: BaseException | None) -> bool:
    """Return True when only a change of settings, files or rights helps."""
    kinds = (LoginRefusedError, kafka_errors.SaslAuthenticationFailedError, kafka_errors.UnsupportedSaslMechanismError)
    return isinstance(error, kinds)


def tls_refusal(error: BaseException) -> LoginRefusedError | None:
    """A TLS failure that is about certificates or settings, None for a lost connection."""
    if not isinstance(error, ssl.SSLError) or isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return None
    if isinstance(error, ssl.SSLCertVerificationError) and error.verify_code == _HAS_EXPIRED:
        return LoginRefusedError("TLS: the broker's certificate has expired; renew it")
    if isinstance(error, ssl.SSLCertVerificationError):
        return LoginRefusedError(f"TLS: the broker's certificate is not accepted: {error.verify_message}")
    reason = (error.reason or str(error)).lower().replace("_", " ")
    hint = " (does this port speak TLS?)" if "wrong version number" in reason else ""
    return LoginRefusedError(f"TLS: {reason}{hint}")


def for_code(code: int, *, cluster: str, doing: str) -> ReplicationError:
    """Return the error that fits a code in an answer."""
    kind = error_class(code)
    remedy = _REMEDIES_BY_CODE.get(code) or _REMEDIES.get(kind, "")
    text = f"cluster {cluster}: {doing} failed: {error_name(code)}{remedy}"
    return EXCEPTIONS[kind](text, cluster=cluster)


def translated(error: BaseException, *, cluster: str, doing: str) -> ReplicationError:
    """The error that fits what kafka-python raised."""
    if isinstance(error, ReplicationError):
        return error
    text = f"cluster {cluster}: {doing} failed: {reason_of(error)}"
    if isinstance(error, _TIMED_OUT):
        return RequestTimedOutError(text, cluster=cluster)
    if is_refusal(error):
        return AuthenticationError(
            f"cluster {cluster}: login failed: {reason_of(error)}; check the cluster's security settings",
            cluster=cluster,
        )
    if isinstance(error, kafka_errors.IncompatibleBrokerVersion):
        return ConfigurationError(
            f"cluster {cluster}: {doing} failed: {reason_of(error)}; brokers from Kafka 2.8 on are supported",
            cluster=cluster,
        )
    if isinstance(error, _UNREACHABLE):
        return ClusterUnreachableError(text, cluster=cluster)
    if isinstance(error, kafka_errors.KafkaError) and getattr(error, "retriable", False):
        return RetriableError(text, cluster=cluster)
    if isinstance(error, kafka_errors.Cancelled):
        return ClusterUnreachableError(text, cluster=cluster)
    return FatalError(text, cluster=cluster)
