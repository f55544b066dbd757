"""Every Produce answer has one meaning, and those that are waited for say in words what is the matter."""

import pytest

from replication.domain.kafka_errors import error_action, kafka_error
from replication.domain.produce.error_action import ErrorAction


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        pytest.param(0, ErrorAction.DONE, id="none"),
        pytest.param(46, ErrorAction.DONE, id="duplicate sequence"),
        pytest.param(6, ErrorAction.RETRY, id="not leader"),
        pytest.param(7, ErrorAction.RETRY, id="request timed out"),
        pytest.param(19, ErrorAction.RETRY, id="not enough replicas"),
        pytest.param(20, ErrorAction.RETRY, id="not enough replicas after append"),
        pytest.param(56, ErrorAction.RETRY, id="storage error"),
        pytest.param(51, ErrorAction.RETRY, id="concurrent transactions"),
        pytest.param(89, ErrorAction.RETRY, id="throttling quota"),
        pytest.param(45, ErrorAction.OUT_OF_ORDER, id="out of order"),
        pytest.param(59, ErrorAction.OUT_OF_ORDER, id="unknown producer id"),
        pytest.param(29, ErrorAction.DENIED, id="topic authorization"),
        pytest.param(53, ErrorAction.DENIED, id="transactional id authorization"),
        pytest.param(47, ErrorAction.FENCED, id="invalid producer epoch"),
        pytest.param(90, ErrorAction.FENCED, id="producer fenced"),
        pytest.param(48, ErrorAction.ABORT, id="invalid transaction state"),
        pytest.param(120, ErrorAction.ABORT, id="transaction abortable"),
        pytest.param(10, ErrorAction.TOO_LARGE, id="message too large"),
        pytest.param(18, ErrorAction.TOO_LARGE, id="record list too large"),
        pytest.param(87, ErrorAction.REJECTED, id="invalid record"),
        pytest.param(32, ErrorAction.REJECTED, id="invalid timestamp"),
        pytest.param(9_999, ErrorAction.REJECTED, id="a code of the future"),
    ],
)
def test_an_answer_means(code: int, meaning: ErrorAction) -> None:
    assert error_action(code) is meaning


def test_an_old_epoch_in_a_transaction_may_be_one_that_its_coordinator_ended() -> None:
    assert error_action(47, transactional=True) is ErrorAction.ABORT
    assert error_action(90, transactional=True) is ErrorAction.FENCED


@pytest.mark.parametrize(
    "code", [7, 20, -1, pytest.param(6, id="the leader lost it while it waited for replicas"), 3, 56]
)
def test_a_batch_may_have_been_written_in_spite_of_the_error(code: int) -> None:
    assert kafka_error(code).may_be_written


@pytest.mark.parametrize("code", [19, 45, 87])
def test_other_errors_say_that_it_was_not(code: int) -> None:
    assert not kafka_error(code).may_be_written


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        (6, "remote_leader_not_available"),
        (19, "not_enough_replicas"),
        (20, "not_enough_replicas"),
        (56, "target_storage"),
        (7, "target_timeout"),
        (29, "authorization_failed"),
        (89, "quota"),
        (3, "remote_topic_missing"),
        (-1, "target_error"),
    ],
)
def test_a_retried_error_has_a_cause_for_people(code: int, cause: str) -> None:
    assert kafka_error(code).trouble.code == cause
    assert kafka_error(code).trouble.text
