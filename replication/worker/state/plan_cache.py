"""The newest plan of each flow, from Redis, from this process's own planner, or from disk."""

import threading
from collections.abc import Collection

import structlog

from replication.domain.plan.plan_document import PlanDocument, plan_from_json, plan_to_json
from replication.worker.state.state_folder import StateFolder

log = structlog.get_logger(__name__)
FlowKey = tuple[str, str]  # target, source


class PlanCache:
    """Planner jobs call `store` and `others` from their threads; the coordinator thread calls the rest."""

    def __init__(self, folder: StateFolder) -> None:
        self._folder = folder
        self._seen: dict[FlowKey, bytes] = {}
        self._plans: dict[FlowKey, PlanDocument] = {}
        self._texts: dict[FlowKey, bytes] = {}
        self._in_force: dict[str, frozenset[str]] = {}  # sources of the flows that copy, by target
        self._lock = threading.Lock()
        self.changes = 0  # of the newest plans

    def get(self, target: str, source: str) -> PlanDocument | None:
        with self._lock:
            return self._plans.get((target, source))

    def set_in_force(self, target: str, sources: Collection[str]) -> None:
        """Note which flows into the target copy now; the plans of the others have no effect."""
        with self._lock:
            self._in_force[target] = frozenset(sources)

    def others(self, target: str, source: str) -> tuple[PlanDocument, ...]:
        """Return the plans of the other flows into the target that copy now."""
        with self._lock:
            sources = sorted(self._in_force.get(target, frozenset()) - {source})
            return tuple(self._plans[(target, each)] for each in sources if (target, each) in self._plans)

    def update(self, target: str, source: str, raw: bytes | None) -> PlanDocument | None:
        """Apply the plan in Redis (None: there is none) if it is newer; returns the newest plan."""
        key = (target, source)
        if key not in self._seen:
            self._seen[key] = b""
            self._accept(key, self._folder.load_plan(target, source))
        if raw is not None and raw != self._seen[key]:
            self._seen[key] = raw
            if self._accept(key, raw):
                self._folder.save_plan(target, source, raw)
        return self.get(target, source)

    def store(self, plan: PlanDocument) -> None:
        """Store a planner's new plan, on disk first, so that no slot runs a plan that a restart would lose."""
        text = plan_to_json(plan).encode()
        self._folder.save_plan(plan.target, plan.source, text)
        with self._lock:
            self._plans[(plan.target, plan.source)] = plan
            self._texts[(plan.target, plan.source)] = text
            self.changes += 1

    def unpublished(self, target: str, source: str, raw: bytes | None) -> str | None:
        """The newest plan as text when Redis holds a different one or none; for the holder of the plan lease."""
        with self._lock:
            text = self._texts.get((target, source))
        return None if text is None or text == raw else text.decode()

    def _accept(self, key: FlowKey, raw: bytes | None) -> bool:
        if raw is None:
            return False
        try:
            plan = plan_from_json(raw)
        except ValueError as error:
            log.warning(
                "plan rejected, the previous one stays in force",
                target=key[0],
                source=key[1],
                error=str(error),
            )
            return False
        with self._lock:
            held = self._plans.get(key)
            if held is not None and not _is_newer(plan, held):
                return False
            self._plans[key] = plan
            self._texts[key] = raw
            self.changes += 1
        return True


def _is_newer(plan: PlanDocument, held: PlanDocument) -> bool:
    """Compare versions and times, so that a Redis restored from an old state does not revert running slots."""
    return (plan.generation, plan.version) > (held.generation, held.version) or plan.planned_ms > held.planned_ms
