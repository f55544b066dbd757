"""The one table of Kafka error codes: the meaning of each code for every kind of request.

Codes that are not in the table are fatal for a request of the data plane, retriable for one of the control plane (its
next round asks again), and reject the batch of a Produce request, which concerns one batch and is reported.
"""

from dataclasses import dataclass
from enum import Enum

from replication.domain.errors import (
    AuthenticationError,
    AuthorizationError,
    ConfigurationError,
    FatalError,
    FencedError,
    ReplicationError,
    RequestTimedOutError,
    RetriableError,
    TopicMissingError,
    TransactionAbortedError,
)
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.domain.produce import target_trouble
from replication.domain.produce.error_action import ErrorAction
from replication.domain.produce.target_trouble import TargetTrouble


class ErrorClass(Enum):
    """The reaction to an error, apart from answers to Produce requests, which have an `ErrorAction`."""

    RETRIABLE = "the same request may succeed later"
    TIMED_OUT = "retriable; the cluster is there but slow"
    TOPIC_MISSING = "retriable; the topic does not exist (yet)"
    AUTHENTICATION = "the credentials are wrong"
    AUTHORIZATION = "a right is missing"
    CONFIGURATION = "a person must change a setting"
    FENCED = "another owner has taken the work over"
    PRODUCER_EXPIRED = "the cluster has forgotten the producer; a restarted task gets a new one"
    ABORTABLE = "the transaction cannot be committed"
    FATAL = "the task must restart"


