"""The fields of a raw metric other than its counts; the counts are proven on brokers."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any, cast

from replication.domain.errors import Cause
from replication.domain.identifiers import FlowId, TaskId
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.rejected_records.rejected_log import RejectedLog
from replication.tasks.reporting.slot_metrics import SlotMetrics
from replication.tasks.slot_context import SlotContext

NOW_MS = 1_790_000_000_000


class Appended:
    """Takes what is written to the raw metrics topic."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    async def append(self, _topic: str, records: list[Any]) -> None:
        self.records += [json.loads(record.value) for record in records]


def context(appended: Appended, **changes: Any) -> SimpleNamespace:
    spec = SimpleNamespace(flow=FlowId("a", "b"), task_id=TaskId("a", "source", 0), generation=1)
    loop = SimpleNamespace(now_ms=lambda: NOW_MS)
    ports, roster = SimpleNamespace(loop=loop, records=appended), SimpleNamespace(copies={})
    values = {"cause": None, "note_written": lambda topic: None, **changes}
    return SimpleNamespace(spec=spec, ports=ports, roster=roster, driver="d", boot="boot", stopping=False, **values)


def written(of: SimpleNamespace, act: Any, rejected_log: RejectedLog | None = None) -> list[dict[str, Any]]:
    """Return the records that the task writes after `act`."""
    metrics = SlotMetrics(cast("SlotContext", of), GapLog(), rejected_log or RejectedLog())
    act(metrics)
    asyncio.run(metrics.flush())
    records: list[dict[str, Any]] = of.ports.records.records
    return records


def test_a_slot_tells_of_its_end_with_the_cause() -> None:
    cause = Cause(code="fenced", text="another driver has the slot", topic=None, partition=None, since_ms=NOW_MS)

    (record,) = written(context(Appended(), end_cause=cause), lambda metrics: metrics.slot_event("failed"))

    assert record["kind"] == "event"
    assert record["events"] == [[NOW_MS, "slot", None, None, None, "failed", "fenced", "Another driver has the slot."]]


def test_counters_are_told_once_as_what_they_grew_by() -> None:
    rejected_log = RejectedLog()
    rejected_log.total = 3

    def act(metrics: SlotMetrics) -> None:
        metrics.close_period()
        metrics.close_period()
        rejected_log.total = 5
        metrics.close_period()

    first, second = written(context(Appended()), act, rejected_log)

    assert (first["counters"], second["counters"]) == ({"refused_records": 3}, {"refused_records": 2})
    assert first["parts"] == []
    assert first["seq"] < second["seq"]
