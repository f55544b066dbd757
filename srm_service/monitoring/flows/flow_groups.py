"""The consumer groups of a flow in numbers, from the live reports of its checkpoint tasks."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from replication.domain.groups.group_summary import GroupCounts
from srm_service.monitoring.flows.live_state import LiveTask


def counted_groups(tasks: Sequence[LiveTask], planned: int) -> GroupCounts | None:
    """Return the groups of all checkpoint tasks by readiness; None unless each of the planned ones reports a round.

    The groups of a silent task are not gone: without them the numbers would fall and rise with every report.
    """
    found = [counts for task in tasks if isinstance(counts := task.fields.get("groups"), dict)]
    if not found or len(found) < max(len(tasks), planned):
        return None
    return GroupCounts(
        **{each.name: sum(int(counts.get(each.name, 0)) for counts in found) for each in fields(GroupCounts)}
    )


def group_numbers(tasks: Sequence[LiveTask], planned: int, at_ms: int) -> dict[str, Any]:
    """Return the live numbers of groups: the lags added up, and the age of the oldest of the last rounds.

    The lag is unknown while a planned task is silent; one that knows the lag of no group has none to add.
    """
    lags = [lag for task in tasks if (lag := task.number("group_lag")) is not None]
    is_whole = len(tasks) >= planned
    rounds = [began for task in tasks if (began := task.number("last_round_ms")) is not None]
    return {
        "group_lag_offsets": int(sum(lags)) if lags and is_whole else None,
        "group_round_age_ms": max(0, at_ms - int(min(rounds))) if rounds else None,
    }
