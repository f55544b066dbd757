"""The position never moves over a gap that is not written down."""

from collections.abc import Sequence
from typing import Any

import pytest
from structlog.testing import capture_logs

from replication.codecs import offset_runs
from replication.codecs.mm2_records import decode_offset_sync
from replication.domain.errors import RetriableError
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.offset_run import OffsetRun, Runs
from replication.ports.produce.record_appender import OutgoingRecord
from replication.tasks.offsets import offset_records as source_records
from replication.tasks.offsets.gap_handler import GapHandler
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.offsets.offset_records import OffsetRecords
from replication.tasks.partition.entry import Entry
from replication.tasks.produce.sender import Sender
from replication.tasks.rejected_records.rejected_log import RejectedLog
from replication.tasks.reporting.gauge import SlotGauge
from replication.tasks.slot_context import SlotContext
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_live_document import a_live_document
from tests.unit.replication.tasks.a_slot import a_context, a_copy
from tests.unit.replication.tasks.noted_events import NotedEvents


class Gaps:
    def __init__(self) -> None:
        self.is_away = True
        self.written: list[OutgoingRecord] = []

    async def append(self, _topic: str, records: Sequence[OutgoingRecord]) -> int:
        if self.is_away:
            raise RetriableError("no leader")
        self.written += records
        return 0


def test_a_partition_waits_before_its_gap_until_that_is_written() -> None:
    loop, topic = VirtualLoop(), Gaps()
    context = a_context(loop, {"records": topic}, gap_policy="continue")
    copy = a_copy(context, "t", position=10)

    gap_log, events = GapLog(), NotedEvents()
    records = OffsetRecords(context, gap_log)
    sender = Sender(context, events, SlotGauge(context), RejectedLog())
    events.filled = sender.schedule_send  # type: ignore[method-assign]
    loop.spawn(records.run())
    loop.spawn(sender.run())
    GapHandler(context, gap_log).note_out_of_range(copy, 50, 90)
    sender.schedule_send(copy)
    loop.run_for(5)
    assert copy.progress.next_offset == 10
    assert copy.reason is not None
    assert (copy.state, copy.reason.code) == ("stalled", "gap_record_waits")

    topic.is_away = False
    loop.run_for(2)

    assert copy.progress.next_offset == 50
    assert len(topic.written) == 1
    assert copy.obstructions.of("target") is None


def test_a_partition_that_comes_back_is_not_released_by_the_gap_of_its_former_stay() -> None:
    loop, topic = VirtualLoop(), Gaps()
    context = a_context(loop, {"records": topic}, gap_policy="continue")
    former = a_copy(context, "t", position=10)
    gap_log = GapLog()
    GapHandler(context, gap_log).note_out_of_range(former, 50, 90)
    records = OffsetRecords(context, gap_log)
    loop.spawn(records.flush())
    loop.run_for(1)
    back = a_copy(context, "t", position=10)
    back.barrier.close()  # a separate dead letter

    topic.is_away = False
    loop.spawn(records.flush())
    loop.run_for(1)

    assert len(topic.written) == 1
    assert (former.barrier.waits, back.barrier.waits) == (0, 1)
    assert (former.obstructions.of("target"), back.obstructions.of("target")) == (None, None)


def acknowledged(first: int, downstream: int, records: int = 1) -> Entry:
    entry = Entry(first, first + records, 0, records=records, runs=((first, 0, records),))
    entry.acknowledge(downstream)
    return entry


def runs_in(topic: Gaps) -> list[tuple[bytes, Runs]]:
    found = []
    for record in topic.written:
        assert record.key is not None
        assert record.value is not None
        found.append((record.key, offset_runs.decode(record.key, record.value).runs))
    return found


def test_offset_runs_that_cannot_be_kept_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = VirtualLoop()
    context = a_context(loop, {"records": Gaps(), "syncs": Gaps()})
    monkeypatch.setattr(source_records, "MAX_PENDING_SEGMENTS", 2)
    records = OffsetRecords(context, GapLog())
    for topic in ("oldest", "older", "newest"):
        copy = a_copy(context, topic)
        records.collect(copy, acknowledged(0, 0))
        records.close_segment(copy, copy.progress.topic_id)

    with capture_logs() as said:
        loop.spawn(records.flush())
        loop.run_for(1)

    assert [segment.topic for segment in records.pending_segments] == ["older", "newest"]
    assert [(line["event"], line["segments"]) for line in said if "segments" in line] == [("offset runs dropped", 1)]


