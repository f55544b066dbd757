"""Flows with differences found by audits, as causes of their status.

Cached for 15 seconds per process: the status is read every second, audits end rarely.
"""

import threading
import time
from collections.abc import Mapping

from replication.domain.health.flow_facts import AUDIT_DIFFERENCE, StatusCause
from replication.domain.identifiers import FlowId
from srm_service.audits.audit_state import AuditStanding, audit_state, flows_with_differences
from srm_service.monitoring.flows.live_state import LiveSnapshot

_KEEP_S = 15.0


class _Cache:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._causes: Mapping[FlowId, StatusCause] | None = None
        self._read_at_s = 0.0

    def get(self, live: LiveSnapshot) -> Mapping[FlowId, StatusCause]:
        with self._lock:
            if self._causes is None or time.monotonic() - self._read_at_s > _KEEP_S:
                self._causes = _read(live)
                self._read_at_s = time.monotonic()
            return self._causes

    def forget(self) -> None:
        with self._lock:
            self._causes = None


_cache = _Cache()


def open_differences(live: LiveSnapshot) -> Mapping[FlowId, StatusCause]:
    """Differences by flow; one query, and three per flow with past differences. Raises DatabaseError."""
    return _cache.get(live)


def forget_differences() -> None:
    _cache.forget()


def _read(live: LiveSnapshot) -> dict[FlowId, StatusCause]:
    causes = {flow: _cause(audit_state(flow, live)) for flow in flows_with_differences()}
    return {flow: cause for flow, cause in causes.items() if cause is not None}


def _cause(state: AuditStanding) -> StatusCause | None:
    """The newest unresolved difference, and the number of other differing topics."""
    differing = [topic for topic in state.topics if topic.verdict == "different"]
    if not differing:
        return None
    newest = max(differing, key=lambda topic: topic.audit_id or 0)
    others = f" and {len(differing) - 1} more" if len(differing) > 1 else ""
    text = f"Audit {newest.audit_id} found differences in {newest.topic}{others}."
    return StatusCause(code=AUDIT_DIFFERENCE, text=text, topic=newest.topic, since_ms=newest.at_ms)
