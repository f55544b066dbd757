"""One table says what each Kafka error code means, per kind of request."""

import re
from pathlib import Path

import kafka.errors
import pytest
from confluent_kafka import KafkaError

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
from replication.domain.kafka_errors import TABLE, ErrorClass, error_action, error_class, error_name, is_retriable
from replication.domain.plan.slot import ClusterClient
from replication.domain.produce.error_action import ErrorAction
from replication.kafka.error_translation import ErrorWatch
from replication.wire.network.error_translation import for_code

FUTURE_CODE = 9_999
ROOT = Path(__file__).resolve().parents[4]


def on_control_plane(code: int) -> type[ReplicationError]:
    watch = ErrorWatch(ClusterClient(alias="east", bootstrap=("east:9092",)))
    return type(watch.translate(KafkaError(code), "list topics"))


def on_data_plane(code: int) -> type[ReplicationError]:
    return type(for_code(code, cluster="east", doing="asking"))


@pytest.mark.parametrize(
    ("code", "data_plane", "control_plane", "produce"),
    [
        (Code.UNKNOWN_SERVER_ERROR, FatalError, RetriableError, ErrorAction.RETRY),
        (Code.CORRUPT_MESSAGE, FatalError, RetriableError, ErrorAction.RETRY),
        (Code.UNKNOWN_TOPIC_OR_PARTITION, RetriableError, TopicMissingError, ErrorAction.RETRY),
        (Code.NOT_LEADER_OR_FOLLOWER, RetriableError, RetriableError, ErrorAction.RETRY),
        (Code.REQUEST_TIMED_OUT, RetriableError, RequestTimedOutError, ErrorAction.RETRY),
        (Code.BROKER_NOT_AVAILABLE, FatalError, RetriableError, ErrorAction.RETRY),
        (Code.ILLEGAL_GENERATION, FencedError, FencedError, ErrorAction.REJECTED),
        (Code.TOPIC_AUTHORIZATION_FAILED, AuthorizationError, AuthorizationError, ErrorAction.DENIED),
        (Code.DELEGATION_TOKEN_AUTHORIZATION_FAILED, AuthorizationError, AuthorizationError, ErrorAction.REJECTED),
        (Code.SASL_AUTHENTICATION_FAILED, AuthenticationError, AuthenticationError, ErrorAction.DENIED),
        (Code.INVALID_REPLICATION_FACTOR, ConfigurationError, ConfigurationError, ErrorAction.REJECTED),
        (Code.INVALID_PRODUCER_EPOCH, FencedError, FencedError, ErrorAction.FENCED),
        (Code.PRODUCER_FENCED, FencedError, FencedError, ErrorAction.FENCED),
        (Code.INVALID_PRODUCER_ID_MAPPING, FatalError, FatalError, ErrorAction.OUT_OF_ORDER),
        (Code.UNKNOWN_PRODUCER_ID, FatalError, RetriableError, ErrorAction.OUT_OF_ORDER),
        (Code.INVALID_TXN_STATE, TransactionAbortedError, TransactionAbortedError, ErrorAction.ABORT),
        (Code.TRANSACTION_ABORTABLE, TransactionAbortedError, TransactionAbortedError, ErrorAction.ABORT),
        (Code.ELECTION_NOT_NEEDED, RetriableError, RetriableError, ErrorAction.RETRY),
        (FUTURE_CODE, FatalError, RetriableError, ErrorAction.REJECTED),
    ],
)
def test_a_code_means(
    code: int,
    data_plane: type[ReplicationError],
    control_plane: type[ReplicationError],
    produce: ErrorAction,
) -> None:
    assert on_data_plane(code) is data_plane
    assert on_control_plane(code) is control_plane
    assert error_action(code) is produce


def test_errors_of_the_client_library_itself_keep_their_meaning() -> None:
    assert on_control_plane(KafkaError._SSL) is AuthenticationError
    assert on_control_plane(KafkaError._UNKNOWN_TOPIC) is TopicMissingError
    assert on_control_plane(KafkaError._FENCED) is FencedError
    assert on_control_plane(KafkaError._INVALID_ARG) is ConfigurationError


@pytest.mark.parametrize("code", [code for code in Code if code not in (-1, 0)], ids=lambda code: code.name)
def test_the_table_calls_retriable_what_the_client_library_does(code: Code) -> None:
    library = kafka.errors.for_code(int(code))

    share_groups = (Code.SHARE_SESSION_NOT_FOUND, Code.INVALID_SHARE_SESSION_EPOCH)  # requests that we never send
    assert is_retriable(code) is (bool(library.retriable) and code not in share_groups)


def test_a_retried_batch_is_known_by_its_row() -> None:
    doubtful = {Code(code).name for code, row in TABLE.items() if row.may_be_written}

    assert doubtful == {
        "UNKNOWN_SERVER_ERROR",
        "UNKNOWN_TOPIC_OR_PARTITION",
        "NOT_LEADER_OR_FOLLOWER",
        "REQUEST_TIMED_OUT",
        "NETWORK_EXCEPTION",
        "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
        "KAFKA_STORAGE_ERROR",
    }
    assert all(TABLE[Code[name]].produce is ErrorAction.RETRY for name in doubtful)


def test_codes_have_kafkas_names() -> None:
    assert error_name(6) == "NOT_LEADER_OR_FOLLOWER"
    assert error_name(120) == "TRANSACTION_ABORTABLE"
    assert error_name(FUTURE_CODE) == "ERROR_9999"


def test_a_fenced_producer_is_told_from_one_that_expired() -> None:
    assert error_class(Code.PRODUCER_FENCED) is ErrorClass.FENCED
    assert error_class(Code.INVALID_PRODUCER_ID_MAPPING) is ErrorClass.PRODUCER_EXPIRED


def test_no_code_is_spelled_as_a_number_outside_the_table() -> None:
    number = re.compile(r"\b(?:error_)?code\s*(?:==|!=|in|not in)\s*[({]?\s*-?\d")
    sources = (ROOT / "replication").rglob("*.py")

    assert not [str(path) for path in sources if number.search(path.read_text())]
