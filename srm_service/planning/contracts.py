"""The shapes of change plans."""

from dataclasses import dataclass
from typing import Annotated, Literal

from replication.config.flows.model import Level
from replication.domain.plan.preflight import FindingSeverity
from replication.domain.questions.flow_changes import FlowChanges
from replication.domain.settings.setting import Change

FlowOutcome = Literal["created", "changed", "removed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownValue:
    """The effective value of a setting and its level; secrets and values from files and variables are hidden."""

    value: str
    level: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedValue:
    """A setting of a flow whose effective value or level changes."""

    key: str
    before: Annotated[str | None, "null if the flow does not exist, or the setting has no value"]
    after: str | None
    level_before: Level | None
    level_after: Level | None
    takes_effect: Annotated[Change | None, "live: running slots take it over; restart: they restart; null: unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFinding:
    """A finding about a property that changes."""

    severity: FindingSeverity
    key: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPlan:
    """One flow of a change plan."""

    source: str
    target: str
    outcome: FlowOutcome
    revision: Annotated[int | None, "of the target's desired document that is in force; null before the first"]
    values: tuple[ChangedValue, ...]
    changes: FlowChanges


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePlan:
    """The effect of a draft; nothing is applied."""

    version: Annotated[int, "of the configuration that the plan compares with; send it in If-Match to apply"]
    changes_configuration: Annotated[bool, "false if the draft equals the configuration in force"]
    clusters: Annotated[tuple[str, ...], "clusters whose definition changes"]
    findings: tuple[PlanFinding, ...]
    flows: tuple[FlowPlan, ...]
