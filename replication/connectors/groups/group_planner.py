"""Plans the consumer groups of one flow: which are translated, and in which checkpoint slot."""

from collections.abc import Sequence
from dataclasses import replace

from replication.config.flows.policies import returned_topics
from replication.connectors.groups.group_catalog import FoundGroups, GroupCatalog
from replication.connectors.groups.group_claims import groups_of_others, originals_of
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.errors import Cause, ReplicationError
from replication.domain.groups.checkpoint_settings import CheckpointSettings
from replication.domain.groups.group_assignment import assign_groups
from replication.domain.plan.plan_document import NO_GROUPS, PlanDocument, PlanGroups
from replication.ports.groups.group_admin import GroupAdmin

GONE_KEPT_MS = 7 * 24 * 3_600_000  # a group that was deleted or expired at the source is shown so long
MOST_GONE = 1_000
MOST_SKIPPED = 500
MOST_TAKEN = 500
_MORE_MS = 500


class GroupPlanner:
    """The checkpoint connector of one flow; it is re-created when the desired flow changes.

    Blocking; one thread at a time. The constructor raises ConfigurationError when a setting is invalid.
    """

    def __init__(self, flow: DesiredFlow, source: GroupAdmin, target: str = "") -> None:
        """`target` is the alias of the cluster to which copies may lead their groups back."""
        self._flow = flow
        self._settings = CheckpointSettings.of(flow)
        self._returned = returned_topics(flow, target)
        self._catalog = GroupCatalog(source, self._settings.groups, self._returned)
        self._next_ms: int | None = None  # None: at once
        self._listed_ms = 0
        self.problem: Cause | None = None  # why the groups could not be listed

    def next_ms(self, now_ms: int) -> int | None:
        """Return when the groups are listed next; None if they are not."""
        if not self._settings.is_on:
            return None
        return now_ms if self._next_ms is None or self._is_set_back(now_ms) else self._next_ms

    def _is_set_back(self, now_ms: int) -> bool:
        """Return True if the clock was set back, so that the next time is too far away."""
        return now_ms < self._listed_ms and self._next_ms != _NEVER_MS

    def run_once(self, plan: PlanDocument, now_ms: int, others: Sequence[PlanDocument] = ()) -> PlanDocument:
        """Return the plan with the groups of now; the plan itself while they are the same.

        `others` are the plans of the other flows into the target. A source whose groups cannot be listed keeps the
        groups it has; `problem` says why.
        """
        groups = self._groups(plan, now_ms, others)
        return plan if groups == plan.groups else replace(plan, groups=groups, planned_ms=max(now_ms, plan.planned_ms))

    def _groups(self, plan: PlanDocument, now_ms: int, others: Sequence[PlanDocument]) -> PlanGroups:
        before = plan.groups
        if not self._settings.is_on:
            return replace(NO_GROUPS, most_slots=before.most_slots)
        if self._next_ms is not None and now_ms < self._next_ms and not self._is_set_back(now_ms):
            return before
        self._listed_ms = now_ms
        self._next_ms = now_ms + self._settings.refresh_interval_ms
        try:
            found = self._catalog.discover(now_ms)
        except ReplicationError as error:
            self.problem = Cause.of(error, now_ms)
            return before
        self.problem = None
        if not found.is_complete:
            self._next_ms = now_ms + _MORE_MS
        elif not self._settings.refreshes:
            self._next_ms = _NEVER_MS
        return self._planned(plan, found, now_ms, others)

    def _planned(
        self, plan: PlanDocument, found: FoundGroups, now_ms: int, others: Sequence[PlanDocument]
    ) -> PlanGroups:
        before = plan.groups
        gone = _gone(before, found, self._settings, now_ms)
        undecided = found.unread if found.is_complete else found.listed
        present = frozenset(found.translated) | (_planned_groups(before) & undecided)
        taken = groups_of_others(plan, found.translated, others, self._returned)
        wanted = (present | {name for name, _ in gone}) - {each.group for each in taken}
        slots = assign_groups(before.slots, wanted, self._flow.tasks_max) or (((),) if taken else ())
        return PlanGroups(
            taken=tuple((each.group, each.flow.source, each.remote_topics) for each in taken[:MOST_TAKEN]),
            originals=tuple(sorted(set(originals_of(found.translated, self._returned).values()))),
            slots=slots,
            most_slots=max(len(slots), before.most_slots),
            gone=gone,
            skipped=tuple(each for each in found.skipped if each.group not in wanted)[:MOST_SKIPPED],
        )


_NEVER_MS = 2**62


def _planned_groups(before: PlanGroups) -> frozenset[str]:
    return frozenset(name for slot in before.slots for name in slot)


def _gone(
    before: PlanGroups, found: FoundGroups, settings: CheckpointSettings, now_ms: int
) -> tuple[tuple[str, int], ...]:
    """The groups that disappeared, oldest first. A group that the filter excludes now is not shown any longer."""
    since = dict(before.gone)
    for slot in before.slots:
        for name in slot:
            if name not in found.listed and settings.groups.accepts(name):
                since.setdefault(name, now_ms)
    kept = [
        (name, at_ms)
        for name, at_ms in since.items()
        if name not in found.listed and now_ms - at_ms < GONE_KEPT_MS and settings.groups.accepts(name)
    ]
    return tuple(sorted(kept, key=lambda each: (each[1], each[0]))[-MOST_GONE:])
