"""Decides since when a flow has its status.

Tasks know since when they run and since when something is in their way, but not what the status was before: tasks that
survive an outage are older than its end. So the service remembers the last status of each flow and its beginning.
"""

from dataclasses import dataclass

from replication.domain.health.flow_facts import FlowStatus

BELIEVED_MS = 60_000  # what was noted longer ago may have changed unseen


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedStatus:
    """The last status of a flow that was noted, its beginning, and when it was noted."""

    status: str
    since_ms: int | None
    noted_ms: int


def status_since_ms(now: FlowStatus, noted: NotedStatus | None, now_ms: int) -> int | None:
    """Return when the flow went into its status; None if nothing tells.

    A new status begins with what the reports name as its beginning, such as the start of an outage. If the status
    before was seen later than that, it begins now.
    """
    if noted is None or now_ms - noted.noted_ms > BELIEVED_MS:
        return now.since_ms
    if noted.status == now.status:
        return now.since_ms if noted.since_ms is None else noted.since_ms
    if now.since_ms is None or now.since_ms <= noted.noted_ms:
        return now_ms
    return min(now.since_ms, now_ms)