EXCEPTIONS: dict[ErrorClass, type[ReplicationError]] = {
    ErrorClass.RETRIABLE: RetriableError,
    ErrorClass.TIMED_OUT: RequestTimedOutError,
    ErrorClass.TOPIC_MISSING: TopicMissingError,
    ErrorClass.AUTHENTICATION: AuthenticationError,
    ErrorClass.AUTHORIZATION: AuthorizationError,
    ErrorClass.CONFIGURATION: ConfigurationError,
    ErrorClass.FENCED: FencedError,
    ErrorClass.PRODUCER_EXPIRED: FatalError,
    ErrorClass.ABORTABLE: TransactionAbortedError,
    ErrorClass.FATAL: FatalError,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaError:
    """One row. `control` is the class on the control plane where it differs; `trouble` explains a retried Produce."""

    kind: ErrorClass = ErrorClass.FATAL
    control: ErrorClass | None = None
    produce: ErrorAction = ErrorAction.REJECTED
    trouble: TargetTrouble = target_trouble.OTHER
    may_be_written: bool = False  # the batch may be in the target's log although the answer is an error


_RETRIABLE = ErrorClass.RETRIABLE
_RETRY = ErrorAction.RETRY
_LEADER = KafkaError(kind=_RETRIABLE, produce=_RETRY, trouble=target_trouble.LEADER)
_LEADER_LOST = KafkaError(kind=_RETRIABLE, produce=_RETRY, trouble=target_trouble.LEADER, may_be_written=True)
_COORDINATOR = KafkaError(kind=_RETRIABLE, produce=_RETRY)
_WRONG_TOPIC = KafkaError(kind=_RETRIABLE, produce=_RETRY, trouble=target_trouble.MISSING)
_NOT_PRODUCE = KafkaError(kind=_RETRIABLE)
_DENIED = KafkaError(kind=ErrorClass.AUTHORIZATION, produce=ErrorAction.DENIED, trouble=target_trouble.RIGHTS)
_DENIED_ELSEWHERE = KafkaError(kind=ErrorClass.AUTHORIZATION)
_LOST_STATE = KafkaError(produce=ErrorAction.OUT_OF_ORDER)
_FENCED = KafkaError(kind=ErrorClass.FENCED, produce=ErrorAction.FENCED)
_ABORT = KafkaError(kind=ErrorClass.ABORTABLE, produce=ErrorAction.ABORT)
TRANSACTION_TIMEOUT_MS = 60_000  # of a slot; brokers may allow less
_CONFIGURATION = KafkaError(kind=ErrorClass.CONFIGURATION)

# A leader appends before it waits for its replicas. When it loses the partition meanwhile, or the partition or its
# disk goes away, the batch may be in the log of the next leader (`DelayedProduce`): such rows are `may_be_written`.
TABLE: dict[int, KafkaError] = {
    # usually the way is to blame and not the batch
    Code.UNKNOWN_SERVER_ERROR: KafkaError(produce=_RETRY, may_be_written=True),
    Code.CORRUPT_MESSAGE: KafkaError(produce=_RETRY, trouble=target_trouble.CORRUPT),
    Code.NONE: KafkaError(produce=ErrorAction.DONE),
    Code.DUPLICATE_SEQUENCE_NUMBER: KafkaError(produce=ErrorAction.DONE),
    # leaders and replicas
    Code.UNKNOWN_TOPIC_OR_PARTITION: KafkaError(
        kind=_RETRIABLE,
        control=ErrorClass.TOPIC_MISSING,
        produce=_RETRY,
        trouble=target_trouble.MISSING,
        may_be_written=True,
    ),
    Code.UNKNOWN_TOPIC_ID: _WRONG_TOPIC,
    Code.INCONSISTENT_TOPIC_ID: _WRONG_TOPIC,
    Code.LEADER_NOT_AVAILABLE: _LEADER,
    Code.NOT_LEADER_OR_FOLLOWER: _LEADER_LOST,
    Code.NETWORK_EXCEPTION: _LEADER_LOST,
    Code.BROKER_NOT_AVAILABLE: KafkaError(produce=_RETRY, trouble=target_trouble.LEADER),
    Code.REPLICA_NOT_AVAILABLE: _LEADER,
    Code.LISTENER_NOT_FOUND: _LEADER,
    Code.FENCED_LEADER_EPOCH: _LEADER,
    Code.UNKNOWN_LEADER_EPOCH: _LEADER,
    Code.OFFSET_NOT_AVAILABLE: _LEADER,
    Code.NOT_ENOUGH_REPLICAS: KafkaError(kind=_RETRIABLE, produce=_RETRY, trouble=target_trouble.REPLICAS),
    Code.NOT_ENOUGH_REPLICAS_AFTER_APPEND: KafkaError(
        kind=_RETRIABLE, produce=_RETRY, trouble=target_trouble.REPLICAS, may_be_written=True
    ),
    Code.REQUEST_TIMED_OUT: KafkaError(
        kind=_RETRIABLE,
        control=ErrorClass.TIMED_OUT,
        produce=_RETRY,
        trouble=target_trouble.SLOW,
        may_be_written=True,
    ),
    Code.KAFKA_STORAGE_ERROR: KafkaError(
        kind=_RETRIABLE, produce=_RETRY, trouble=target_trouble.STORAGE, may_be_written=True
    ),
    Code.THROTTLING_QUOTA_EXCEEDED: KafkaError(kind=_RETRIABLE, produce=_RETRY, trouble=target_trouble.QUOTA),
    # coordinators, sessions and controllers
    Code.COORDINATOR_LOAD_IN_PROGRESS: _COORDINATOR,
    Code.COORDINATOR_NOT_AVAILABLE: _COORDINATOR,
    Code.NOT_COORDINATOR: _COORDINATOR,
    Code.CONCURRENT_TRANSACTIONS: _COORDINATOR,
    Code.ELECTION_NOT_NEEDED: _COORDINATOR,
    Code.NOT_CONTROLLER: _NOT_PRODUCE,
    Code.FETCH_SESSION_ID_NOT_FOUND: _NOT_PRODUCE,
    Code.INVALID_FETCH_SESSION_EPOCH: _NOT_PRODUCE,
    Code.FETCH_SESSION_TOPIC_ID_ERROR: _NOT_PRODUCE,
    Code.PREFERRED_LEADER_NOT_AVAILABLE: _NOT_PRODUCE,
    Code.ELIGIBLE_LEADERS_NOT_AVAILABLE: _NOT_PRODUCE,
    Code.UNSTABLE_OFFSET_COMMIT: _NOT_PRODUCE,
    # rights and settings
    Code.TOPIC_AUTHORIZATION_FAILED: _DENIED,
    Code.CLUSTER_AUTHORIZATION_FAILED: _DENIED,
    Code.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: _DENIED,
    Code.GROUP_AUTHORIZATION_FAILED: _DENIED_ELSEWHERE,
    Code.DELEGATION_TOKEN_AUTHORIZATION_FAILED: _DENIED_ELSEWHERE,
    Code.SASL_AUTHENTICATION_FAILED: KafkaError(
        kind=ErrorClass.AUTHENTICATION, produce=ErrorAction.DENIED, trouble=target_trouble.RIGHTS
    ),
    Code.UNSUPPORTED_SASL_MECHANISM: _CONFIGURATION,
    Code.INVALID_PARTITIONS: _CONFIGURATION,
    Code.INVALID_REPLICATION_FACTOR: _CONFIGURATION,
    Code.INVALID_CONFIG: _CONFIGURATION,
    Code.INVALID_TRANSACTION_TIMEOUT: _CONFIGURATION,
    Code.POLICY_VIOLATION: _CONFIGURATION,
    # the producer and its transactions
    Code.OUT_OF_ORDER_SEQUENCE_NUMBER: _LOST_STATE,
    Code.UNKNOWN_PRODUCER_ID: _LOST_STATE,
    # unused for `transactional.id.expiration.ms`, a week; there is no other owner
    Code.INVALID_PRODUCER_ID_MAPPING: KafkaError(kind=ErrorClass.PRODUCER_EXPIRED, produce=ErrorAction.OUT_OF_ORDER),
    Code.INVALID_PRODUCER_EPOCH: _FENCED,
    Code.PRODUCER_FENCED: _FENCED,
    Code.ILLEGAL_GENERATION: KafkaError(kind=ErrorClass.FENCED),
    Code.INVALID_TXN_STATE: _ABORT,
    Code.TRANSACTION_ABORTABLE: _ABORT,  # KIP-890; seen after leaders moved
    # the batch
    Code.MESSAGE_TOO_LARGE: KafkaError(produce=ErrorAction.TOO_LARGE),
    Code.RECORD_LIST_TOO_LARGE: KafkaError(produce=ErrorAction.TOO_LARGE),
}
_UNLISTED = KafkaError()
# these blame the batch although usually the network or the broker is at fault
SUSPECT_CODES = frozenset({Code.UNKNOWN_SERVER_ERROR, Code.CORRUPT_MESSAGE})
# of one partition in AddPartitionsToTxn, not of the producer
PARTITION_CODES = frozenset(
    {Code.UNKNOWN_TOPIC_OR_PARTITION, Code.INVALID_TOPIC_EXCEPTION, Code.TOPIC_AUTHORIZATION_FAILED}
)
# the next Fetch request opens a new session
LOST_SESSION_CODES = frozenset(
    {Code.FETCH_SESSION_ID_NOT_FOUND, Code.INVALID_FETCH_SESSION_EPOCH, Code.FETCH_SESSION_TOPIC_ID_ERROR}
)


def kafka_error(code: int) -> KafkaError:
    """Return the table's row for a code, or the row for codes that are not listed."""
    return TABLE.get(code, _UNLISTED)


def error_name(code: int) -> str:
    """Return Kafka's name of the code, or the number of a code that is newer than our list."""
    try:
        return Code(code).name
    except ValueError:
        return f"ERROR_{code}"


def error_class(code: int) -> ErrorClass:
    """Return the class of an error on the data plane."""
    return kafka_error(code).kind


def control_error_class(code: int) -> ErrorClass:
    """Return the class of an error on the control plane, which asks again after every error it need not report."""
    row = kafka_error(code)
    by_default = _RETRIABLE if row.kind is ErrorClass.FATAL else row.kind
    return row.control or by_default


def is_retriable(code: int) -> bool:
    """Return True when the same request of the data plane may succeed later."""
    return error_class(code) is _RETRIABLE


def error_action(code: int, *, transactional: bool = False) -> ErrorAction:
    """Return the next step for a batch whose Produce answer carries the code.

    An old epoch in a transaction may only mean that its coordinator ended it after its time-out (KIP-588). An abort
    shows if there is another owner.
    """
    if transactional and code == Code.INVALID_PRODUCER_EPOCH:
        return ErrorAction.ABORT
    return kafka_error(code).produce
