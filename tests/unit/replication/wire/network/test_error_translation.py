"""Error codes of answers, in words for the person who can correct them."""

from replication.domain.errors import ConfigurationError
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.wire.network.error_translation import for_code


def test_a_transaction_timeout_that_the_target_does_not_allow_names_the_setting() -> None:
    error = for_code(KafkaErrorCode.INVALID_TRANSACTION_TIMEOUT, cluster="west", doing="taking over the slot")

    assert isinstance(error, ConfigurationError)
    assert "transaction.max.timeout.ms" in error.text
    assert "60000" in error.text
    assert "cluster west" in error.text
