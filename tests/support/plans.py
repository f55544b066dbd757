"""Plans of the flow east->west for tests."""

from typing import Any

from replication.domain.plan.plan_document import PlanDocument


def plan_of(**changes: Any) -> PlanDocument:
    """Return a plan without topics, with these changes."""
    usual: dict[str, Any] = {
        "target": "west",
        "source": "east",
        "generation": 1,
        "version": 1,
        "desired_revision": 1,
        "planned_ms": 1,
        "tasks_max": 2,
        "topics": (),
        "slots": (),
    }
    return PlanDocument(**{**usual, **changes})
