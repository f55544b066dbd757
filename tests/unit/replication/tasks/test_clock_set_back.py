"""A clock that is set back by a quarter of an hour changes no duration."""

from typing import Any

import pytest

from replication.codecs.mm2_records import decode_offset_sync
from replication.tasks.control.orders import Orders
from replication.tasks.fetch.open_transactions import OpenTransactions
from replication.tasks.offsets.gap_handler import GapHandler
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.offsets.offset_records import OffsetRecords
from replication.tasks.partition.entry import Entry
from replication.tasks.produce.sender import Sender
from replication.tasks.rejected_records.rejected_log import RejectedLog
from replication.tasks.reporting.gauge import SlotGauge
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import a_context, a_copy
from tests.unit.replication.tasks.noted_events import NotedEvents

QUARTER_S = 900


class Written:
    def __init__(self) -> None:
        self.records: list[Any] = []

    async def append(self, _topic: str, records: list[Any]) -> int:
        self.records += records
        return 0


def acknowledged(first: int, downstream: int) -> Entry:
    entry = Entry(first, first + 1, 0, records=1, runs=((first, 0, 1),))
    entry.acknowledge(downstream)
    return entry


def test_a_quota_ends_as_without_the_change() -> None:
    loop = VirtualLoop()
    context = a_context(loop, {})
    a_copy(context, "t", position=0)
    gauge = SlotGauge(context)
    sender = Sender(context, NotedEvents(), gauge, RejectedLog())
    sender._handle_answers([], [], None, 500)
    assert context.pace.cause is not None
    loop.set_clock_back(QUARTER_S)
    loop.run_for(5)

    loop.spawn(Orders(context, NotedEvents(), GapHandler(context, GapLog())).apply())
    loop.run_for(0.1)

    assert context.pace.cause is None


def test_runs_and_syncs_of_quiet_partitions_are_still_written() -> None:
    loop, runs, syncs = VirtualLoop(), Written(), Written()
    context = a_context(loop, {"records": runs, "syncs": syncs})
    copy = a_copy(context, "t", position=0)
    records = OffsetRecords(context, GapLog())
    loop.spawn(records.run())
    for number in range(3):
        records.collect(copy, acknowledged(number, 100 + number))
    loop.set_clock_back(QUARTER_S)
    loop.run_for(80)

    assert len(runs.records) == 1
    assert decode_offset_sync(syncs.records[-1].key, syncs.records[-1].value).upstream_offset == 2


def test_an_open_transaction_is_still_named(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = VirtualLoop()
    context = a_context(loop, {"source": Source()}, isolation_level="read_committed")
    copy = a_copy(context, "t", position=5)
    copy.cursor.note_ends(0, 5, 10)
    loop.spawn(OpenTransactions(context).run())
    loop.run_for(10)
    loop.set_clock_back(QUARTER_S)
    loop.run_for(120)

    cause = copy.obstructions.of("source")
    assert cause is not None
    assert "producer id 7" in cause.text


class Source:
    async def open_producer(self, _partition: object, _offset: int) -> int:
        return 7
