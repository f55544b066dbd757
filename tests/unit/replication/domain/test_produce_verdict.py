"""Every Produce answer has one meaning, and those that are waited for say in words what is the matter."""

import pytest

from replication.domain.produce_verdict import ProduceVerdict, leaves_doubt, trouble, verdict


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        pytest.param(0, ProduceVerdict.DONE, id="none"),
        pytest.param(46, ProduceVerdict.DONE, id="duplicate sequence"),
        pytest.param(6, ProduceVerdict.RETRY, id="not leader"),
        pytest.param(7, ProduceVerdict.RETRY, id="request timed out"),
        pytest.param(19, ProduceVerdict.RETRY, id="not enough replicas"),
        pytest.param(20, ProduceVerdict.RETRY, id="not enough replicas after append"),
        pytest.param(56, ProduceVerdict.RETRY, id="storage error"),
        pytest.param(51, ProduceVerdict.RETRY, id="concurrent transactions"),
        pytest.param(89, ProduceVerdict.RETRY, id="throttling quota"),
        pytest.param(45, ProduceVerdict.OUT_OF_ORDER, id="out of order"),
        pytest.param(59, ProduceVerdict.OUT_OF_ORDER, id="unknown producer id"),
        pytest.param(29, ProduceVerdict.DENIED, id="topic authorization"),
        pytest.param(53, ProduceVerdict.DENIED, id="transactional id authorization"),
        pytest.param(47, ProduceVerdict.FENCED, id="invalid producer epoch"),
        pytest.param(90, ProduceVerdict.FENCED, id="producer fenced"),
        pytest.param(48, ProduceVerdict.ABORT, id="invalid transaction state"),
        pytest.param(120, ProduceVerdict.ABORT, id="transaction abortable"),
        pytest.param(10, ProduceVerdict.TOO_LARGE, id="message too large"),
        pytest.param(18, ProduceVerdict.TOO_LARGE, id="record list too large"),
        pytest.param(87, ProduceVerdict.REFUSED, id="invalid record"),
        pytest.param(32, ProduceVerdict.REFUSED, id="invalid timestamp"),
        pytest.param(9_999, ProduceVerdict.REFUSED, id="a code of the future"),
    ],
)
def test_an_answer_means(code: int, meaning: ProduceVerdict) -> None:
    assert verdict(code) is meaning


def test_an_old_epoch_in_a_transaction_may_be_one_that_its_coordinator_ended() -> None:
    assert verdict(47, transactional=True) is ProduceVerdict.ABORT
    assert verdict(90, transactional=True) is ProduceVerdict.FENCED


@pytest.mark.parametrize(
    "code", [7, 20, -1, pytest.param(6, id="the leader lost it while it waited for replicas"), 3, 56]
)
def test_a_batch_may_have_been_written_in_spite_of_the_error(code: int) -> None:
    assert leaves_doubt(code)


@pytest.mark.parametrize("code", [19, 45, 87])
def test_other_errors_say_that_it_was_not(code: int) -> None:
    assert not leaves_doubt(code)


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
    assert trouble(code).code == cause
    assert trouble(code).text
