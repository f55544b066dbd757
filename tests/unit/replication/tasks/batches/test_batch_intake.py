"""One answer becomes entries in order; positions cover everything, and an error loses nothing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from crc32c import crc32c

from replication.domain.batches.record_rules import RecordRules
from replication.domain.rejected_records.error_policy import ErrorHandling
from replication.domain.reporting.histogram import Histogram
from replication.domain.settings.choices import ErrorsPolicy
from replication.domain.settings.record_settings import RecordSettings
from replication.domain.transforms.catalogue import make_transform
from replication.domain.transforms.settings import TransformSettings
from replication.ports.batches.record_path import FailedTransform
from replication.tasks.batches.batch_intake import BatchIntake, CorruptBatchError, RecordRejectedError
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.reporting.gauge import SlotGauge
from replication.tasks.slot_context import SlotContext
from replication.wire.batches.record_codec import decode_records
from replication.wire.batches.record_path import WireRecordPath
from tests.unit.replication.tasks.intake import NOW_MS, a_copy, context, fetched, marker, queue, stored

MERGING = RecordSettings(rebatching="always")
TRANSACTIONAL = 0x10


def an_intake(slot: SlotContext, **options: Any) -> BatchIntake:
    return BatchIntake(slot, SlotGauge(slot), **options)


def values(copy: PartitionCopy) -> list[bytes | None]:
    batches = [entry.data for entry in copy.queue.waiting if entry.data is not None]
    return [record.value for data in batches for record in decode_records(data)]


def expected(*offsets: int) -> list[bytes]:
    return [b"value %d" % offset for offset in offsets]


def spans(copy: PartitionCopy) -> list[tuple[int, int, int]]:
    """(first, next, records) of every entry; skipped stretches have no records."""
    return [(entry.first, entry.next, entry.records) for entry in copy.queue.waiting]


def rules(kind: str, **options: str) -> RecordRules:
    transform = make_transform(TransformSettings(name="t", type=kind, options=tuple(options.items())), {})
    return RecordRules(flow=context().spec.flow, transforms=[transform])


def test_batches_pass_one_by_one_unless_they_are_merged() -> None:
    passed, merged = a_copy(), a_copy()
    answer = [stored(0, 2), stored(2, 1), stored(3, 4)]

    queue(an_intake(context()), passed, fetched(*answer))
    queue(an_intake(context(MERGING)), merged, fetched(*answer))

    assert spans(passed) == [(0, 2, 2), (2, 3, 1), (3, 7, 4)]
    assert spans(merged) == [(0, 7, 7)]
    assert values(passed) == values(merged) == expected(*range(7))
    assert merged.queue.waiting[0].source_bytes == sum(map(len, answer)) > merged.queue.waiting[0].size_bytes


def test_a_single_small_batch_is_not_decoded_for_nothing() -> None:
    copy, answer = a_copy(), fetched(stored(0, 1))

    queue(an_intake(context(MERGING)), copy, answer)

    assert answer.records is not None
    assert copy.queue.waiting[0].data is not None
    assert copy.queue.waiting[0].data.obj is answer.records.obj


def test_batches_around_markers_and_aborted_data_are_merged_and_the_position_moves_over_all() -> None:
    copy = a_copy()
    answer = fetched(
        stored(0, 2, producer_id=5, attributes=TRANSACTIONAL),
        marker(2, 5, commit=True),
        stored(3, 2, producer_id=6, attributes=TRANSACTIONAL),
        marker(5, 6, commit=False),
        stored(6, 1, producer_id=6, attributes=TRANSACTIONAL),
        marker(7, 6, commit=True),
        aborted=((6, 3),),
    )

    queue(an_intake(context(MERGING)), copy, answer)

    assert values(copy) == expected(0, 1, 6)
    assert spans(copy) == [(0, 7, 3), (7, 8, 0)]
    assert copy.queue.waiting[0].runs == ((0, 0, 2), (6, 2, 1))
    assert copy.cursor.offset == 8


def test_the_first_answer_may_begin_before_the_position() -> None:
    copy = a_copy(position=3)

    queue(an_intake(context()), copy, fetched(stored(0, 2), stored(2, 4), stored(6, 1)))

    assert values(copy) == expected(3, 4, 5, 6)
    assert copy.cursor.offset == 7


@pytest.mark.parametrize("settings", [None, MERGING], ids=["passed on", "merged"])
def test_what_stands_before_a_corrupt_batch_is_queued(settings: RecordSettings | None) -> None:
    copy, bad = a_copy(), stored(4, 2)
    bad[-1] ^= 1

    with pytest.raises(CorruptBatchError, match="offset 4"):
        queue(an_intake(context(settings)), copy, fetched(stored(0, 2), stored(2, 2), bad))

    assert values(copy) == expected(0, 1, 2, 3)
    assert copy.cursor.offset == 4


def test_records_that_cannot_be_decoded_are_found_among_those_merged() -> None:
    copy, bad = a_copy(), stored(2, 2, codec=4)
    bad[22] = bad[22] & ~7 | 1  # says gzip, holds zstd, and its checksum is right
    bad[17:21] = crc32c(memoryview(bad)[21:]).to_bytes(4, "big")

    with pytest.raises(CorruptBatchError, match="offset 2"):
        queue(an_intake(context(MERGING)), copy, fetched(stored(0, 2), bad, stored(4, 1)))

    assert values(copy) == expected(0, 1)


@pytest.mark.parametrize("way", ["spliced", "decoded"])
@pytest.mark.parametrize("delta", [0x01, 0x7E], ids=["before its batch", "behind it"])
def test_records_at_offsets_that_their_batch_does_not_have_stop_the_partition(
    way: str, delta: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "decoded":
        monkeypatch.setattr("replication.wire.batches.splicing.SPLICER", None)
    copy, bad = a_copy(), stored(2, 1)
    assert bad[64] == 0  # the offset of the one record, relative to the batch
    bad[64] = delta
    bad[17:21] = crc32c(memoryview(bad)[21:]).to_bytes(4, "big")

    with pytest.raises(CorruptBatchError, match="offset"):
        queue(an_intake(context(MERGING)), copy, fetched(stored(0, 2), bad, stored(3, 2)))

    assert values(copy) == expected(0, 1)
    assert copy.cursor.offset == 2


def test_batches_of_the_flow_back_are_dropped_counted_and_passed_over() -> None:
    copy = a_copy()
    answer = fetched(stored(0, 2, producer_id=7), stored(2, 3, producer_id=8), stored(5, 1))

    queue(an_intake(context(), looped={8}), copy, answer)

    assert values(copy) == expected(0, 1, 5)
    assert spans(copy) == [(0, 2, 2), (2, 5, 0), (5, 6, 1)]
    assert copy.counters.looped_total == 0, "they count when they are done"
    finish(copy)
    assert copy.counters.looped_total == 3


def test_dropped_records_count_once_when_they_are_read_twice() -> None:
    copy = a_copy()
    answer = fetched(stored(0, 2, producer_id=7), stored(2, 3, producer_id=8), stored(5, 1))
    intake = an_intake(context(), looped={8})
    queue(intake, copy, answer)
    assert copy.queue.drop_unsent()
    queue(intake, copy, answer)

    finish(copy)

    assert copy.counters.looped_total == 3


def test_looped_batches_between_merged_ones_count_with_them() -> None:
    copy = a_copy()
    copy.cursor.set_merging(True)
    small = [stored(0, 1), stored(1, 1, producer_id=8), *(stored(number, 1) for number in range(2, 40))]

    queue(an_intake(context(RecordSettings(rebatching="always")), looped={8}), copy, fetched(*small))

    finish(copy)
    assert (copy.progress.next_offset, copy.counters.looped_total) == (40, 1)


def finish(copy: PartitionCopy) -> None:
    """Let the target acknowledge the whole queue."""
    for entry in copy.queue.waiting:
        if entry.data is not None:
            entry.acknowledge(0)
        copy.progress.advance(entry)
        copy.counters.count(entry, NOW_MS, Histogram())
    copy.queue.clear()


def test_another_codec_is_packed_without_decoding() -> None:
    copy = a_copy()

    queue(
        an_intake(context(RecordSettings(rebatching="off", compression="zstd"))),
        copy,
        fetched(stored(0, 50), stored(50, 50, codec=4)),
    )

    assert [entry.data[22] & 7 for entry in copy.queue.waiting if entry.data is not None] == [4, 4]
    assert values(copy) == expected(*range(100))
    assert spans(copy) == [(0, 50, 50), (50, 100, 50)]
    assert copy.queue.waiting[0].size_bytes < copy.queue.waiting[0].source_bytes


def test_another_codec_that_makes_a_batch_too_large_splits_it() -> None:
    copy, packed = a_copy(max_message_bytes=600), stored(0, 100, codec=4)
    assert len(packed) <= 600

    queue(an_intake(context(RecordSettings(rebatching="off", compression="none"))), copy, fetched(packed))

    assert len(copy.queue.waiting) > 1
    assert all(entry.size_bytes <= 600 for entry in copy.queue.waiting)
    assert values(copy) == expected(*range(100))


def test_filtered_records_leave_holes_and_the_position_moves_on() -> None:
    copy = a_copy()
    path = WireRecordPath(rules("filter", pattern="value [2459]"))

    queue(an_intake(context(path=path)), copy, fetched(stored(0, 4), stored(4, 6)))

    assert values(copy) == expected(0, 1, 3, 6, 7, 8)
    assert copy.queue.waiting[0].runs == ((0, 0, 2), (3, 2, 1), (6, 3, 3))
    assert (copy.cursor.offset, copy.counters.filtered_total) == (10, 0)
    finish(copy)
    assert copy.counters.filtered_total == 4


def test_filtered_records_stay_counted_when_their_batch_is_split() -> None:
    copy = a_copy()
    path = WireRecordPath(rules("filter", pattern="value [2459]"))
    queue(an_intake(context(path=path)), copy, fetched(stored(0, 10)))
    whole = copy.queue.waiting[0]

    copy.queue.replace(whole, [Entry(0, 5, 0), Entry(5, 10, 0)])
    finish(copy)

    assert copy.counters.filtered_total == 4


def test_when_everything_is_filtered_only_the_position_moves() -> None:
    copy = a_copy()

    queue(an_intake(context(path=WireRecordPath(rules("filter", pattern="value")))), copy, fetched(stored(0, 4)))

    assert spans(copy) == [(0, 4, 0)]


def test_a_record_a_transform_refuses_stops_the_partition_behind_those_before_it() -> None:
    copy = a_copy()
    path = WireRecordPath(rules("mask_field", fields="card"))

    with pytest.raises(RecordRejectedError, match=r"the record at offset 0 .* transform 't': its value is no JSON"):
        queue(an_intake(context(path=path)), copy, fetched(stored(0, 3)))

    assert spans(copy) == []
    assert copy.cursor.offset == 0


def test_rejected_records_may_be_skipped_and_told_instead() -> None:
    told: list[tuple[int, str]] = []

    def note(_copy: PartitionCopy, refused: Sequence[FailedTransform], policy: ErrorsPolicy) -> bool:
        assert policy == "skip"
        told.extend((record.offset, reason) for record, reason in refused)
        return True

    copy = a_copy()
    here = context(path=WireRecordPath(rules("mask_field", fields="card")))
    here.spec = replace(here.spec, errors=ErrorHandling(policy="skip"))

    queue(an_intake(here, on_rejected=note), copy, fetched(stored(0, 2)))

    assert [offset for offset, _reason in told] == [0, 1]
    assert copy.cursor.offset == 2
