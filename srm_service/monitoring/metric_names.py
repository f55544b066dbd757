"""The closed list of metrics and their units (docs/contracts.md section 10)."""

from typing import Literal

MetricName = Literal[
    "records_per_second",
    "bytes_per_second",
    "wire_bytes_per_second",
    "lag_offsets",
    "lag_ms",
    "replication_latency_ms",
    "record_age_ms",
    "checkpoint_latency_ms",
    "heartbeat_age_ms",
    "throttled_ratio",
    "gaps",
    "duplicates",
]

METRIC_UNITS: dict[MetricName, str] = {
    "records_per_second": "records/s",
    "bytes_per_second": "bytes/s",
    "wire_bytes_per_second": "bytes/s",
    "lag_offsets": "offsets",
    "lag_ms": "ms",
    "replication_latency_ms": "ms",
    "record_age_ms": "ms",
    "checkpoint_latency_ms": "ms",
    "heartbeat_age_ms": "ms",
    "throttled_ratio": "ratio",
    "gaps": "gaps",
    "duplicates": "records",
}
METRIC_NAMES: tuple[MetricName, ...] = tuple(METRIC_UNITS)

# Metrics the tiles can answer; the others are known at this moment only, or not measured yet.
TILE_METRICS: tuple[MetricName, ...] = (
    "records_per_second",
    "bytes_per_second",
    "wire_bytes_per_second",
    "lag_offsets",
    "lag_ms",
    "replication_latency_ms",
    "record_age_ms",
    "throttled_ratio",
    "duplicates",
)
