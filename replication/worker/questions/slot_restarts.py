"""Decides which running slots of a flow restart because of a draft, by the same comparison as the slots' own."""

from collections.abc import Sequence
from dataclasses import dataclass

from replication.domain.desired.desired_document import DesiredFlow, PolicyChoice
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.slot import ClusterClient, SlotSpec
from replication.domain.questions.flow_changes import SlotRestart, TaskChange
from replication.domain.settings.registry.all_settings import SETTINGS
from replication.domain.settings.registry.flow import POLICY_CLASS
from replication.worker.engine.slot_spec import build_slot_spec, is_live_change, restarting_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotInputs:
    """The values that slots are made of; `flow` is None where it does not copy."""

    flow: DesiredFlow | None
    plan: PlanDocument | None
    source: ClusterClient | None
    target: ClusterClient | None

    def specs(self) -> list[SlotSpec]:
        """Raises ValueError for a setting that cannot be used."""
        flow, plan, source, target = self.flow, self.plan, self.source, self.target
        if flow is None or plan is None or source is None or target is None:
            return []
        return [build_slot_spec(flow, plan, slot, source, target) for slot in range(len(plan.slots))]


def task_change(before: SlotInputs, after: SlotInputs) -> TaskChange:
    """Compare the slots of the present plan with those of the draft's. Raises ValueError for an unusable setting."""
    old, new = before.specs(), after.specs()
    restarts = tuple(
        SlotRestart(slot=mine.slot, because=_reasons(mine, theirs, before, after))
        for mine, theirs in zip(old, new, strict=False)
        if not is_live_change(mine, theirs)
    )
    is_new_generation = bool(old and new) and old[0].generation != new[0].generation
    return TaskChange(
        before=len(old),
        after=len(new),
        restarts=restarts,
        moved_partitions=0 if is_new_generation else _moved(old, new),
        is_new_generation=is_new_generation,
    )


def _moved(old: Sequence[SlotSpec], new: Sequence[SlotSpec]) -> int:
    """Return how many partitions change slots."""
    before, after = ({each.upstream: spec.slot for spec in specs for each in spec.partitions} for specs in (old, new))
    return sum(after[upstream] != slot for upstream, slot in before.items() if upstream in after)


def _reasons(old: SlotSpec, new: SlotSpec, before: SlotInputs, after: SlotInputs) -> tuple[str, ...]:
    """The keys of the settings that changed; for clusters, whose connection did."""
    if old.generation != new.generation:
        return ("generation",)
    changed = restarting_fields(old, new)
    named = {"source": f"connection of {new.source.alias}", "target": f"connection of {new.target.alias}"}
    found = [reason for name in changed for reason in (_changed_keys(name, before, after) or [named.get(name, name)])]
    return tuple(dict.fromkeys(found))


def _changed_keys(field: str, before: SlotInputs, after: SlotInputs) -> list[str]:
    """The settings of a field that differ; if none does by itself, the naming that it follows or its first one."""
    keys = [setting.key for setting in SETTINGS if setting.slot_field == field]
    old, new = ({} if each.flow is None else each.flow.connectors.source for each in (before, after))
    differing = [key for key in keys if old.get(key) != new.get(key)]
    if not differing and _policy(before) != _policy(after):
        return [POLICY_CLASS.key]
    return differing or keys[:1]


def _policy(inputs: SlotInputs) -> PolicyChoice | None:
    return None if inputs.flow is None else inputs.flow.policy
