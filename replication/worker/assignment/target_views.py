"""Reads the documents, plans, assignments and leases of targets from Redis, in four round trips for all of them.

A target of which nothing has changed has the same view as in the round before, the same object: whoever compares
views compares identity, and nothing of them is parsed again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from replication.domain.assignment.lease import LeaseValue
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.desired.desired_drivers import Drain
from replication.domain.identifiers import TaskId
from replication.worker.assignment.target_tasks import TargetView
from replication.worker.state import keys
from replication.worker.state.desired_cache import AppliedDesired, DesiredCache
from replication.worker.state.plan_cache import PlanCache
from replication.worker.state.redis_store import RedisStore

Raw = bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """All that a view is made from, but its leases."""

    applied: AppliedDesired
    texts: Mapping[str, Raw]  # of its plans, and of the documents of sources without a view
    changes: tuple[int, int]  # of the caches of documents and plans
    assignment: Mapping[str, str]
    drain: Drain | None

    def same_as(self, other: "_Source") -> bool:
        same_objects = self.applied is other.applied and self.assignment is other.assignment
        return (
            same_objects and self.changes == other.changes and self.drain == other.drain and self.texts == other.texts
        )


@dataclass(slots=True, kw_only=True)
class _Made:
    source: _Source
    view: TargetView
    names: Mapping[TaskId, str]  # of its leases
    leases: Sequence[Raw] | None = None  # as read


class TargetViews:
    """Used by the coordinator thread only."""

    def __init__(self, store: RedisStore, desired: DesiredCache, plans: PlanCache) -> None:
        self._store = store
        self._desired = desired
        self._plans = plans
        self._made: dict[str, _Made] = {}
        self._texts: dict[str, Raw] = {}

    def read(self, targets: Iterable[str], served: frozenset[str], drain: Drain | None) -> list[TargetView]:
        """Return the targets that have a document; `served` are those of this process. Raises CoordinatorLostError."""
        names = sorted(targets)
        assignments, documents = self._store.assignments(names), self._store.read(map(keys.desired, names))
        found = {target: self._desired.update(target, documents[keys.desired(target)]) for target in names}
        applied = {target: each for target, each in found.items() if each is not None}
        wanted = {target: self._documents_of(target, each, served) for target, each in applied.items()}
        known = self._store.read(name for each in wanted.values() for name in each)
        self._texts.update(known)
        made = [
            self._make(
                target,
                _Source(
                    applied=each,
                    texts={name: known[name] for name in wanted[target]},
                    changes=(self._desired.changes, self._plans.changes),
                    assignment=assignments[target],
                    drain=drain,
                ),
            )
            for target, each in applied.items()
        ]
        raws = self._store.read(name for each in made for name in each.names.values())
        return [_with_leases(each, raws) for each in made]

    def plan_text(self, target: str, source: str) -> Raw:
        """Return the plan that the last reading of its target found."""
        return self._texts.get(keys.plan(target, source))

    def _documents_of(self, target: str, applied: AppliedDesired, served: frozenset[str]) -> list[str]:
        """The keys of the plans of its flows, and of the documents of the sources without a view."""
        sources = [flow.source for flow in applied.document.flows]
        unserved = [each for each in sources if each not in served or self._desired.get(each) is None]
        return [*(keys.plan(target, source) for source in sources), *map(keys.desired, unserved)]

    def _make(self, target: str, source: _Source) -> _Made:
        before = self._made.get(target)
        if before is not None and before.source.same_as(source):
            return before
        view = self._view(target, source)
        names = {task: keys.lease(target, task) for task in view.lease_tasks()}
        made = self._made[target] = _Made(source=source, view=view, names=names)
        return made

    def _view(self, target: str, source: _Source) -> TargetView:
        flows = source.applied.document.flows
        self._plans.set_in_force(target, [flow.source for flow in flows if flow.enabled])
        newest = (
            self._plans.update(target, flow.source, source.texts[keys.plan(target, flow.source)]) for flow in flows
        )
        return TargetView(
            target=target,
            applied=source.applied,
            plans={plan.source: plan for plan in newest if plan is not None},
            assignment=source.assignment,
            leases={},
            reverse=self._reverse_flows(target, [flow.source for flow in flows], source.texts),
            drain=source.drain,
        )

    def _reverse_flows(self, target: str, sources: list[str], known: Mapping[str, Raw]) -> dict[str, DesiredFlow]:
        """Return the flows from the target back to its sources, with the documents of those without a view."""
        for source in sources:
            if (key := keys.desired(source)) in known:
                self._desired.update(source, known[key])
        applied = ((source, self._desired.get(source)) for source in sources)
        flows = ((source, each.document.flow(target)) for source, each in applied if each is not None)
        return {source: flow for source, flow in flows if flow is not None}


def _with_leases(made: _Made, raws: Mapping[str, Raw]) -> TargetView:
    found = [raws[name] for name in made.names.values()]
    if found != made.leases:
        pairs = zip(made.names, found, strict=True)
        leases = {task: None if raw is None else LeaseValue.parse(raw.decode()) for task, raw in pairs}
        made.view, made.leases = replace(made.view, leases=leases), found
    return made.view
