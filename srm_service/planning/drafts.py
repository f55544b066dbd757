"""The desired documents before and after a draft, and the flows that it changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from replication.config.flows.model import Effective
from replication.config.security.secrets import is_secret_name
from replication.domain.desired.desired_document import DesiredDocument, DesiredFlow
from replication.domain.identifiers import FlowId
from srm_service.configuration.contracts import HIDDEN_VALUE, AppliedChange, PropertyChange
from srm_service.configuration.derived.derivation import Derived
from srm_service.configuration.services import rehearse
from srm_service.core.clock import now_ms
from srm_service.flows.documents.desired import desired_document
from srm_service.flows.selectors import desired_revisions, flow_list
from srm_service.planning.contracts import FlowOutcome, ShownValue

Documents = Mapping[str, DesiredDocument]  # by target


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFlow:
    """A flow that a draft changes; `problem` says why drivers would not get it as drafted."""

    id: FlowId
    outcome: FlowOutcome
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSide:
    """The system before or after a draft: desired documents by target, values by flow, problems by alias or flow."""

    documents: Documents
    values: Mapping[FlowId, Mapping[str, ShownValue]]
    problems: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsedDraft:
    """The effect of a draft; `effect.version` is the version in force."""

    effect: AppliedChange
    before: DraftSide
    after: DraftSide


def rehearsed(changes: Sequence[PropertyChange]) -> RehearsedDraft:
    """Raises InvalidChangeError."""
    effect, before, after = rehearse(changes, _side)
    return RehearsedDraft(effect=effect, before=before, after=after)


def desired_documents() -> Documents:
    """Return the document of each target that has flows, or had some."""
    at_ms = now_ms()
    targets = {flow.target for flow in flow_list()} | set(desired_revisions())
    return {target: desired_document(target, published_ms=at_ms)[0] for target in sorted(targets)}


def _side(derived: Derived) -> DraftSide:
    return DraftSide(
        documents=desired_documents(),
        values={
            FlowId(flow.source, flow.target): {name: _shown(each) for name, each in flow.effective.items()}
            for flow in derived.flows
        },
        problems=dict(derived.problems),
    )


def _shown(effective: Effective) -> ShownValue:
    is_hidden = is_secret_name(effective.name) or (effective.origin is not None and effective.origin.is_external)
    return ShownValue(value=HIDDEN_VALUE if is_hidden else effective.value, level=effective.level)


def planned_flows(draft: RehearsedDraft) -> tuple[PlannedFlow, ...]:
    """Return the flows whose definition differs, and those of clusters that have changed."""
    clusters = frozenset(draft.effect.clusters)
    changed = {FlowId(source, target) for source, target in draft.effect.flows}
    old, new = flows_of(draft.before.documents), flows_of(draft.after.documents)
    changed |= {flow_id for flow_id in {*old, *new} if old.get(flow_id) != new.get(flow_id)}
    changed |= {flow_id for flow_id in {*old, *new} if clusters & {flow_id.source, flow_id.target}}
    return tuple(
        PlannedFlow(id=flow_id, outcome=_outcome(flow_id, draft), problem=_problem(flow_id, draft.after, new))
        for flow_id in sorted(changed)
    )


def _outcome(flow_id: FlowId, draft: RehearsedDraft) -> FlowOutcome:
    if flow_id not in draft.before.values:
        return "created"
    return "changed" if flow_id in draft.after.values else "removed"


def _problem(flow_id: FlowId, after: DraftSide, usable: Mapping[FlowId, DesiredFlow]) -> str | None:
    """Return why drivers do not get a flow that the draft has."""
    if flow_id in usable or flow_id not in after.values:
        return None
    names = (str(flow_id), flow_id.source, flow_id.target)
    found = [after.problems[name] for name in names if name in after.problems]
    return f"drivers would not get {flow_id}: {'; '.join(found) or 'one of its clusters cannot be used'}"


def flows_of(documents: Documents) -> dict[FlowId, DesiredFlow]:
    return {FlowId(flow.source, target): flow for target, document in documents.items() for flow in document.flows}
