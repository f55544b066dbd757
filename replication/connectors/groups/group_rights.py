"""Checks the rights of a running flow on its consumer groups, from time to time, for the warnings of its plan."""

from dataclasses import replace

import structlog

from replication.connectors.groups.group_preflight import GroupPreflight
from replication.domain.errors import ReplicationError
from replication.domain.plan.plan_document import PlanDocument, PlanWarning
from replication.domain.plan.preflight import GROUP_RIGHTS_MISSING, shortened, warning_of

log = structlog.get_logger(__name__)
CHECK_EVERY_MS = 600_000


class GroupRights:
    """Blocking; for one thread. A cluster that does not answer leaves the warnings as they are."""

    def __init__(self, check: GroupPreflight) -> None:
        self._check = check
        self._checked_ms: int | None = None
        self._warnings: tuple[PlanWarning, ...] = ()

    def without(self, plan: PlanDocument) -> PlanDocument:
        """Return the plan as its planner made it, without the warnings about rights on groups."""
        kept = tuple(each for each in plan.warnings if each.code != GROUP_RIGHTS_MISSING)
        return plan if len(kept) == len(plan.warnings) else replace(plan, warnings=kept)

    def warn(self, plan: PlanDocument, now_ms: int) -> PlanDocument:
        """Return the plan with a warning for each resource on which the flow lacks a right; checks if it is time."""
        if self._checked_ms is None or not 0 <= now_ms - self._checked_ms < CHECK_EVERY_MS:
            self._checked_ms = now_ms
            self._inspect(plan)
        plan = self.without(plan)
        return replace(plan, warnings=(*plan.warnings, *self._warnings)) if self._warnings else plan

    def _inspect(self, plan: PlanDocument) -> None:
        try:
            found = self._check.findings({topic.remote: topic.upstream for topic in plan.topics})
        except ReplicationError as error:
            log.info("rights on groups are not checked", source=plan.source, target=plan.target, error=error.text)
            return
        self._warnings = tuple(map(warning_of, shortened(found)))
