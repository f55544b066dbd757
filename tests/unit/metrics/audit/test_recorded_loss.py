"""The source offsets that are known to be skipped."""

from typing import Any

import pytest

from metrics.audit.findings import Finding
from metrics.audit.fingerprints import Fingerprint
from metrics.audit.job.recorded_losses import LossLogs
from metrics.audit.job.recorded_separately import (
    CountedRange,
    FilteredCount,
    count_records,
    counted_pieces,
    loss_findings,
    unnamed,
)
from metrics.audit.recorded_loss import RecordedLoss, gap_loss, letter_of, not_copied, skipped_of, within_range
from replication.domain.identifiers import TopicPartition
from replication.domain.rejected_records.rejected_record import RejectedRecord
from replication.domain.reporting.audit_words import LossKind
from replication.ports.produce.record_appender import OutgoingRecord
from replication.tasks.rejected_records.dead_letters import dead_letter
from replication.tasks.reporting.slot_metrics import rejection_event

GAP = {"topic_id": "aa", "partition": 1, "from_offset": 5, "to_offset": 9, "cause": "skipped", "detected_ms": 7}


def loss(kind: LossKind, first: int, following: int, **changes: Any) -> RecordedLoss:
    values = {"partition": 0, "kind": kind, "first": first, "next": following, "reason": "why", "at_ms": 0}
    return RecordedLoss(**{**values, **changes})


def spans(found: list[RecordedLoss]) -> list[tuple[str, int, int]]:
    return [(each.kind, each.first, each.next) for each in found]


def test_a_gap_record_of_this_incarnation_names_its_offsets() -> None:
    assert gap_loss(GAP, "aa") == loss("gap", 5, 9, partition=1, reason="gap record: skipped", at_ms=7)


@pytest.mark.parametrize(
    "change", [{"topic_id": "bb"}, {"to_offset": None}, {"to_offset": 5}, {"from_offset": 20}], ids=str
)
def test_a_gap_record_without_offsets_of_this_incarnation_explains_nothing(change: dict[str, Any]) -> None:
    assert gap_loss(GAP | change, "aa") is None


def test_a_dead_letter_is_read_as_the_engine_writes_it() -> None:
    written = dead_letter(OutgoingRecord(b"k", b"v", ()), TopicPartition("orders", 3), 17, "MESSAGE_TOO_LARGE")

    letter = letter_of(written.headers, 9)

    assert letter is not None
    assert letter.topic == "orders"
    assert letter.loss == loss("dead_lettered", 17, 18, partition=3, reason="dead letter: MESSAGE_TOO_LARGE", at_ms=9)
    assert letter_of([("somebody", b"else")], 9) is None
    assert letter_of([(name, b"x") for name, _ in written.headers], 9) is None


def test_a_skipped_record_is_read_from_the_event_the_engine_writes() -> None:
    refused = RejectedRecord(
        topic="orders", partition=2, offset=40, records=1, error="it is\nbroken", policy="skip", at_ms=8
    )
    at_ms, scope, topic, partition, _, to_state, cause, text = rejection_event(refused)

    assert (scope, topic, to_state, cause) == ("record", "orders", "skip", "record_refused")
    assert skipped_of(partition, text, at_ms) == loss(
        "skipped", 40, 41, partition=2, reason="skipped: it is\nbroken", at_ms=8
    )
    assert skipped_of(partition, "something else", at_ms) is None


def test_what_a_run_names_was_copied_after_all() -> None:
    found = not_copied([loss("gap", 0, 100)], [(20, 30), (90, 200)])

    assert spans(found) == [("gap", 0, 20), ("gap", 30, 90)]


def test_every_offset_is_skipped_once_and_by_the_most_exact_record() -> None:
    recorded = [loss("gap", 0, 10), loss("gap", 5, 12), loss("skipped", 4, 5), loss("skipped", 4, 5)]

    found = not_copied([*recorded, loss("dead_lettered", 9, 10)], [])

    assert spans(found) == [
        ("gap", 0, 4),
        ("skipped", 4, 5),
        ("gap", 5, 9),
        ("dead_lettered", 9, 10),
        ("gap", 10, 12),
    ]


