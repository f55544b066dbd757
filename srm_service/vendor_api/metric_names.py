"""Names of metrics in the paths: ours, and those of the original, which MirrorMaker 2 has too."""

from replication.domain.reporting.metric_defs import METRICS, Metric

VENDOR_NAMES = {
    "byte-rate": "bytes_per_second",
    "record-rate": "records_per_second",
    "record-age-ms": "record_age_ms",
    "replication-latency-ms": "replication_latency_ms",
    "checkpoint-latency-ms": "checkpoint_latency_ms",
    "replication-records-lag": "lag_offsets",
}


def metric_named(name: str) -> Metric | None:
    """Return the metric of either name; None if there is none."""
    return METRICS.get(VENDOR_NAMES.get(name, name))


def known_names() -> list[str]:
    """Return all names, those of the original first."""
    return [*VENDOR_NAMES, *METRICS]
