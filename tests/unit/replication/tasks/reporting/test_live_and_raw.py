"""The live rate and lag of a task are those of its raw metrics."""

import json
from collections.abc import Sequence
from typing import Any

from replication.ports.produce.record_appender import OutgoingRecord
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.reporting.live_document import RATE_SECONDS
from replication.tasks.reporting.slot_metrics import SlotMetrics
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_live_document import a_live_document
from tests.unit.replication.tasks.a_slot import a_context, a_copy

RECORDS = (60, 0, 240)  # that each partition copies in the first second, and more in each later one
LAGS = (0, 500, 40)


class RawTopic:
    """Keeps the parts of each record that is written to the raw metrics topic."""

    def __init__(self) -> None:
        self.periods: list[list[list[Any]]] = []

    async def append(self, _topic: str, records: Sequence[OutgoingRecord]) -> None:
        self.periods += [json.loads(record.value or b"")["parts"] for record in records]


def test_the_live_rate_and_lag_of_a_task_are_those_of_its_raw_metrics() -> None:
    loop, raw = VirtualLoop(), RawTopic()
    context = a_context(loop, {"records": raw})
    copies = [a_copy(context, "orders", partition) for partition in range(len(RECORDS))]
    live, metrics = a_live_document(context)
    live.refresh()

    for second in range(2 * RATE_SECONDS):
        loop.run_for(1.0)
        for copy, records, lag in zip(copies, RECORDS, LAGS, strict=True):
            _copy(copy, records * (second + 1), metrics, loop.now_ms())
            copy.cursor.note_ends(0, copy.progress.next_offset + lag, copy.progress.next_offset + lag)
        live.refresh()
        metrics.close_period()
    loop.spawn(metrics.flush())
    loop.run_for(0.1)

    parts = [part for period in raw.periods for part in period]
    recent = [part for period in raw.periods[-RATE_SECONDS:] for part in period]
    newest = {part[1]: part for part in parts}
    document = live.document
    assert document["records_total"] == sum(part[9] for part in parts) > 0
    assert document["records_per_second"] == sum(part[9] for part in recent) / RATE_SECONDS
    assert document["bytes_per_second"] == sum(part[10] for part in recent) / RATE_SECONDS
    assert document["lag_offsets"] == sum(part[7] - part[5] for part in newest.values()) == sum(LAGS)


def _copy(copy: PartitionCopy, records: int, metrics: SlotMetrics, now_ms: int) -> None:
    """The target acknowledges so many records."""
    if records:
        first = copy.progress.next_offset
        entry = Entry(first, first + records, 1, records=records, source_bytes=100 * records, max_timestamp=now_ms)
        copy.progress.advance(entry)
        copy.counters.count(entry, now_ms, metrics.second_latency)


def test_the_lag_of_a_source_that_fails_is_unknown_live_and_in_raw_metrics() -> None:
    loop, raw = VirtualLoop(), RawTopic()
    context = a_context(loop, {"records": raw})
    copy = a_copy(context, "orders", 0)
    live, metrics = a_live_document(context)
    copy.cursor.note_ends(0, 5, 5)
    metrics.close_period()

    copy.cursor.lose_end()
    live.refresh()
    metrics.close_period()
    loop.spawn(metrics.flush())
    loop.run_for(0.1)

    assert (live.document["lag_offsets"], live.document["topic_rates"][0][3]) == (None, None)
    assert [part[7] for period in raw.periods for part in period] == [5, None]
