"""The rows of each live topic, in the order of their TypedDict's fields."""

from dataclasses import asdict
from typing import Any, get_type_hints

from srm_service.live.payloads import LiveDriverRow, LiveEventRow, LiveFlowRow, LiveTopicRow
from srm_service.monitoring.contracts import FlowNow, TopicNow
from srm_service.monitoring.drivers import DriverNow

Row = list[Any]
Rows = dict[str, Row]

FLOW_COLUMNS = list(get_type_hints(LiveFlowRow))
TOPIC_COLUMNS = list(get_type_hints(LiveTopicRow))
DRIVER_COLUMNS = list(get_type_hints(LiveDriverRow))
EVENT_COLUMNS = list(get_type_hints(LiveEventRow))


def flow_row(flow: FlowNow, time_ms: int) -> Row:
    numbers, cause = flow.numbers, flow.status.cause
    row: LiveFlowRow = {
        "key": flow.key,
        "source": flow.source,
        "target": flow.target,
        "status": flow.status.status,
        "reason": flow.status.reason,
        "cause": None
        if cause is None
        else {
            "code": cause.code,
            "text": cause.text,
            "topic": cause.topic,
            "partition": cause.partition,
            "since_ms": cause.since_ms,
        },
        "since_ms": flow.status.since_ms,
        "records_per_second": _rounded(numbers.records_per_second),
        "bytes_per_second": _rounded(numbers.bytes_per_second),
        "lag_offsets": numbers.lag_offsets,
        "latency_p50_ms": _rounded(numbers.latency_p50_ms),
        "latency_p95_ms": _rounded(numbers.latency_p95_ms),
        "latency_max_ms": _rounded(numbers.latency_max_ms),
        "topics": flow.topics,
        "partitions": flow.partitions,
        "tasks_running": flow.tasks_running,
        "tasks_total": flow.tasks_total,
        "heartbeat_age_ms": numbers.heartbeat_age_ms,
        "updated_ms": time_ms - (flow.live_age_ms or 0),
    }
    return list(row.values())


def topic_row(topic: TopicNow, time_ms: int) -> Row:
    row: LiveTopicRow = {
        "key": topic.topic,
        "records_per_second": _rounded(topic.records_per_second),
        "bytes_per_second": _rounded(topic.bytes_per_second),
        "lag_offsets": topic.lag_offsets,
        "partitions": topic.partitions,
        "updated_ms": topic.updated_ms or time_ms,
    }
    return list(row.values())


def driver_row(driver: DriverNow) -> Row:
    fields = {"key": driver.key, **asdict(driver), "targets": list(driver.targets)}
    return [fields[column] for column in DRIVER_COLUMNS]


def event_row(before: FlowNow, after: FlowNow, time_ms: int) -> Row:
    """A change of status."""
    row: LiveEventRow = {
        "key": f"{after.key}@{time_ms}",
        "time_ms": time_ms,
        "kind": "status",
        "source": after.source,
        "target": after.target,
        "before": before.status.status,
        "after": after.status.status,
        "reason": after.status.reason,
    }
    return list(row.values())


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
