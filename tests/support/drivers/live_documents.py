"""Builders of the documents that drivers keep in Redis; a test says only what it is about."""

import json
from typing import Any

from replication.domain.reporting.histogram import Histogram


def histogram(*values_ms: int) -> list[Any]:
    """The wire form of a latency histogram with one record per value."""
    latency = Histogram()
    for value_ms in values_ms:
        latency.add(value_ms)
    return latency.to_list()


def source_task(source: str, target: str, now_ms: int, slot: int = 0, **changes: Any) -> tuple[str, str]:
    """Key and value of a running source task that copies 100 records/s."""
    fields = {
        **_common(source, target, now_ms, "source", slot),
        "slot": slot,
        "plan_version": 1,
        "topics": 2,
        "partitions": 4,
        "states": {"replicating": 3, "caught_up": 1},
        "records_per_second": 100.0,
        "bytes_per_second": 20_000.0,
        "wire_bytes_per_second": 20_000.0,
        "lag_offsets": 40,
        "records_total": 10_000,
        "bytes_total": 2_000_000,
        "latency": histogram(5, 6, 7, 8, 40),
        "open_gaps": 0,
        "committed_ms": now_ms,
        "topic_rates": [["orders", 80.0, 16_000.0, 30, 3], ["payments", 20.0, 4_000.0, 10, 1]],
    }
    return f"srm:live:{target}:{fields['task']}", json.dumps({**fields, **changes})


def plan_task(source: str, target: str, now_ms: int, **changes: Any) -> tuple[str, str]:
    """Key and value of a connector that has planned two topics."""
    fields = {
        **_common(source, target, now_ms, "plan", 0),
        "topics": 2,
        "partitions": 4,
        "plan_generation": 1,
        "plan_version": 1,
        "tasks_max": 1,
        "last_run_ms": now_ms,
        "warnings": [],
        "skipped": 0,
        "source_reachable": True,
        "target_reachable": True,
    }
    return f"srm:live:{target}:{fields['task']}", json.dumps({**fields, **changes})


def heartbeat_task(source: str, target: str, now_ms: int, **changes: Any) -> tuple[str, str]:
    """Key and value of a heartbeat task whose newest heartbeat came through 900 ms ago."""
    fields = {**_common(source, target, now_ms, "heartbeat", 0), "last_sent_ms": now_ms, "age_ms": 900}
    return f"srm:live:{target}:{fields['task']}", json.dumps({**fields, **changes})


def checkpoint_task(source: str, target: str, now_ms: int, slot: int = 0, **changes: Any) -> tuple[str, str]:
    """Key and value of a checkpoint task that has translated three groups."""
    fields = {
        **_common(source, target, now_ms, "checkpoint", slot),
        "groups": {"total": 3, "ready": 1, "approximate": 1, "blocked": 1},
        "group_lag": 120,
        "checkpoint_age_ms": 4_000,
        "last_round_ms": now_ms - 1_000,
    }
    return f"srm:live:{target}:{fields['task']}", json.dumps({**fields, **changes})


def plan_document(source: str, target: str, now_ms: int, slots: int = 1) -> tuple[str, str]:
    """Key and value of a plan of two topics."""
    topic = {"topic_id": "0" * 32, "max_message_bytes": 1_048_588, "timestamp_type": "CreateTime"}
    document = {
        "v": 1,
        "target": target,
        "source": source,
        "generation": 1,
        "version": 1,
        "desired_revision": 1,
        "planned_ms": now_ms,
        "tasks_max": slots,
        "topics": [
            {**topic, "upstream": "orders", "remote": f"{source}.orders", "partitions": 3},
            {**topic, "upstream": "payments", "remote": f"{source}.payments", "partitions": 1},
        ],
        "slots": [[[0, 0], [0, 1], [0, 2], [1, 0]], *([] for _ in range(slots - 1))],
        "skipped": [],
        "warnings": [],
    }
    return f"srm:plan:{target}:{source}", json.dumps(document)


def driver(identity: str, role: str, now_ms: int, **changes: Any) -> tuple[str, str]:
    """Key and value of a driver process."""
    fields = {
        "v": 1,
        "id": identity,
        "boot": "boot-1",
        "host": "host-1",
        "pid": 4711,
        "version": "0.1.0",
        "role": role,
        "targets": ["eu-central"],
        "labels": {},
        "capacity": 1,
        "drain": False,
        "started_ms": now_ms - 60_000,
        "sent_ms": now_ms,
        "cpu_ratio": 0.1,
        "rss_bytes": 100_000_000,
    }
    return f"srm:driver:{identity}:{role}", json.dumps({**fields, **changes})


def _common(source: str, target: str, now_ms: int, kind: str, slot: int) -> dict[str, Any]:
    return {
        "v": 1,
        "task": f"{source}/{kind}/{slot}",
        "kind": kind,
        "source": source,
        "target": target,
        "driver": "driver-1",
        "boot": "boot-1",
        "generation": 1,
        "state": "running",
        "cause": None,
        "since_ms": now_ms - 20_000,
        "sent_ms": now_ms,
        "applied_revision": 1,
        "rejected": [],
        "done_resets": [],
    }
