"""The rows of each live topic, in the order of their TypedDict's fields."""

from dataclasses import asdict
from typing import Any, get_type_hints

from srm_service.live.payloads import EventKind, LiveDriverRow, LiveEventRow, LiveNamedTopicRow, LiveTopicRow
from srm_service.monitoring.contracts import FlowNow, TopicNow
from srm_service.monitoring.drivers import DriverNow
from srm_service.monitoring.events import EventDto
from srm_service.monitoring.flow_columns import LIVE_COLUMNS

Row = list[Any]
Rows = dict[str, Row]

FLOW_COLUMNS = [*(column.name for column in LIVE_COLUMNS), "updated_ms"]
TOPIC_COLUMNS = list(get_type_hints(LiveTopicRow))
NAMED_TOPIC_COLUMNS = list(get_type_hints(LiveNamedTopicRow))
DRIVER_COLUMNS = list(get_type_hints(LiveDriverRow))
EVENT_COLUMNS = list(get_type_hints(LiveEventRow))


def flow_row(flow: FlowNow, time_ms: int) -> Row:
    """The columns of topic `flows`; rates and latencies are rounded, so that noise makes no row a changed one."""
    return [*(_shown(column.value(flow)) for column in LIVE_COLUMNS), time_ms - (flow.live_age_ms or 0)]


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


def named_topic_row(topic: TopicNow) -> Row:
    row: LiveNamedTopicRow = {
        "key": topic.topic,
        "remote_topic": topic.remote_topic,
        "state": topic.state,
        "records_per_second": _rounded(topic.records_per_second),
        "bytes_per_second": _rounded(topic.bytes_per_second),
        "lag_offsets": topic.lag_offsets,
        "latency_p50_ms": _rounded(topic.latency_p50_ms),
        "latency_p95_ms": _rounded(topic.latency_p95_ms),
        "latency_max_ms": _rounded(topic.latency_max_ms),
        "partitions": topic.partitions,
        "updated_ms": topic.updated_ms,
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
        "topic": None,
        "partition": None,
    }
    return list(row.values())


def stored_event_row(event: EventDto) -> Row:
    """An event that a driver reported."""
    kinds: dict[str, EventKind] = {"slot": "slot", "partition": "partition", "record": "record"}
    row: LiveEventRow = {
        "key": f"event {event.id}",
        "time_ms": event.time_ms,
        "kind": kinds.get(event.scope, "slot"),
        "source": event.source,
        "target": event.target,
        "before": event.from_state,
        "after": event.to_state,
        "reason": event.text or event.cause or "",
        "topic": event.topic,
        "partition": event.partition,
    }
    return list(row.values())


def _shown(value: Any) -> Any:
    return _rounded(value) if isinstance(value, float) else value


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
