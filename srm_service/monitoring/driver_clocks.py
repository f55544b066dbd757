"""The wall clocks of driver processes: how far each is ahead of ours, and the times of their reports by ours.

A membership is written each second for ten seconds, so its remaining life tells when it was written.
"""

from collections.abc import Mapping
from typing import Any

from replication.domain.assignment.lease import MEMBER_MS
from srm_service.core.clock import by_our_clock

_TIMES = (
    "since_ms",
    "sent_ms",
    "started_ms",
    "returning_until_ms",
    "measured_ms",
    "committed_ms",
    "last_sent_ms",
    "written_ms",
    "last_run_ms",
    "last_round_ms",
    "at_ms",
)
_WITH_TIMES = ("cause", "last_error", "moved", "groups_problem")  # objects


def ahead_ms(document: Mapping[str, Any], remaining_ms: int, now_ms: int) -> int:
    """Return how far the clock of a process is ahead, by its membership; 0 if that does not tell."""
    sent_ms = document.get("sent_ms")
    if not isinstance(sent_ms, int) or document.get("leaving") or not 0 < remaining_ms <= MEMBER_MS:
        return 0
    return sent_ms - (now_ms - (MEMBER_MS - remaining_ms))


def with_our_times(document: Mapping[str, Any], clock_ahead_ms: int) -> dict[str, Any]:
    """Return a report with its times by our clock."""
    shifted = {
        name: by_our_clock(value, clock_ahead_ms) if name in _TIMES and isinstance(value, int) else value
        for name, value in document.items()
    }
    for name in _WITH_TIMES:
        if isinstance(value := shifted.get(name), Mapping):
            shifted[name] = with_our_times(value, clock_ahead_ms)
    return shifted