def test_an_open_segment_is_readable_after_a_few_seconds_and_its_record_is_replaced_while_it_grows() -> None:
    loop, topic = VirtualLoop(), Gaps()
    topic.is_away = False
    context = a_context(loop, {"records": topic, "syncs": Gaps()})
    copy = a_copy(context, "t")
    records = OffsetRecords(context, GapLog())
    loop.spawn(records.run())
    records.collect(copy, acknowledged(0, 10, 5))
    records.collect(copy, acknowledged(7, 15, 5))
    loop.run_for(5.5)
    assert [runs for _, runs in runs_in(topic)] == [(OffsetRun(0, 10, 5), OffsetRun(7, 15, 5))]

    loop.run_for(60)
    assert len(topic.written) == 1, "nothing was copied"

    records.collect(copy, acknowledged(12, 20, 1))
    loop.run_for(5.5)

    (first_key, _), (second_key, newest) = runs_in(topic)
    assert first_key == second_key
    assert newest == (OffsetRun(0, 10, 5), OffsetRun(7, 15, 6))


def test_while_runs_cannot_be_written_a_partition_keeps_its_newest_state_and_joins_its_segments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop, topic = VirtualLoop(), Gaps()
    context = a_context(loop, {"records": topic, "syncs": Gaps()})
    monkeypatch.setattr(source_records, "MAX_PENDING_SEGMENTS", 1)
    copy = a_copy(context, "t")
    records = OffsetRecords(context, GapLog())
    loop.spawn(records.run())
    expected = []
    for number in range(300):
        records.collect(copy, acknowledged(number * 2, number))
        expected.append(OffsetRun(number * 2, number, 1))
        loop.run_for(1)
    assert len(records.pending_segments) == 1

    topic.is_away = False
    loop.run_for(6)

    written = [run for _, runs in runs_in(topic) for run in runs]
    assert sorted(set(written), key=lambda run: run.upstream) == expected
    assert records.pending_segments == []


def test_a_batch_whose_place_is_not_known_lies_in_no_segment_and_between_none() -> None:
    loop, topic = VirtualLoop(), Gaps()
    topic.is_away = False
    context = a_context(loop, {"records": topic, "syncs": Gaps()})
    copy = a_copy(context, "t")
    records = OffsetRecords(context, GapLog())
    loop.spawn(records.run())
    for first, downstream in ((0, 10), (1, -1), (2, 12)):
        records.collect(copy, acknowledged(first, downstream))
    loop.run_for(6)

    assert [runs for _, runs in runs_in(topic)] == [(OffsetRun(0, 10, 1),), (OffsetRun(2, 12, 1),)]


def test_of_the_syncs_of_one_partition_that_wait_only_the_newest_are_written() -> None:
    loop, topic = VirtualLoop(), Gaps()
    topic.is_away = False
    context = a_context(loop, {"syncs": topic})
    busy, quiet = TopicPartition("busy", 0), TopicPartition("quiet", 0)
    records = OffsetRecords(context, GapLog())
    records._pending_syncs = {busy: [(offset, offset) for offset in range(0, 1_000, 100)], quiet: [(7, 3)]}

    loop.spawn(records.flush())
    loop.run_for(1)

    written = [decode_offset_sync(record.key or b"", record.value or b"") for record in topic.written]
    assert [(sync.upstream, sync.upstream_offset) for sync in written] == [(busy, 800), (busy, 900), (quiet, 7)]


def live_cause(context: SlotContext) -> dict[str, Any] | None:
    live, _ = a_live_document(context)
    live.refresh()
    cause: dict[str, Any] | None = live.document["cause"]
    return cause


def test_offset_syncs_that_cannot_be_written_are_the_cause_of_the_live_state() -> None:
    loop, topic = VirtualLoop(), Gaps()
    context = a_context(loop, {"syncs": topic})
    copy = a_copy(context, "t")
    records = OffsetRecords(context, GapLog())
    records._pending_syncs[copy.upstream] = [(1, 2)]
    loop.spawn(records.flush())
    loop.run_for(1)
    first_ms = loop.now_ms() - 1_000

    cause = live_cause(context)
    assert cause is not None
    assert (cause["code"], cause["topic"], cause["since_ms"]) == ("records_wait", "syncs", first_ms)
    assert "no leader" in cause["text"]
    loop.spawn(records.flush())
    loop.run_for(1)
    later = live_cause(context)
    assert later is not None
    assert later["since_ms"] == first_ms

    topic.is_away = False
    loop.spawn(records.flush())
    loop.run_for(1)

    assert live_cause(context) is None
