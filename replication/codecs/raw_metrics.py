"""Encodes raw metric records of the kinds `task`, `event`, `gap` (docs/contracts/raw-metrics.md)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from replication.codecs.gap_records import gap_fields
from replication.domain.offsets.gap import Gap
from replication.domain.reporting.histogram import Histogram

VERSION = 1


def encode_task(
    envelope: Mapping[str, Any],
    topics: Sequence[tuple[str, str, bytes]],
    parts: Sequence[Sequence[Any]],
    counters: Mapping[str, int],
) -> bytes:
    """`topics` are (upstream, downstream, topic id); `parts` follow the contract's order."""
    document = {
        "v": VERSION,
        "kind": "task",
        **envelope,
        "topics": [[upstream, downstream, topic_id.hex()] for upstream, downstream, topic_id in topics],
        "parts": list(parts),
    }
    if counters:
        document["counters"] = dict(counters)
    return json.dumps(document, separators=(",", ":")).encode()


def encode_event(envelope: Mapping[str, Any], events: Sequence[Sequence[Any]]) -> bytes:
    """Changes of state: `[time_ms, scope, topic, partition, from, to, cause code, text]` each."""
    return json.dumps({"v": VERSION, "kind": "event", **envelope, "events": events}, separators=(",", ":")).encode()


def encode_gap_metric(envelope: Mapping[str, Any], gap: Gap) -> bytes:
    """A gap as a raw metric, so that it reaches the metrics store."""
    return json.dumps({"v": VERSION, "kind": "gap", **envelope, **gap_fields(gap)}, separators=(",", ":")).encode()


def histogram_or_none(histogram: Histogram) -> list[Any] | None:
    """The wire form, None when nothing at all was counted."""
    return histogram.to_list() if histogram.count or histogram.negative_count else None
