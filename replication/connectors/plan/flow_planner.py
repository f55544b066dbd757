"""Plans the topics and the consumer groups of one flow, each at its own interval."""

from collections.abc import Sequence

from replication.connectors.groups.group_planner import GroupPlanner
from replication.connectors.groups.group_rights import GroupRights
from replication.connectors.plan.source_connector import SourceConnector
from replication.domain.errors import Cause
from replication.domain.plan.plan_document import PlanDocument

_SHORTEST_MS = 100


class FlowPlanner:
    """Blocking; one thread at a time."""

    def __init__(self, topics: SourceConnector, groups: GroupPlanner, rights: GroupRights) -> None:
        self._topics = topics
        self._groups = groups
        self._rights = rights
        self._topics_ms = 0  # when the topics are due
        self._ran_ms = 0

    @property
    def refresh_interval_ms(self) -> int:
        """The time to wait until the next run."""
        groups_ms = self._groups.next_ms(self._ran_ms)
        due_ms = self._topics_ms if groups_ms is None else min(self._topics_ms, groups_ms)
        return max(_SHORTEST_MS, due_ms - self._ran_ms)

    @property
    def groups_problem(self) -> Cause | None:
        """Why the groups could not be listed; the flow copies all the same."""
        return self._groups.problem

    def run_once(self, previous: PlanDocument | None, now_ms: int, others: Sequence[PlanDocument] = ()) -> PlanDocument:
        """Plan what is due; returns a plan equal to `previous` when nothing has changed. Raises as SourceConnector.

        The first plan does not wait for the check of the rights on groups.
        """
        plan = previous = None if previous is None else self._rights.without(previous)
        if plan is None or now_ms >= self._topics_ms:
            plan = self._topics.run_once(previous, now_ms)
            self._topics_ms = now_ms + self._topics.refresh_interval_ms
        self._ran_ms = now_ms
        plan = self._groups.run_once(plan, now_ms, others)
        return plan if previous is None else self._rights.warn(plan, now_ms)