def test_parts_of_a_range() -> None:
    own = [loss("gap", 0, 10), loss("skipped", 12, 13), loss("gap", 20, 30)]

    assert spans(within_range(own, 5, 25)) == [("gap", 5, 10), ("skipped", 12, 13), ("gap", 20, 25)]
    assert spans(within_range(own, 13, 20)) == []
    assert spans(within_range(own, 8, 9)) == [("gap", 8, 9)]


def test_counted_ranges_are_counted_by_side_and_only_what_is_recorded_is_a_finding() -> None:
    ranges = [
        CountedRange(0, "source", ((5, 9),), loss("gap", 5, 9)),
        CountedRange(0, "source", ((20, 30), (40, 41))),
        CountedRange(1, "target", ((3, 4),)),
        CountedRange(1, "source", ((7, 8),), loss("gap", 7, 8)),
    ]
    assert [(piece.first, piece.number) for piece in counted_pieces(ranges, "source")] == [
        (5, -1),
        (20, -2),
        (40, -2),
        (7, -4),
    ]

    counted = count_records(
        ranges,
        {"source": {7: Fingerprint(99), -1: Fingerprint(3), -2: Fingerprint(11)}, "target": {-3: Fingerprint(1)}},
    )

    assert loss_findings(counted) == [
        Finding(partition=0, kind="gap", source_offset=5, target_offset=None, records=3, detail="why")
    ]
    assert unnamed(counted) == {("source", 0): 11, ("target", 1): 1}


def test_what_no_run_names_is_told_from_the_whole_without_what_was_compared() -> None:
    ranges = [CountedRange(0, "source", ((0, 100),), around=7), CountedRange(0, "source", ((100, 200),), around=8)]
    found = {"source": {7: Fingerprint(60), 8: Fingerprint(100), -1: Fingerprint(95), -2: Fingerprint(100)}}

    assert count_records(ranges, found) == [(ranges[0], 35)]


def test_topics_of_an_audit_share_what_was_filtered_and_wait_for_counts_on_their_way() -> None:
    counts = iter([10, 10, 10, 14])
    waited: list[bool] = []
    filtered = FilteredCount(lambda: next(counts, 14), lambda: waited.append(True))

    assert filtered.covers(8)
    assert filtered.covers(6)
    assert len(waited) == 2
    assert not filtered.covers(1)
    assert filtered.covers(0)


class _Tail:
    """Stands for the topics of the flow."""

    def __init__(self, *messages: Any) -> None:
        self._messages = list(messages)

    def new_records(self) -> list[Any]:
        taken, self._messages = self._messages, []
        return taken

    def close(self) -> None:
        """Nothing to close."""


class _Message:
    def __init__(self, value: bytes | None, headers: Any = None, at_ms: int = 0) -> None:
        self._value, self._headers, self._at_ms = value, headers, at_ms

    def value(self) -> bytes | None:
        return self._value

    def headers(self) -> Any:
        return self._headers

    def timestamp(self) -> tuple[int, int]:
        return (1, self._at_ms)


def test_dead_letters_of_a_topic_that_was_re_created_are_not_the_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    letter = dead_letter(OutgoingRecord(b"k", b"v", ()), TopicPartition("orders", 0), 3, "why").headers
    other = dead_letter(OutgoingRecord(b"k", b"v", ()), TopicPartition("others", 0), 3, "why").headers
    recreated = (
        b'{"topic":"orders","topic_id":"aa","partition":0,"cause":"topic_recreated","from_offset":9,'
        b'"to_offset":null,"detected_ms":100}'
    )
    tails = iter(
        [
            _Tail(_Message(b"no json"), _Message(None), _Message(b"[]"), _Message(recreated)),
            _Tail(_Message(b"v", letter, 99), _Message(b"v", letter, 101), _Message(b"v", other, 101), _Message(b"v")),
        ]
    )
    monkeypatch.setattr("metrics.audit.job.recorded_losses.TopicTail", lambda *_: next(tails))
    logs = LossLogs(None, "a", "letters", {"orders"})  # type: ignore[arg-type]  # no cluster behind these tails

    logs.read()

    assert [each.at_ms for each in logs.of("orders", "bb")] == [101]
    assert logs.begun_ms("orders") == {0: 100}
