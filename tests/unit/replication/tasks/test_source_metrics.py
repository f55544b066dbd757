"""What a source task says of itself beside its counts; the counts themselves are proven on brokers."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any, cast

from replication.domain.errors import Cause
from replication.domain.identifiers import FlowId, TaskId
from replication.tasks.slot_context import SlotContext
from replication.tasks.source_metrics import SourceMetrics

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
    values = {
        "copies": {},
        "cause": None,
        "refused_total": 0,
        "unreported_gaps": [],
        "unreported_refused": [],
        **changes,
    }
    return SimpleNamespace(
        spec=spec, loop=loop, ports=SimpleNamespace(records=appended), driver="d", boot="boot", stopping=False, **values
    )


def written(of: SimpleNamespace, act: Any) -> list[dict[str, Any]]:
    """What the task writes after `act`."""
    metrics = SourceMetrics(cast("SlotContext", of))
    act(metrics)
    asyncio.run(metrics.flush())
    records: list[dict[str, Any]] = of.ports.records.records
    return records


def test_a_slot_tells_of_its_end_with_the_cause() -> None:
    cause = Cause(code="fenced", text="another driver has the slot", topic=None, partition=None, since_ms=NOW_MS)

    (record,) = written(context(Appended(), cause=cause), lambda metrics: metrics.slot_event("failed"))

    assert record["kind"] == "event"
    assert record["events"] == [[NOW_MS, "slot", None, None, None, "failed", "fenced", "another driver has the slot"]]


def test_counters_are_told_once_as_what_they_grew_by() -> None:
    of = context(Appended(), refused_total=3)

    def act(metrics: SourceMetrics) -> None:
        metrics.close_period()
        metrics.close_period()
        of.refused_total = 5
        metrics.close_period()

    first, second = written(of, act)

    assert (first["counters"], second["counters"]) == ({"refused_records": 3}, {"refused_records": 2})
    assert first["parts"] == []
    assert first["seq"] < second["seq"]
