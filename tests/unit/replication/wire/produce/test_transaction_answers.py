"""The error that an answer about a transaction carries."""

import pytest
from kafka.protocol.producer import AddPartitionsToTxnResponse, EndTxnResponse

from replication.domain.errors import FatalError, FencedError
from replication.wire.network.error_translation import for_code
from replication.wire.produce.transactions import _error_code


def added(*codes: int) -> AddPartitionsToTxnResponse:
    """As it comes off the wire: a field of later versions is there and 0."""
    topic_type = AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult
    results = [
        topic_type.AddPartitionsToTxnPartitionResult(partition_index=number, partition_error_code=code)
        for number, code in enumerate(codes)
    ]
    answer = AddPartitionsToTxnResponse(
        version=3,
        throttle_time_ms=0,
        results_by_topic_v3_and_below=[topic_type(name="t", results_by_partition=results)],
    )
    return AddPartitionsToTxnResponse.decode(answer.encode(version=3), version=3)


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ((0, 0), 0),
        ((0, 51), 51),  # the last transaction is still being completed: nothing may be written yet
        ((55, 3), 0),  # not attempted, because of the other one: that one is skipped, see `SlotTransactions.add`
        ((55, 3, 51), 51),
        ((55, 55), 55),
        ((), 0),
    ],
)
def test_partitions_that_were_not_added_are_an_error(codes: tuple[int, ...], expected: int) -> None:
    assert _error_code(added(*codes)) == expected


def test_a_forgotten_producer_is_no_new_owner() -> None:
    assert isinstance(for_code(90, cluster="b", doing="committing"), FencedError)
    forgotten = for_code(49, cluster="b", doing="opening a transaction")
    assert isinstance(forgotten, FatalError)
    assert "the task restarts" in forgotten.text


def test_other_answers_carry_their_own() -> None:
    assert _error_code(EndTxnResponse(version=3, throttle_time_ms=0, error_code=51)) == 51
