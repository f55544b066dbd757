import pytest

from metrics.stream.ledger import LedgerEntry, RawGap, RawLog, lost, reconciled, skipped

RAW = ("srm-metrics.a.internal", 2)


def test_a_partition_seen_for_the_first_time_is_read_from_its_log_start() -> None:
    outcome = reconciled({}, {RAW: RawLog("aa", 5, 50)})

    assert (outcome.starts, outcome.gaps) == ({RAW: 5}, ())
    assert outcome.ledger == {RAW: LedgerEntry("aa", 5)}


def test_reading_continues_where_the_ledger_ends() -> None:
    outcome = reconciled({RAW: LedgerEntry("aa", 20)}, {RAW: RawLog("aa", 5, 50)})

    assert (outcome.starts, outcome.gaps) == ({RAW: 20}, ())


@pytest.mark.parametrize(
    ("log", "start", "cause", "from_offset", "to_offset"),
    [
        (RawLog("bb", 0, 80), 0, "topic_recreated", 20, None),
        (RawLog("aa", 30, 80), 30, "retention", 20, 30),
        (RawLog("aa", 0, 12), 12, "truncated", 12, None),
    ],
    ids=["another topic id", "log start beyond the ledger", "log end before the ledger"],
)
def test_what_can_never_be_counted_is_a_gap_and_reading_starts_behind_it(
    log: RawLog, start: int, cause: str, from_offset: int, to_offset: int | None
) -> None:
    outcome = reconciled({RAW: LedgerEntry("aa", 20)}, {RAW: log})

    (gap,) = outcome.gaps
    assert (gap.cause, gap.topic_id, gap.from_offset, gap.to_offset) == (cause, "aa", from_offset, to_offset)
    assert outcome.starts == {RAW: start}
    assert outcome.ledger == {RAW: LedgerEntry(log.topic_id, start)}


def test_a_topic_that_is_gone_keeps_its_entry_so_that_its_return_is_seen() -> None:
    outcome = reconciled({RAW: LedgerEntry("aa", 20)}, {})

    assert outcome.ledger == {RAW: LedgerEntry("aa", 20)}
    assert outcome.starts == {}


def test_a_topic_made_again_with_fewer_partitions_leaves_no_entry_of_the_old_one() -> None:
    higher = (RAW[0], 5)
    ledger = {RAW: LedgerEntry("aa", 20), higher: LedgerEntry("aa", 7)}

    outcome = reconciled(ledger, {RAW: RawLog("bb", 0, 3)})

    assert outcome.ledger == {RAW: LedgerEntry("bb", 0), higher: LedgerEntry("bb", 0)}
    assert outcome.starts == {RAW: 0}
    assert {(gap.partition, gap.from_offset, gap.cause) for gap in outcome.gaps} == {
        (2, 20, "topic_recreated"),
        (5, 7, "topic_recreated"),
    }


def test_passed_over_offsets_are_a_gap_only_when_the_log_start_has_overtaken_them() -> None:
    ledger = {RAW: LedgerEntry("aa", 20)}
    passed_over = skipped({RAW: (30, 40)}, ledger)

    assert lost(passed_over, ledger, {RAW: 0}) == ()
    assert lost(passed_over, ledger, {RAW: 25}) == (
        RawGap(topic=RAW[0], partition=2, topic_id="aa", from_offset=20, to_offset=25, cause="retention"),
    )


def test_a_batch_that_begins_at_the_ledger_passes_nothing_over() -> None:
    assert skipped({RAW: (20, 40)}, {RAW: LedgerEntry("aa", 20)}) == {}
