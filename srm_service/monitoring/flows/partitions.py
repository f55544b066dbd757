"""The partitions of a topic of a flow: as the drivers reported them last, and the slots that the plan gives them."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from replication.domain.health.partition_state import PartitionState, known_state
from replication.domain.identifiers import FlowId
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.flows.topics import NOW_MS
from srm_service.monitoring.models import PartitionNow, Series


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionReport:
    """The newest report of a partition. State, lag and rates are null once it is older than three minutes."""

    partition: int
    remote_topic: str
    state: PartitionState | None
    cause: Annotated[str | None, "code of the reason for the state; null: none is needed"]
    slot: Annotated[int | None, "slot that copies it; null: the plan has none for it, or is unknown"]
    driver: Annotated[str | None, "id of the process that runs the slot; null: none reports it"]
    source_start: Annotated[int | None, "start of the source partition at the report"]
    copied_to: Annotated[int | None, "next source offset to copy"]
    source_end: Annotated[int | None, "end of the source partition at the report"]
    target_end: Annotated[int | None, "end of the remote partition at the report"]
    lag_offsets: int | None
    lag_ms: Annotated[int | None, "age of the last copied record; 0 if there is no lag"]
    last_record_ms: Annotated[int | None, "timestamp of the last copied record, in ms since the epoch"]
    records_per_second: float | None
    bytes_per_second: float | None
    updated_ms: Annotated[int | None, "time of the report, in ms since the epoch; null: none yet"]


@dataclass(frozen=True, slots=True)
class PlannedSlot:
    """The slot of a partition, the driver of the slot, and the name of the copy."""

    remote_topic: str = ""
    slot: int | None = None
    driver: str | None = None


def partitions_now(
    flow: FlowId, topic: str, live: LiveSnapshot, now_ms: int, *, numbers: Collection[int] | None = None
) -> list[PartitionReport]:
    """Return the partitions of a topic, all or some, by number. Raises DatabaseError.

    A topic that was copied under several names has one row per partition: that of its newest report. Partitions of the
    plan without a report have a row, too.
    """
    return partitions_of_flow(flow, live, now_ms, topic=topic, numbers=numbers).get(topic, [])


def partitions_of_flow(
    flow: FlowId, live: LiveSnapshot, now_ms: int, *, topic: str = "", numbers: Collection[int] | None = None
) -> dict[str, list[PartitionReport]]:
    """Return the partitions of all topics of a flow, or of one, by name and number. Raises DatabaseError."""
    found: dict[str, dict[int, PartitionReport]] = {}
    places, wanted = planned_places(flow, live, topic), None if numbers is None else frozenset(numbers)
    for (name, number), place in places.items():
        if wanted is None or number in wanted:
            found.setdefault(name, {})[number] = _report(number, place.remote_topic, None, place, now_ms)
    series = Series.objects.filter(source=flow.source, target=flow.target, partition__gte=0)
    rows = series.filter(topic=topic) if topic else series.exclude(topic="")
    rows = rows if numbers is None else rows.filter(partition__in=numbers)
    reports = {row.series_id: row for row in PartitionNow.objects.filter(series_id__in=rows.values("id"))}
    for row in rows:
        place = places.get((row.topic, row.partition), PlannedSlot())
        report = _report(row.partition, row.remote_topic, reports.get(row.id), place, now_ms)
        newest = found.setdefault(row.topic, {})
        known = newest.get(row.partition)
        if known is None or (report.updated_ms or 0) > (known.updated_ms or 0):
            newest[row.partition] = report
    return {name: [newest[number] for number in sorted(newest)] for name, newest in sorted(found.items())}


def planned_places(flow: FlowId, live: LiveSnapshot, topic: str) -> dict[tuple[str, int], PlannedSlot]:
    """Return the place of each partition of the plan, or of its topic of this name; none without a plan."""
    plan = live.plans.get(flow, {})
    topics = {
        index: each for index, each in enumerate(plan.get("topics") or ()) if topic in ("", str(each.get("upstream")))
    }
    if not topics:
        return {}
    drivers = {
        int(slot): task.driver or None
        for task in live.of(flow, "source")
        if (slot := task.number("slot")) is not None and task.state != "unassigned"
    }
    return {
        (str(topics[index].get("upstream")), number): PlannedSlot(
            str(topics[index].get("remote")), slot, drivers.get(slot)
        )
        for index, number, slot in _slots(plan)
        if index in topics
    }


def _slots(plan: Mapping[str, Any]) -> Iterator[tuple[int, int, int]]:
    """Yield the topic's index, the number and the slot of each partition of a plan."""
    slots = plan.get("slots")
    for slot, pairs in enumerate(slots if isinstance(slots, list) else ()):
        for pair in pairs:
            if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], int) and isinstance(pair[1], int):
                yield pair[0], pair[1], slot


def _report(
    partition: int, remote_topic: str, now: PartitionNow | None, place: PlannedSlot, now_ms: int
) -> PartitionReport:
    fresh = now if now is not None and now_ms - now.last_ms <= NOW_MS else None
    return PartitionReport(
        partition=partition,
        remote_topic=remote_topic,
        state=known_state(fresh.state) if fresh else None,
        cause=fresh.cause if fresh else None,
        slot=place.slot,
        driver=place.driver,
        source_start=now.log_start if now else None,
        copied_to=now.covered_to if now else None,
        source_end=now.log_end if now else None,
        target_end=now.downstream_end if now else None,
        lag_offsets=fresh.lag if fresh else None,
        lag_ms=_lag_ms(fresh, now_ms) if fresh else None,
        last_record_ms=now.last_record_ms if now else None,
        records_per_second=fresh.records_per_second if fresh else None,
        bytes_per_second=fresh.bytes_per_second if fresh else None,
        updated_ms=now.last_ms if now else None,
    )


def _lag_ms(report: PartitionNow, now_ms: int) -> int | None:
    """Return how old the newest record of the copy is while others wait; None if one of both is unknown."""
    if report.lag is None:
        return None
    if report.lag == 0:
        return 0
    return None if report.last_record_ms is None else max(0, now_ms - report.last_record_ms)
