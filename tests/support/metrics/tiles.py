"""Rows of the metrics store for tests of the read side; the writer's own tests make theirs with Spark."""

import json
from typing import Any

from replication.domain.reporting.histogram import Histogram
from replication.domain.reporting.metric_defs import TILE_VALUES, TileLevel, TileWidth
from srm_service.monitoring.models import (
    GAUGE_WIDTHS,
    LEVEL_WIDTHS,
    Event,
    Gap,
    GroupNow,
    PartitionNow,
    QueryStatus,
    Rollup,
    Series,
    Writer,
)


def series(source: str, target: str, topic: str = "", partition: int = -1, group: str = "") -> int:
    """The id of a series, made when missing."""
    row, _ = Series.objects.get_or_create(
        source=source,
        target=target,
        topic=topic,
        remote_topic=f"{source}.{topic}" if topic else "",
        partition=partition,
        consumer_group=group,
    )
    return row.id


def tile(series_id: int, time_ms: int, *, level: TileLevel = "flow", width: TileWidth = "10s", **changes: Any) -> None:
    """One tile: 1,000 records of 100 bytes, no latency unless `latencies_ms` says so."""
    latency = Histogram()
    for value_ms in changes.pop("latencies_ms", ()):
        latency.add(value_ms)
    age = Histogram()
    for value_ms in changes.pop("ages_ms", ()):
        age.add(value_ms)
    values: dict[str, Any] = {
        **{value.name: 0 for value in TILE_VALUES if value.kind == "sum"},
        "records": 1_000,
        "bytes": 100_000,
        "wire_bytes": 100_000,
        "lag_max": 10,
        "lag_last": 5,
        "covered_offsets": 1_000,
        **_columns("latency", latency),
        **_columns("age", age),
    }
    LEVEL_WIDTHS[(level, width)]._default_manager.create(id=series_id, time_ms=time_ms, **{**values, **changes})


def gauge(series_id: int, name: str, time_ms: int, *, count: int, low: int, high: int, total: int) -> None:
    """Readings of one name in a tile of ten seconds."""
    GAUGE_WIDTHS["10s"]._default_manager.create(
        id=series_id, name=name, time_ms=time_ms, count=count, min=low, max=high, sum=total, last=high
    )


def gap(source: str, target: str, topic: str, detected_ms: int, **changes: Any) -> None:
    """A gap of ten records."""
    values: dict[str, Any] = {
        "topic_id": "00",
        "partition": 0,
        "cause": "retention",
        "from_offset": 0,
        "to_offset": 10,
        "count": 10,
        "policy": "record_and_continue",
        **changes,
    }
    Gap.objects.create(source=source, target=target, topic=topic, detected_ms=detected_ms, **values)


def group_row(source: str, target: str, group: str, topic: str, last_ms: int, **changes: Any) -> None:
    """The newest offsets of a consumer group in partition 0 of a topic: ten records behind."""
    values = {"committed": 90, "checkpointed": 88, "log_end": 100, "latency_ms": 40, "partition": 0, **changes}
    GroupNow.objects.create(source=source, target=target, consumer_group=group, topic=topic, last_ms=last_ms, **values)


def writer(target: str, last_batch_ms: int) -> None:
    """A metrics process that wrote last at this time."""
    Writer.objects.update_or_create(
        target=target,
        defaults={
            "epoch": 1,
            "owner": "test",
            "started_ms": 0,
            "heartbeat_ms": last_batch_ms,
            "last_batch_ms": last_batch_ms,
        },
    )


def query_status(target: str, time_ms: int | None, warning: str = "", **figures: Any) -> None:
    """The last report of a target's query."""
    QueryStatus.objects.create(target=target, time_ms=time_ms, warning=warning, **figures)


def rolled(target: str, width: str, rolled_to_ms: int) -> None:
    Rollup.objects.create(target=target, width=width, rolled_to_ms=rolled_to_ms)


def now_row(series_id: int, last_ms: int, **changes: Any) -> None:
    """The newest state of a series."""
    values = {"state": "replicating", "lag": 7, "records_per_second": 50.0, "bytes_per_second": 5_000.0}
    PartitionNow.objects.create(series_id=series_id, last_ms=last_ms, **{**values, **changes})


def _columns(prefix: str, histogram: Histogram) -> dict[str, Any]:
    known = histogram.count > 0
    return {
        f"{prefix}_count": histogram.count,
        f"{prefix}_min_ms": histogram.min_ms if known else None,
        f"{prefix}_max_ms": histogram.max_ms if known else None,
        f"{prefix}_sum_ms": histogram.sum_ms,
        f"{prefix}_negative_count": 0,
        f"{prefix}_hist": json.dumps({str(bucket): count for bucket, count in histogram.buckets.items()}),
    }


def event(source: str, target: str, time_ms: int, **changes: Any) -> int:
    """The id of a new event: a slot that runs, or without `scope` the stall of a partition of the given topic."""
    topic = changes.get("topic")
    values: dict[str, Any] = {
        "scope": "slot" if topic is None else "partition",
        "partition": None if topic is None else 0,
        "from_state": None if topic is None else "caught_up",
        "to_state": "running" if topic is None else "stalled",
        "cause": None if topic is None else "not_progressing",
        "text": None if topic is None else "no record for 60 s",
        "driver": "d1",
        **changes,
    }
    task = f"{source}->{target}/source-0"
    return int(Event.objects.create(source=source, target=target, task=task, time_ms=time_ms, **values).pk)
