"""A status begins when it changed: tasks that survive an outage are older than its end."""

import pytest

from replication.domain.health.flow_facts import FlowStatus, FlowStatusWord
from replication.domain.health.status_since import BELIEVED_MS, NotedStatus, status_since_ms

_START, _OUTAGE, _NOW = 1_000_000, 5_000_000, 6_000_000


def _noted(status: str, since_ms: int | None, *, age_ms: int = 5_000) -> NotedStatus:
    return NotedStatus(status=status, since_ms=since_ms, noted_ms=_NOW - age_ms)


@pytest.mark.parametrize(
    ("status", "told_ms", "noted", "since_ms"),
    [
        pytest.param(
            "interrupted", _NOW - 2_000, _noted("healthy", _START), _NOW - 2_000, id="an outage begins with its cause"
        ),
        pytest.param(
            "degraded", _NOW - 42_000, _noted("interrupted", _OUTAGE), _NOW, id="the status before was seen later"
        ),
        pytest.param("healthy", _START, _noted("interrupted", _OUTAGE), _NOW, id="surviving tasks recover now"),
        pytest.param("healthy", _START, _noted("healthy", _OUTAGE), _OUTAGE, id="a status that stays keeps its time"),
        pytest.param("healthy", _NOW - 9, _noted("healthy", _START), _START, id="a task that moves changes no status"),
        pytest.param("degraded", _OUTAGE, _noted("interrupted", _OUTAGE), _NOW, id="the same cause, another status"),
        pytest.param("degraded", None, _noted("healthy", _START), _NOW, id="no beginning is told"),
        pytest.param("healthy", _START, _noted("healthy", None), _START, id="the beginning was not known"),
        pytest.param("healthy", _START, None, _START, id="nothing was noted"),
        pytest.param(
            "healthy", _START, _noted("healthy", _OUTAGE, age_ms=BELIEVED_MS + 1), _START, id="noted too long ago"
        ),
    ],
)
def test_a_status_begins_when_it_changed(
    status: FlowStatusWord, told_ms: int | None, noted: NotedStatus | None, since_ms: int
) -> None:
    now = FlowStatus(status=status, reason="", since_ms=told_ms)

    assert status_since_ms(now, noted, _NOW) == since_ms
