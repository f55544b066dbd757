"""The desired documents before and after a draft, and the flows that it changes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from replication.config.flows.model import Effective
from replication.config.security.secrets import is_secret_name
from replication.domain.desired.desired_document import DesiredDocument, DesiredFlow
from replication.domain.identifiers import FlowId
from srm_service.configuration.contracts import HIDDEN_VALUE, AppliedChange, PropertyChange
from srm_service.configuration.derived.derivation import Derived
from srm_service.configuration.services import rehearse
from srm_service.core.clock import now_ms
from srm_service.flows.desired import desired_document
from srm_service.flows.selectors import flow_list, published_revisions
from srm_service.planning.contracts import FlowOutcome, ShownValue

Documents = Mapping[str, DesiredDocument]  # by target


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFlow:
    """A flow that a draft changes; None on the side on which it does not exist."""

    id: FlowId
    before: DesiredFlow | None
    after: DesiredFlow | None

    @property
    def outcome(self) -> FlowOutcome:
        if self.before is None:
            return "created"
        return "removed" if self.after is None else "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSide:
    """The system before or after a draft: desired documents by target, and effective values by flow."""

    documents: Documents
    values: Mapping[FlowId, Mapping[str, ShownValue]]


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
    targets = {flow.target for flow in flow_list()} | set(published_revisions())
    return {target: desired_document(target, published_ms=at_ms)[0] for target in sorted(targets)}


def _side(derived: Derived) -> DraftSide:
    return DraftSide(
        documents=desired_documents(),
        values={
            FlowId(flow.source, flow.target): {name: _shown(each) for name, each in flow.effective.items()}
            for flow in derived.flows
        },
    )


def _shown(effective: Effective) -> ShownValue:
    is_hidden = is_secret_name(effective.name) or (effective.origin is not None and effective.origin.is_external)
    return ShownValue(value=HIDDEN_VALUE if is_hidden else effective.value, level=effective.level)


def changed_flows(before: Documents, after: Documents, clusters: Iterable[str]) -> tuple[ChangedFlow, ...]:
    """Return the flows that differ, and those of the clusters, which have changed."""
    changed = frozenset(clusters)
    old, new = flows_of(before), flows_of(after)
    return tuple(
        ChangedFlow(id=flow_id, before=old.get(flow_id), after=new.get(flow_id))
        for flow_id in sorted({*old, *new})
        if old.get(flow_id) != new.get(flow_id) or changed & {flow_id.source, flow_id.target}
    )


def flows_of(documents: Documents) -> dict[FlowId, DesiredFlow]:
    return {FlowId(flow.source, target): flow for target, document in documents.items() for flow in document.flows}
