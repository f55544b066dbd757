"""Builders of the summaries that checkpoint tasks keep in Redis; a test says only what it is about."""

from typing import Any

import redis

from replication.domain.groups.group_summary import (
    SUMMARY_LIFE_MS,
    GroupCause,
    GroupsSummary,
    GroupSummary,
    IfSourceGone,
    SkippedGroup,
    SyncTimes,
    summary_to_bytes,
)

COPY_BEHIND = GroupCause(
    code="copy_behind",
    text="orders-1: 12 records that the group has read are not copied yet",
    remedy="wait until the flow has caught up",
    topic="orders",
    partition=1,
    readiness="approximate",
)
ACTIVE = GroupCause(
    code="active_on_target",
    text="the group has 2 members on eu-central",
    remedy="stop the members on eu-central",
)


def group(name: str, **changes: Any) -> GroupSummary:
    """Return a ready group with two partitions."""
    values: dict[str, Any] = {
        "group": name,
        "type": "classic",
        "state": "active",
        "readiness": "ready",
        "partitions": 2,
        "exact": 2,
        "bounded": 0,
        "impossible": 0,
        "uncommitted": 0,
        "members": 3,
        "target_state": "empty",
        "target_members": 0,
        "lag": 40,
        "rereads": 0,
        "reread_bytes": 0,
        "reread_ms": 0,
        "checkpoint_ms": 1_700_000_000_000,
        "synced_ms": 1_700_000_000_000,
        "synced": "written",
        "if_source_gone": IfSourceGone(readiness="ready", rereads=0),
    }
    return GroupSummary(**{**values, **changes})


def summary(
    source: str, target: str, now_ms: int, *groups: GroupSummary, slot: int = 0, **changes: Any
) -> GroupsSummary:
    """Return a summary; of three groups, one of each readiness, unless groups are given."""
    values: dict[str, Any] = {
        "task": f"{source}/checkpoint/{slot}",
        "driver": "driver-1",
        "boot": "boot-1",
        "generation": 1,
        "round_ms": now_ms - 1_000,
        "took_ms": 20,
        "interval_ms": 5_000,
        "requests": 4,
        "sent_ms": now_ms,
        "sync": SyncTimes(enabled=True, interval_ms=5_000, effective_interval_ms=5_000, last_ms=now_ms - 2_000),
        "groups": groups or three_groups(),
        "skipped": (SkippedGroup(group="shares", reason="share groups have no offsets to translate"),),
    }
    return GroupsSummary(**{**values, **changes})


def three_groups() -> tuple[GroupSummary, ...]:
    """Return a ready, an approximate and a blocked group."""
    return (
        group("billing"),
        group("payments", readiness="approximate", exact=1, bounded=1, rereads=12, causes=(COPY_BEHIND,), lag=80),
        group("zahlung/größe 1", readiness="blocked", causes=(ACTIVE, COPY_BEHIND), lag=None, rereads=None),
    )


def publish(client: redis.Redis, source: str, target: str, found: GroupsSummary, slot: int = 0) -> None:
    """Write a summary as a checkpoint task does."""
    client.set(f"srm:groups:{target}:{source}:{slot}", summary_to_bytes(found), px=SUMMARY_LIFE_MS)
