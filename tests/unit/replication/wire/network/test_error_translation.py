"""Error codes of answers, in words for the person who can correct them."""

import kafka.errors as kafka_errors
import pytest

from replication.domain.errors import ClusterUnreachableError, ConfigurationError
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.wire.network.error_translation import for_code, reason_of, translated


def test_a_transaction_timeout_that_the_target_does_not_allow_names_the_setting() -> None:
    error = for_code(KafkaErrorCode.INVALID_TRANSACTION_TIMEOUT, cluster="west", doing="taking over the slot")

    assert isinstance(error, ConfigurationError)
    assert "transaction.max.timeout.ms" in error.text
    assert "60000" in error.text
    assert "cluster west" in error.text


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (kafka_errors.NodeNotReadyError(3), "broker 3 is not connected yet"),
        (kafka_errors.NodeNotReadyError("no node known yet"), "no node known yet"),
        (kafka_errors.NodeNotReadyError(), "no broker is connected yet"),
        (kafka_errors.KafkaConnectionError("it names no brokers"), "it names no brokers"),
        (kafka_errors.Cancelled(), "the connection was closed before the answer"),
        (kafka_errors.RequestTimedOutError(), "the broker did not finish the request in time"),
        (kafka_errors.NotCoordinatorError(), "not coordinator"),
        (ConnectionRefusedError(111, "Connection refused"), "Connection refused"),
    ],
)
def test_no_name_of_a_class_reaches_people(error: Exception, words: str) -> None:
    assert reason_of(error) == words
    assert translated(error, cluster="west", doing="reading").text == f"cluster west: reading failed: {words}"


def test_a_login_that_is_refused_without_a_reason_says_so() -> None:
    refused = kafka_errors.SaslAuthenticationFailedError("SASL authentication error: ")

    assert reason_of(refused) == "the broker refused the login"


def test_a_broker_without_a_connection_is_a_cluster_that_does_not_answer() -> None:
    found = translated(kafka_errors.NodeNotReadyError(3), cluster="west", doing="reading")

    assert isinstance(found, ClusterUnreachableError)
