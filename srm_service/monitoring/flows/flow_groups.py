"""The consumer groups of a flow in numbers, from the live reports of its checkpoint tasks."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from replication.domain.groups.group_summary import GroupCounts
from srm_service.monitoring.flows.live_state import LiveTask


def counted_groups(tasks: Sequence[LiveTask]) -> GroupCounts | None:
    """Return the groups of all checkpoint tasks by readiness; None without a report of a round."""
    found = [counts for task in tasks if isinstance(counts := task.fields.get("groups"), dict)]
    if not found:
        return None
    return GroupCounts(
        **{each.name: sum(int(counts.get(each.name, 0)) for counts in found) for each in fields(GroupCounts)}
    )


def group_numbers(tasks: Sequence[LiveTask], at_ms: int) -> dict[str, Any]:
    """Return the live numbers of groups: the lags added up, and the age of the oldest of the last rounds."""
    lags = [lag for task in tasks if (lag := task.number("group_lag")) is not None]
    rounds = [began for task in tasks if (began := task.number("last_round_ms")) is not None]
    return {
        "group_lag_offsets": int(sum(lags)) if lags else None,
        "group_round_age_ms": max(0, at_ms - int(min(rounds))) if rounds else None,
    }
