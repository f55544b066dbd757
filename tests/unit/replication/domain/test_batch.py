import pytest

from replication.domain.batch import AbortedTransactions, BatchAction, BatchHeader, TargetRules, decide

RULES = TargetRules(max_message_bytes=1_000, timestamp_type="CreateTime")
APPEND_TIME_RULES = TargetRules(max_message_bytes=1_000, timestamp_type="LogAppendTime")
LOG_APPEND_TIME, TRANSACTIONAL, CONTROL = 0x08, 0x10, 0x20


def header(**changes: int) -> BatchHeader:
    """Ten records at offsets 100..109 of one idempotent producer."""
    plain = BatchHeader(100, 200, 3, 2, 0, 0, 9, 1_000, 2_000, 7, 0, 0, 10)
    return plain._replace(**changes)


MARKER = header(attributes=CONTROL | TRANSACTIONAL)
APPENDED = header(attributes=LOG_APPEND_TIME)


@pytest.mark.parametrize(
    ("batch", "position", "aborted", "rules", "expected"),
    [
        pytest.param(header(), 100, False, RULES, BatchAction.PASS, id="plain"),
        pytest.param(header(), 90, False, RULES, BatchAction.PASS, id="offsets missing before it"),
        pytest.param(header(magic=1), 100, False, RULES, BatchAction.REBUILD_MAGIC, id="old format"),
        pytest.param(
            header(attributes=CONTROL | TRANSACTIONAL), 100, False, RULES, BatchAction.DROP_CONTROL, id="marker"
        ),
        pytest.param(header(attributes=TRANSACTIONAL), 100, True, RULES, BatchAction.DROP_ABORTED, id="aborted"),
        pytest.param(header(), 110, False, RULES, BatchAction.DROP_BELOW, id="wholly below"),
        pytest.param(header(), 109, False, RULES, BatchAction.REBUILD_MID_BATCH, id="only the last record wanted"),
        pytest.param(header(records=0), 100, False, RULES, BatchAction.DROP_EMPTY, id="emptied by compaction"),
        pytest.param(header(records=9), 100, False, RULES, BatchAction.REBUILD_HOLES, id="hole by compaction"),
        pytest.param(
            header(attributes=LOG_APPEND_TIME), 100, False, RULES, BatchAction.REBUILD_TIMESTAMPS, id="append time"
        ),
        pytest.param(
            header(attributes=LOG_APPEND_TIME), 100, False, APPEND_TIME_RULES, BatchAction.PASS, id="append to append"
        ),
        pytest.param(header(length=988), 100, False, RULES, BatchAction.PASS, id="as large as allowed"),
        pytest.param(header(length=989), 100, False, RULES, BatchAction.REBUILD_TOO_LARGE, id="a byte too large"),
    ],
)
def test_one_decision_per_batch(
    batch: BatchHeader, position: int, aborted: bool, rules: TargetRules, expected: BatchAction
) -> None:
    assert decide(batch, position=position, aborted=aborted, target=rules) is expected


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
