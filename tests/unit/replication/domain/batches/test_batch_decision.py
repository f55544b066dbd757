from dataclasses import replace
from typing import Any

import pytest

from replication.domain.batches.batch_decision import AbortedTransactions, BatchAction, BatchHeader, TargetRules, decide

RULES = TargetRules(max_message_bytes=1_000, timestamp_type="CreateTime")
APPEND_TIME_RULES = TargetRules(max_message_bytes=1_000, timestamp_type="LogAppendTime")
LOG_APPEND_TIME, TRANSACTIONAL, CONTROL = 0x08, 0x10, 0x20


def header(**changes: int) -> BatchHeader:
    """Ten records at offsets 100..109 of one idempotent producer."""
    plain = BatchHeader(100, 200, 3, 2, 0, 0, 9, 1_000, 2_000, 7, 0, 0, 10)
    return plain._replace(**changes)


MARKER = header(attributes=CONTROL | TRANSACTIONAL)
APPENDED = header(attributes=LOG_APPEND_TIME)


LEGACY = BatchHeader(100, 200, -1, 1, 0, 0, 0, -1, -1, -1, -1, -1, -1)  # what is known of a set of message format 1
ZSTD, LZ4 = 4, 3


def rules(**changes: Any) -> TargetRules:
    return replace(RULES, **changes)


@pytest.mark.parametrize(
    ("batch", "position", "aborted", "target", "expected"),
    [
        pytest.param(header(), 100, False, RULES, BatchAction.PASS, id="plain"),
        pytest.param(header(), 90, False, RULES, BatchAction.PASS, id="offsets missing before it"),
        pytest.param(LEGACY, 100, False, RULES, BatchAction.REBUILD_MAGIC, id="old format"),
        pytest.param(LEGACY, 101, False, RULES, BatchAction.DROP_BELOW, id="old format, wholly below"),
        pytest.param(MARKER, 100, False, RULES, BatchAction.DROP_CONTROL, id="marker"),
        pytest.param(MARKER, 100, False, rules(every_record=True), BatchAction.DROP_CONTROL, id="marker, transforms"),
        pytest.param(header(attributes=TRANSACTIONAL), 100, True, RULES, BatchAction.DROP_ABORTED, id="aborted"),
        pytest.param(header(attributes=TRANSACTIONAL), 100, False, RULES, BatchAction.PASS, id="committed"),
        pytest.param(header(), 110, False, RULES, BatchAction.DROP_BELOW, id="wholly below"),
        pytest.param(header(), 109, False, RULES, BatchAction.REBUILD_MID_BATCH, id="only the last record wanted"),
        pytest.param(header(records=0), 100, False, RULES, BatchAction.DROP_EMPTY, id="emptied by compaction"),
        pytest.param(header(records=9), 100, False, RULES, BatchAction.REBUILD_HOLES, id="hole by compaction"),
        pytest.param(APPENDED, 100, False, RULES, BatchAction.REBUILD_TIMESTAMPS, id="append time to create time"),
        pytest.param(APPENDED, 100, False, APPEND_TIME_RULES, BatchAction.PASS, id="append time to append time"),
        pytest.param(header(), 100, False, APPEND_TIME_RULES, BatchAction.PASS, id="create time to append time"),
        pytest.param(header(length=988), 100, False, RULES, BatchAction.PASS, id="as large as allowed"),
        pytest.param(header(length=989), 100, False, RULES, BatchAction.REBUILD_TOO_LARGE, id="a byte too large"),
        pytest.param(header(), 100, False, rules(every_record=True), BatchAction.REBUILD_RECORDS, id="transforms"),
        pytest.param(header(attributes=ZSTD), 100, False, RULES, BatchAction.PASS, id="zstd"),
        pytest.param(header(), 100, False, rules(codec=LZ4), BatchAction.RECOMPRESS, id="another codec"),
        pytest.param(header(attributes=LZ4), 100, False, rules(codec=LZ4), BatchAction.PASS, id="the codec wanted"),
        pytest.param(
            header(length=989), 100, False, rules(codec=LZ4), BatchAction.REBUILD_TOO_LARGE, id="too large, other codec"
        ),
    ],
)
def test_one_decision_per_batch(
    batch: BatchHeader, position: int, aborted: bool, target: TargetRules, expected: BatchAction
) -> None:
    assert decide(batch, position=position, aborted=aborted, target=target) is expected


@pytest.mark.parametrize(
    ("batch", "expected"),
    [
        pytest.param(header(), BatchAction.REBUILD_SMALL, id="small"),
        pytest.param(header(length=300_000), BatchAction.PASS, id="large"),
        pytest.param(header(records=9), BatchAction.REBUILD_HOLES, id="holes come first"),
        pytest.param(MARKER, BatchAction.DROP_CONTROL, id="marker"),
    ],
)
def test_while_small_batches_are_merged_only_those_are_rebuilt_for_it(
    batch: BatchHeader, expected: BatchAction
) -> None:
    target = rules(max_message_bytes=1_000_000)

    assert decide(batch, position=100, aborted=False, target=target, merging=True) is expected


def test_what_the_opposite_flow_wrote_is_dropped_before_any_other_decision() -> None:
    for target in (RULES, rules(every_record=True), rules(codec=LZ4)):
        assert decide(header(), position=100, aborted=False, target=target, looped=True) is BatchAction.DROP_LOOPED
    assert decide(MARKER, position=100, aborted=False, target=RULES, looped=True) is BatchAction.DROP_CONTROL


def test_an_action_either_drops_or_rebuilds_or_keeps_the_records_packed() -> None:
    whole = {action for action in BatchAction if not action.drops and not action.rebuilds}

    assert whole == {BatchAction.PASS, BatchAction.RECOMPRESS}
    assert not any(action.drops and action.rebuilds for action in BatchAction)


def test_only_batches_between_the_first_aborted_offset_and_its_marker_are_aborted() -> None:
    aborted = AbortedTransactions(((7, 110), (8, 500)))
    before = header(attributes=TRANSACTIONAL)
    inside = header(base_offset=110, attributes=TRANSACTIONAL)
    other_producer = header(base_offset=120, attributes=TRANSACTIONAL, producer_id=9)
    not_transactional = header(base_offset=130)

    assert not aborted.covers(before)
    assert aborted.covers(inside)
    assert not aborted.covers(other_producer)
    assert not aborted.covers(not_transactional)
    aborted.abort_marker(7)
    assert not aborted.covers(header(base_offset=150, attributes=TRANSACTIONAL))


def test_a_producer_aborted_twice_is_skipped_both_times() -> None:
    aborted = AbortedTransactions(((7, 200), (7, 100)))

    assert aborted.covers(header(attributes=TRANSACTIONAL))
    aborted.abort_marker(7)
    assert not aborted.covers(header(base_offset=150, attributes=TRANSACTIONAL))
    assert aborted.covers(header(base_offset=200, attributes=TRANSACTIONAL))
